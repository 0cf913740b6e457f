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

// A part of a page, as the server makes it for scripts.
const ask = (address, more) =>
  fetch(address, { headers: { "HX-Request-Type": "partial" }, ...more }).catch(() => undefined);
async function load(part) {
  const reply = await ask(part.dataset.part);
  if (!reply?.ok) return;
  part.innerHTML = await reply.text();
  localise();
}
for (const part of document.querySelectorAll("[data-part]:not(#recent)")) load(part);

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
    events?.close();
    events = new EventSource(live.dataset.events);
    events.onopen = () => tell("on");
    events.onerror = () => {
      tell("off");
      if (events.readyState === EventSource.CLOSED) lookAgain();
    };
    events.onmessage = (event) => {
      const focused = recent.contains(document.activeElement) && document.activeElement.href;
      recent.innerHTML = JSON.parse(event.data);
      localise();
      if (focused) [...recent.querySelectorAll("a")].find((link) => link.href === focused)?.focus();
    };
  };
  // The server refuses to tell. What may not be seen any more goes, and it is asked again.
  let again;
  let pauseMs = 5_000;
  const lookAgain = async () => {
    const parts = document.querySelectorAll("[data-part]");
    const request = new AbortController();
    const reply = await ask(live.dataset.events, { signal: request.signal });
    const isRefused = [401, 403, 404, 423].includes(reply?.status);
    if (isRefused) {
      for (const part of parts) part.replaceChildren();
      document.querySelector("#answer").replaceChildren();
      recent.innerHTML = await reply.text();
      tell("over");
    }
    request.abort();
    if (document.hidden) return;
    if (reply?.ok) {
      pauseMs = 5_000;
      parts.forEach(load);
      follow();
    } else {
      again = setTimeout(lookAgain, pauseMs);
      pauseMs = Math.min(2 * pauseMs, 60_000);
    }
  };
  document.addEventListener("visibilitychange", () => {
    events?.close();
    clearTimeout(again);
    if (document.hidden) return;
    pauseMs = 5_000;
    if (live.dataset.state === "over") lookAgain();
    else follow();
  });
  if (!document.hidden) follow();
}
