/* What a person does: select, open, search, move, keys, the page's address. */

const byId = id => document.getElementById(id);
const canvas = byId("canvas"), status = byId("status"), search = byId("search"), hits = byId("hits");
const drawing = new Drawing(canvas, byId("world"), byId("map"));
let model, layout, panel, selected = null, selectedNode = null;

/* ---- the layout, kept up with what is open ---- */

/*
 * Lays out and draws; true if that came to an end. One that begins before takes over: what is open by
 * then is drawn once, and the last to ask decides on the view. Where it fails, what is drawn stays, and
 * open. What is held stays where it was on the screen.
 */
async function arrange(held) {
  const before = held && held.box && drawing.screenPointOf(held);
  const count = model.leaves().length, wait = setTimeout(() => say("laying out " + count + " nodes \u2026"), 250);
  try {
    drawing.show(model, await layOut(layout, model));
    say("");
  } catch (failure) {
    if (failure.message === SUPERSEDED) return false;
    model.openOnly(drawing.open);
    say("layout: " + failure.message);
    return false;
  } finally {
    clearTimeout(wait);
  }
  if (before) {
    const after = drawing.screenPointOf(held);
    drawing.x += before.x - after.x;
    drawing.y += before.y - after.y;
    drawing.move();
  }
  drawing.mark(selected && model.shownFor(selected));
  byId("counts").textContent = counted(count, "box") + " of " + counted(model.program.total, "instruction");
  return true;
}

function say(text) { status.textContent = text; }

async function toggle(item) {
  if (!model.canOpen(item)) return;
  if (!item.open && !model.hasRoomFor(item)) { say("got more than " + MAX_DRAWN + " boxes, close some first"); return; }
  item.open = !item.open;
  select(item, item.node, false);
  if (await arrange(item)) drawing.uncover(item);
  panel.show(selected, selectedNode);
}

/* ---- selection ---- */

function select(item, node = item && item.node, addressed = true) {
  selected = item;
  selectedNode = node;
  drawing.mark(item && model.shownFor(item));
  panel.show(item, node);
  if (addressed && node) setAddress(addressOf(node, model.program));
  else if (addressed) setAddress("");
}

/* Selects an instruction wherever it is, opens all around it, and goes there. */
async function goTo(node) {
  const item = model.itemOf(node);
  if (!item) return;
  model.reveal(item);
  select(item, node);
  if (drawing.isDrawn(item) && !layout.isBusy || await arrange()) drawing.center(item);
}

function setAddress(name) {
  const wanted = name ? "#" + encodeURIComponent(name) : "";
  if (location.hash !== wanted) history.pushState(null, "", wanted || location.pathname + location.search);
}

/* The node that the page's address names. */
function addressed() {
  try {
    return model.program.byName.get(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return undefined; // a percent sign that begins no character
  }
}
function followAddress() { const node = addressed(); if (node) goTo(node); }

/* ---- search ---- */

const MAX_HITS = 200;

async function find() {
  await prepared;
  const words = search.value.toLowerCase().split(/\s+/).filter(word => word), found = [];
  let count = 0;
  for (const computation of words.length ? model.program.computations : [])
    for (const node of computation.nodes) {
      const text = (node.text + " " + node.scope + " " + node.file + ":" + node.line).toLowerCase();
      if (words.every(word => text.includes(word)) && ++count <= MAX_HITS) found.push(node);
    }
  const begins = node => node.name.toLowerCase().startsWith(words[0]) ? 0 : 1;
  found.sort((a, b) => begins(a) - begins(b));
  hits.replaceChildren(...found.map((node, i) => {
    const hit = html("li", {role: "option", id: "hit" + i}, html("b", {}, node.name), " ", html("code", {}, cut(node.shape, 60)), html("br", {}),
      html("small", {}, node.opcode + " in " + node.computation.name + (node.scope ? ", " + node.scope : "")));
    hit.node = node;
    return hit;
  }));
  if (words.length) hits.append(html("li", {class: "sum"}, count + " found" + (count > MAX_HITS ? ", the first " + MAX_HITS + " shown" : "")));
  hits.hidden = !words.length;
  choose(found.length ? 0 : -1);
}

function choose(index) {
  const options = [...hits.children].filter(hit => hit.node);
  options.forEach((hit, i) => hit.setAttribute("aria-selected", String(i === index)));
  options[index]?.scrollIntoView({block: "nearest"});
}

function pick(hit) {
  if (!hit || !hit.node) return;
  hits.hidden = true;
  canvas.focus();
  goTo(hit.node);
}

search.addEventListener("input", find);
search.addEventListener("focus", () => { if (hits.childElementCount) hits.hidden = false; });
search.addEventListener("keydown", event => {
  const options = [...hits.children].filter(hit => hit.node), at = options.findIndex(hit => hit.getAttribute("aria-selected") === "true");
  if (event.key === "ArrowDown") choose(Math.min(at + 1, options.length - 1));
  else if (event.key === "ArrowUp") choose(Math.max(at - 1, 0));
  else if (event.key === "Enter") pick(options[at]);
  else if (event.key === "Escape") { hits.hidden = true; canvas.focus(); } else return;
  event.preventDefault();
  event.stopPropagation();
});
hits.addEventListener("click", event => pick(event.target.closest("li")));
addEventListener("pointerdown", event => { if (!event.target.closest("#finder")) hits.hidden = true; });

/* ---- mouse, pen and fingers ---- */

const pointers = new Map();
let dragged = false, lastTap = {time: 0, item: null};

canvas.addEventListener("pointerdown", event => {
  if (event.button !== 0) return;
  canvas.focus({preventScroll: true});
  if (!pointers.size) dragged = false;
  pointers.set(event.pointerId, {x: event.clientX, y: event.clientY, startX: event.clientX, startY: event.clientY, target: event.target});
});
addEventListener("pointermove", event => {
  const pointer = pointers.get(event.pointerId);
  if (!pointer) return;
  const others = [...pointers.values()].filter(other => other !== pointer), other = others[0];
  if (Math.hypot(event.clientX - pointer.startX, event.clientY - pointer.startY) > 5) dragged = true;
  if (dragged && other) pinch(pointer, other, event);
  else if (dragged) { drawing.x += event.clientX - pointer.x; drawing.y += event.clientY - pointer.y; drawing.move(); }
  if (dragged) { pointer.x = event.clientX; pointer.y = event.clientY; }
});
for (const name of ["pointerup", "pointercancel"])
  addEventListener(name, event => {
    const pointer = pointers.get(event.pointerId);
    if (pointer && name === "pointerup" && !dragged && pointers.size === 1) tap(pointer.target, event.timeStamp);
    pointers.delete(event.pointerId);
  });

function pinch(pointer, other, event) {
  const place = canvas.getBoundingClientRect(), before = Math.hypot(pointer.x - other.x, pointer.y - other.y) || 1;
  const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
  drawing.zoom(after / before, (event.clientX + other.x) / 2 - place.left, (event.clientY + other.y) / 2 - place.top);
}

/* Once selects, twice opens or closes; the title of an open box closes it at once. */
function tap(target, time) {
  const group = target.closest("g.node, g.group"), item = group && group.item;
  const twice = item && lastTap.item === item && time - lastTap.time < 400;
  lastTap = {time, item};
  if (!item) select(null);
  else if (twice) toggle(item);
  else select(item, target.constant || item.node);
}

canvas.addEventListener("wheel", event => {
  event.preventDefault();
  const place = canvas.getBoundingClientRect();
  drawing.zoom(Math.exp(-event.deltaY / (event.ctrlKey ? 100 : 500)), event.clientX - place.left, event.clientY - place.top);
}, {passive: false});

const map = byId("map");
for (const name of ["pointerdown", "pointermove"])
  map.addEventListener(name, event => { if (event.buttons) drawing.goTo(event.offsetX, event.offsetY); });

/* ---- keys ---- */

/* The drawn item that an arrow leads to: up to operands, down to users, else the nearest beside. */
function neighbour(item, key) {
  const middle = ({box}) => box.x + box.width / 2;
  if (key === "ArrowUp" || key === "ArrowDown") {
    const ends = key === "ArrowUp" ? drawing.edges.filter(edge => edge.to === item).sort((a, b) => a.operand - b.operand).map(edge => edge.from)
        : drawing.edges.filter(edge => edge.from === item).map(edge => edge.to).sort((a, b) => Math.abs(middle(a) - middle(item)) - Math.abs(middle(b) - middle(item)));
    return ends[0];
  }
  const side = key === "ArrowRight" ? 1 : -1, {box} = item;
  return drawing.items.filter(other => !other.open && other !== item && (middle(other) - middle(item)) * side > 0 &&
      other.box.y < box.y + box.height && other.box.y + other.box.height > box.y)
    .sort((a, b) => Math.abs(middle(a) - middle(item)) - Math.abs(middle(b) - middle(item)))[0];
}

function go(key) {
  const shown = selected && model.shownFor(selected), next = shown && drawing.isDrawn(shown) ? neighbour(shown, key) : drawing.items.find(item => !item.open);
  if (!next) return;
  select(next);
  drawing.uncover(next);
}

addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input")) return;
  if (event.target.closest("button, a") && (event.key === "Enter" || event.key === " ")) return;
  const keys = {"/": () => { search.focus(); search.select(); }, "f": () => drawing.fit(), "+": () => drawing.zoom(1.25), "=": () => drawing.zoom(1.25),
    "-": () => drawing.zoom(0.8), "Escape": () => select(null), "Enter": () => { if (selected) toggle(model.shownFor(selected)); }};
  const act = event.key.startsWith("Arrow") && !event.target.closest("#panel") ? () => go(event.key) : keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

/* ---- buttons ---- */

byId("open-all").onclick = async () => { await prepared; if (!model.openMore()) say("no more to open"); else if (await arrange()) drawing.fit(true); };
byId("close-all").onclick = async () => { await prepared; model.closeAll(); if (await arrange()) drawing.fit(true); };
byId("fit").onclick = () => drawing.fit();
byId("zoom-in").onclick = () => drawing.zoom(1.25);
byId("zoom-out").onclick = () => drawing.zoom(0.8);
byId("theme").onclick = () => { document.documentElement.classList.toggle("dark"); drawing.drawMap(); };
byId("export").onclick = () => {
  const link = html("a", {href: URL.createObjectURL(new Blob([drawing.toSvg()], {type: "image/svg+xml"})), download: model.program.name + ".svg"});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};

/* ---- the start ---- */

/* Reads the program. What is pressed before waits for it. */
async function prepare() {
  layout = new Layout(await unpack("elk"));
  model = new Model(readProgram(JSON.parse(await unpack("program"))));
  panel = new Panel(byId("panel"), model);
  panel.show(null, null);
}

function followTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)"), follow = () => { document.documentElement.classList.toggle("dark", dark.matches); };
  follow();
  dark.addEventListener("change", follow);
}

async function start() {
  await prepared;
  const node = addressed(), item = node && model.itemOf(node);
  addEventListener("hashchange", followAddress);
  addEventListener("popstate", followAddress);
  addEventListener("resize", () => drawing.drawMap());
  if (item) { model.reveal(item); select(item, node, false); }
  if (await arrange()) { drawing.fit(true); if (item) drawing.center(item); }
  document.documentElement.dataset.ready = Math.round(performance.now());
}

followTheme();
const able = typeof DecompressionStream !== "undefined", prepared = able ? prepare() : new Promise(() => {});
if (able) start();
else say("this page wants a newer browser: one that has DecompressionStream");
