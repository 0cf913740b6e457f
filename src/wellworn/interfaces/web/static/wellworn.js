// What the pages do beside htmx: times in the reader's zone, and "/" for the question.
// Without scripts everything can be read and sent all the same.
const today = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const other = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

function localise() {
  for (const time of document.querySelectorAll("time[datetime]:not([data-local])")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.valueOf())) continue;
    const isToday = moment.toDateString() === new Date().toDateString();
    time.textContent = (isToday ? today : other).format(moment);
    time.title = exact.format(moment);
    time.dataset.local = "";
  }
}

document.addEventListener("htmx:after:swap", localise);
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, textarea, select")) return;
  const field = document.querySelector("#prompt, #q");
  if (field) {
    event.preventDefault();
    field.focus();
  }
});
localise();
// An invitation stands behind the sign of its link, which no server sees.
const token = document.querySelector("#token");
if (token && location.hash) {
  token.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
}

// What is said last, while somebody looks: hidden pages hold none of a browser's few connections.
const live = document.querySelector("#live");
if (live) {
  const recent = document.querySelector("#recent");
  const tell = (state) => { live.textContent = live.dataset[state]; live.dataset.state = state; };
  let events;
  const follow = () => {
    events = new EventSource(live.dataset.events);
    events.onopen = () => tell("on");
    events.onerror = () => tell(events.readyState === EventSource.CLOSED ? "over" : "off");
    events.onmessage = (event) => {
      const focused = recent.contains(document.activeElement) && document.activeElement.href;
      recent.innerHTML = JSON.parse(event.data);
      localise();
      if (focused) [...recent.querySelectorAll("a")].find((link) => link.href === focused)?.focus();
    };
  };
  document.addEventListener("visibilitychange", () => {
    events?.close();
    if (!document.hidden) follow();
  });
  if (!document.hidden) follow();
}
