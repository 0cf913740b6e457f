// The map: thoughts as points on ground that is as high as they are worn. What it shows, the table
// below it says as well; without this script the picture that the server made stays.
const figure = document.querySelector("#map");
if (figure) draw(figure);

async function draw(figure) {
  const canvas = figure.querySelector("canvas");
  const told = figure.querySelector("#point");
  const reply = await fetch(figure.dataset.points).catch(() => undefined);
  if (!reply?.ok) {
    told.textContent = figure.dataset.failed;
    return;
  }
  const map = await reply.json();
  const count = map.x.length;
  const context = canvas.getContext("2d");
  const bounds = findBounds(map);
  const ground = raiseGround(map, bounds);
  const isHighway = new Set(map.highways);
  // How worn a point is, in five steps: of each all are drawn at once.
  const steps = [[], [], [], [], []];
  map.weights.forEach((weight, point) => steps[Math.min(4, Math.floor(weight))].push(point));
  let view, size, colours, tinted, chosen = -1, asked, frame, isWhole;

  figure.querySelector("svg").remove();
  for (const part of figure.querySelectorAll("[hidden]")) part.hidden = false;
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", () => { readColours(); paint(); });
  new ResizeObserver(fit).observe(canvas);

  function readColours() {
    const style = getComputedStyle(canvas);
    colours = {
      ink: style.color, paper: style.backgroundColor, line: style.borderTopColor,
      worn: style.caretColor, quiet: style.outlineColor, font: style.fontFamily,
    };
    tinted = tint(ground, colours.worn);
  }

  function fit() {
    const density = devicePixelRatio;
    size = { width: canvas.clientWidth, height: canvas.clientHeight };
    canvas.width = size.width * density;
    canvas.height = size.height * density;
    context.setTransform(density, 0, 0, density, 0, 0);
    readColours();
    if (!view || isWhole) showAll();
    paintNow();
    if (!figure.dataset.ready) figure.dataset.ready = Math.round(performance.now());
  }

  function showAll() {
    const scale = Math.min(size.width / bounds.width, size.height / bounds.height);
    view = { x: bounds.x + bounds.width / 2, y: bounds.y + bounds.height / 2, scale, least: scale };
    isWhole = true;
  }

  const toX = (x) => (x - view.x) * view.scale + size.width / 2;
  const toY = (y) => (y - view.y) * view.scale + size.height / 2;

  function paint() {
    frame ??= requestAnimationFrame(paintNow);
  }

  function paintNow() {
    cancelAnimationFrame(frame);
    frame = undefined;
    context.clearRect(0, 0, size.width, size.height);
    const { scale } = view;
    context.imageSmoothingQuality = "high";
    context.drawImage(tinted, toX(bounds.x), toY(bounds.y), bounds.width * scale, bounds.height * scale);
    context.strokeStyle = colours.line;
    for (const [, x, y, radius, isTop] of map.topics) {
      context.lineWidth = isTop ? 1.25 : 0.75;
      circle(toX(x), toY(y), radius * scale);
    }
    context.strokeStyle = colours.quiet;
    context.globalAlpha = 0.28;
    for (const [from, to, sessions] of map.edges) {
      context.lineWidth = Math.min(3, 0.5 + 0.4 * Math.log2(sessions + 1));
      line([[map.x[from], map.y[from]], [map.x[to], map.y[to]]]);
    }
    paintPoints(scale);
    context.strokeStyle = colours.worn;
    context.lineWidth = 1.75;
    for (const point of map.highways) circle(toX(map.x[point]), toY(map.y[point]), 5.5);
    paintPath();
    paintTitles(scale);
    if (chosen >= 0) {
      context.strokeStyle = colours.ink;
      context.lineWidth = 2;
      circle(toX(map.x[chosen]), toY(map.y[chosen]), 9);
    }
  }

  function paintPoints(scale) {
    context.fillStyle = colours.ink;
    const closer = Math.sqrt(scale / view.least);
    steps.forEach((points, step) => {
      const radius = (0.55 + 0.35 * step) * closer * (count > 4000 ? 1 : 1.8);
      context.globalAlpha = 0.42 + 0.11 * step;
      context.beginPath();
      for (const point of points) {
        const x = toX(map.x[point]), y = toY(map.y[point]);
        if (x < -9 || y < -9 || x > size.width + 9 || y > size.height + 9) continue;
        if (radius < 1.3) context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
        else {
          context.moveTo(x + radius, y);
          context.arc(x, y, radius, 0, 2 * Math.PI);
        }
      }
      context.fill();
    });
    context.globalAlpha = 1;
  }

  function paintPath() {
    if (!map.path.length) return;
    context.lineWidth = 3;
    line(map.path);
    context.font = `600 12px ${colours.font}`;
    context.textAlign = "center";
    map.path.forEach(([x, y], number) => {
      context.beginPath();
      context.arc(toX(x), toY(y), 9, 0, 2 * Math.PI);
      context.fillStyle = colours.worn;
      context.fill();
      context.fillStyle = colours.paper;
      context.textBaseline = "middle";
      context.fillText(number + 1, toX(x), toY(y) + 0.5);
    });
  }

  function paintTitles(scale) {
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = colours.paper;
    context.fillStyle = colours.ink;
    const taken = [];
    const largest = map.topics.toSorted((one, other) => other[3] - one[3]);
    for (const [title, x, y, radius, isTop] of largest) {
      const wide = radius * scale;
      if (!title || wide < 26 || (isTop && wide > size.width)) continue;
      context.font = `600 ${isTop ? 13 : 12}px ${colours.font}`;
      const [left, top] = [toX(x), toY(isTop && wide > 120 ? y - radius * 0.9 : y)];
      const words = shorten(title, Math.max(150, 2.2 * wide));
      const half = context.measureText(words).width / 2;
      // Of two titles in one place the one of the larger topic is told.
      if (taken.some(([a, b, c]) => Math.abs(a - left) < c + half && Math.abs(b - top) < 16)) continue;
      taken.push([left, top, half]);
      context.globalAlpha = 0.85;
      context.strokeText(words, left, top);
      context.globalAlpha = 1;
      context.fillText(words, left, top);
    }
  }

  function shorten(words, most) {
    while (words.length > 4 && context.measureText(words).width > most) words = `${words.slice(0, -2).trimEnd()}…`;
    return words;
  }

  function circle(x, y, radius) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.stroke();
  }

  function line(spots) {
    context.beginPath();
    spots.forEach(([x, y], number) => context[number ? "lineTo" : "moveTo"](toX(x), toY(y)));
    context.stroke();
  }

  function zoom(by, x = size.width / 2, y = size.height / 2) {
    if (!by) showAll();
    else {
      isWhole = false;
      const scale = Math.min(Math.max(view.scale * by, view.least / 2), view.least * 200);
      view.x += (x - size.width / 2) * (1 / view.scale - 1 / scale);
      view.y += (y - size.height / 2) * (1 / view.scale - 1 / scale);
      view.scale = scale;
    }
    paint();
  }

  function findNearest(x, y, isWanted, most = Infinity) {
    let best = -1;
    for (let point = 0; point < count; point++) {
      const right = toX(map.x[point]) - x, down = toY(map.y[point]) - y;
      const away = isWanted ? isWanted(right, down) : right * right + down * down;
      if (away < most) [best, most] = [point, away];
    }
    return best;
  }

  // The words of a point come when one stays on it, so that passing over many asks for few.
  function choose(point, { pause = 120 } = {}) {
    if (point === chosen) return;
    chosen = point;
    paint();
    clearTimeout(asked);
    if (point < 0) return;
    asked = setTimeout(async () => {
      const address = `${figure.dataset.point}?mark=${map.mark}&number=${point}`;
      const reply = await fetch(address, { headers: { "hx-request-type": "partial" } }).catch(() => undefined);
      if (chosen !== point) return;
      if (reply?.ok) told.innerHTML = await reply.text();
      else told.textContent = figure.dataset.failed;
      document.dispatchEvent(new Event("htmx:after:swap"));
    }, pause);
  }

  const ways = {
    ArrowRight: (right, down) => [right, down], ArrowLeft: (right, down) => [-right, down],
    ArrowDown: (right, down) => [down, right], ArrowUp: (right, down) => [-down, right],
  };
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = ways[event.key];
    if (way) {
      const from = chosen < 0 ? [size.width / 2, size.height / 2] : [toX(map.x[chosen]), toY(map.y[chosen])];
      const point = chosen < 0 ? findNearest(...from) : findNearest(...from, (right, down) => {
        const [ahead, aside] = way(right, down);
        return ahead > 0.5 && Math.abs(aside) <= 1.5 * ahead ? ahead + 2 * Math.abs(aside) : Infinity;
      });
      if (point >= 0) {
        choose(point);
        const x = toX(map.x[point]), y = toY(map.y[point]);
        if (x < 20 || y < 20 || x > size.width - 20 || y > size.height - 20) {
          [view.x, view.y] = [map.x[point], map.y[point]];
        }
      }
    } else if (event.key === "+" || event.key === "=") zoom(1.6, ...middle());
    else if (event.key === "-") zoom(1 / 1.6, ...middle());
    else if (event.key === "0") zoom(0);
    else if (event.key === "Escape") { choose(-1); told.replaceChildren(); }
    else if (event.key === "Enter" && chosen >= 0) told.querySelector("a")?.click();
    else return;
    event.preventDefault();
    paint();
  });
  const middle = () => (chosen < 0 ? [] : [toX(map.x[chosen]), toY(map.y[chosen])]);

  const pointers = new Map();
  let moved = 0;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
    moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      const near = findNearest(x, y, undefined, 144);
      if (near >= 0) choose(near);
      return;
    }
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const apart = (spot) => Math.hypot(spot[0] - other[0], spot[1] - other[1]) || 1;
      zoom(apart([x, y]) / apart(before), (x + other[0]) / 2, (y + other[1]) / 2);
    } else {
      isWhole = false;
      view.x -= (x - before[0]) / view.scale;
      view.y -= (y - before[1]) / view.scale;
    }
    moved += Math.abs(x - before[0]) + Math.abs(y - before[1]);
    pointers.set(event.pointerId, [x, y]);
    paint();
  });
  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (event) => {
      if (end === "pointerup" && moved < 6) choose(findNearest(...place(event), undefined, 400), { pause: 0 });
      pointers.delete(event.pointerId);
    });
  }
  // A page is scrolled over the map, unless that is in use.
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 300), ...place(event));
  }, { passive: false });
  for (const button of figure.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => zoom(Number(button.dataset.zoom), ...middle()));
  }
}

function findBounds(map) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  const take = (x, y, by) => {
    left = Math.min(left, x - by); right = Math.max(right, x + by);
    top = Math.min(top, y - by); bottom = Math.max(bottom, y + by);
  };
  map.x.forEach((x, point) => take(x, map.y[point], 2));
  for (const [, x, y, radius] of map.topics) take(x, y, radius);
  const edge = 0.04 * Math.max(right - left, bottom - top);
  return { x: left - edge, y: top - edge, width: right - left + 2 * edge, height: bottom - top + 2 * edge };
}

// The sum of weights, smoothed: three passes of a running mean are nearly a bell.
function raiseGround(map, bounds) {
  const longer = 420 / Math.max(bounds.width, bounds.height);
  const width = Math.ceil(bounds.width * longer), height = Math.ceil(bounds.height * longer);
  let field = new Float32Array(width * height);
  map.x.forEach((x, point) => {
    const column = Math.floor((x - bounds.x) * longer), row = Math.floor((map.y[point] - bounds.y) * longer);
    field[row * width + column] += map.weights[point];
  });
  const reach = Math.max(2, Math.round(Math.min(width, height) / 60));
  for (let pass = 0; pass < 3; pass++) {
    field = smooth(field, width, height, reach, 1, width);
    field = smooth(field, height, width, reach, width, 1);
  }
  const high = field.reduce((most, value) => Math.max(most, value), 0) || 1;
  return { width, height, field: field.map((value) => Math.sqrt(value / high)) };
}

function smooth(field, length, lines, reach, step, across) {
  const result = new Float32Array(field.length);
  for (let number = 0; number < lines; number++) {
    let sum = 0;
    const start = number * across;
    for (let place = -reach; place < length; place++) {
      if (place + reach < length) sum += field[start + (place + reach) * step];
      if (place - reach > 0) sum -= field[start + (place - reach - 1) * step];
      if (place >= 0) result[start + place * step] = sum / (2 * reach + 1);
    }
  }
  return result;
}

// Ground in bands, as maps of mountains have it.
function tint({ width, height, field }, colour) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  const image = context.createImageData(width, height);
  field.forEach((value, place) => {
    const band = Math.floor(value * 9);
    image.data.set([red, green, blue, band ? 10 + 13 * band : 0], 4 * place);
  });
  context.putImageData(image, 0, 0);
  return canvas;
}
