/* The drawing: items and edges as SVG, moved and scaled as a whole. */

const MIN_SCALE = 0.01, MAX_SCALE = 4, SMALLEST_TEXT = 0.7, FAR = 0.25, READABLE = 0.85, CORNER = 7;
const KINDS = [
  ["parameter", /^parameter$/], ["constant", /^(constant|iota|rng.*)$/],
  ["call", /^(call|fusion|while|conditional|async-.*|custom-call)$/],
  ["contraction", /^(dot|convolution|fft|cholesky|triangular-solve|ragged-dot|scaled-dot)$/],
  ["collective", /^(all-|collective-|reduce-scatter|send|recv|infeed|outfeed|partition-id|replica-id|ragged-all)/],
  ["reduction", /^(reduce|reduce-window|sort|scatter|gather|select-and-scatter|topk|scan|map|dynamic-.*)$/],
  ["movement", /^(tuple|get-tuple-element|bitcast|reshape|broadcast|transpose|copy|slice|concatenate|pad|reverse)/]];
const kindOf = opcode => (KINDS.find(([, pattern]) => pattern.test(opcode)) || ["elementwise"])[0];

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

class Drawing {
  constructor(canvas, world, map) {
    Object.assign(this, {canvas, world, map, scale: 1, x: 0, y: 0, width: 1, height: 1, edges: [], items: [], open: []});
    this.element = new Map();
  }

  /* ---- what is drawn ---- */

  show(model, {items, edges, width, height}) {
    Object.assign(this, {items, edges, width, height, open: items.filter(item => item.open)});
    this.element.clear();
    const boxes = this.items.filter(item => item.open).map(item => this.openBox(item));
    const lines = edges.map(edge => this.line(edge));
    const closed = this.items.filter(item => !item.open).map(item => this.closedBox(item, model));
    this.world.replaceChildren(...boxes, ...lines, ...closed);
    this.drawMap();
  }

  isDrawn(item) { return this.element.has(item); }

  group(item, classes, label, ...children) {
    const {x, y, width, height} = item.box;
    const group = svg("g", {class: classes, id: item.id, role: "button", "aria-label": label, transform: "translate(" + x + " " + y + ")"},
      svg("rect", {width, height, rx: item.node && !item.open ? 4 : 8}), ...children);
    group.item = item;
    this.element.set(item, group);
    return group;
  }

  openBox(item) {
    const title = titleOf(item);
    return this.group(item, (item.node ? "call " : "") + "group open", title,
      svg("text", {class: "label", x: 12, y: 22}, "\u25be " + title));
  }

  closedBox(item, model) {
    const node = item.node, middle = item.box.width / 2, opens = model.canOpen(item);
    const classes = node ? "node " + kindOf(node.opcode) + (node.computation.root === node ? " root" : "") : "group";
    const texts = item.lines.map(([kind, text, constant], i) => {
      const line = svg("text", {class: kind, x: middle, y: 18 + i * LINE, "text-anchor": "middle"}, (i === 0 && opens ? "\u25b8 " : "") + text);
      line.constant = constant;
      return line;
    });
    const tip = svg("title", {}, node ? node.text : item.label);
    const share = shareOf(item, model.program), group = this.group(item, classes, node ? node.opcode + " " + node.name : item.label + ", closed group", tip, ...texts);
    if (share > 0) {
      tip.append("\n" + percent(share) + " of the time");
      group.firstChild.style.cssText = "fill: #e5484d; fill-opacity: " + Math.sqrt(share).toFixed(3);
    }
    return group;
  }

  line(edge) {
    const path = svg("path", {class: "edge", d: rounded(edge.points), "marker-end": "url(#arrow)"});
    path.append(svg("title", {}, edge.values.slice(0, 8).map(([from, to]) => from.name + " \u2192 " + to.name + "  " + from.shape).join("\n") +
      (edge.values.length > 8 ? "\nand " + (edge.values.length - 8) + " more" : "")));
    this.element.set(edge, path);
    return path;
  }

  mark(selected) {
    for (const element of this.world.querySelectorAll(".selected, .to-operand, .to-user"))
      element.classList.remove("selected", "to-operand", "to-user");
    if (!selected) return;
    this.element.get(selected)?.classList.add("selected");
    for (const edge of this.edges) {
      if (edge.to === selected) this.raise(edge, "to-operand");
      if (edge.from === selected) this.raise(edge, "to-user");
    }
  }

  raise(edge, kind) {
    const path = this.element.get(edge);
    path.classList.add(kind);
    path.parentNode.insertBefore(path, this.world.querySelector(".node, .group:not(.open)"));
  }

  /* ---- where the view is ---- */

  get size() { const {clientWidth, clientHeight} = this.canvas; return {width: clientWidth || 1, height: clientHeight || 1}; }

  move() {
    this.world.setAttribute("transform", "translate(" + this.x + " " + this.y + ") scale(" + this.scale + ")");
    this.world.classList.toggle("far", this.scale < FAR);
    this.drawMap();
  }

  /* Larger or smaller about a point of the screen. */
  zoom(factor, x = this.size.width / 2, y = this.size.height / 2) {
    const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, this.scale * factor));
    this.x = x - (x - this.x) * scale / this.scale;
    this.y = y - (y - this.y) * scale / this.scale;
    this.scale = scale;
    this.move();
  }

  /* All of it; or, where text has to stay readable, its top. */
  fit(readable = false) {
    const {width, height} = this.size, all = Math.min(1.2, (width - 30) / this.width, (height - 30) / this.height);
    this.scale = readable && all < SMALLEST_TEXT ? READABLE : Math.max(MIN_SCALE, all);
    const tall = this.height * this.scale > height - 30;
    this.x = (width - this.width * this.scale) / 2;
    this.y = tall ? 15 : (height - this.height * this.scale) / 2;
    const wide = this.width * this.scale;
    if (wide > width) this.x = Math.max(width - 15 - wide, Math.min(15, width / 2 - this.topMiddle() * this.scale));
    this.move();
  }

  /* Where what is drawn on top has its middle. */
  topMiddle() {
    const top = this.items.filter(item => !item.open).reduce((least, item) => !least || item.box.y < least.box.y ? item : least, null);
    return top ? top.box.x + top.box.width / 2 : this.width / 2;
  }

  center(item) {
    const {width, height} = this.size, {box} = item;
    this.scale = Math.max(this.scale, READABLE);
    this.x = width / 2 - (box.x + box.width / 2) * this.scale;
    this.y = item.open && box.height * this.scale > height ? 20 - box.y * this.scale : height / 2 - (box.y + box.height / 2) * this.scale;
    this.move();
  }

  /* Moves no more than is needed to see it. */
  uncover({box}) {
    const {width, height} = this.size, pad = 30;
    const left = this.x + box.x * this.scale, top = this.y + box.y * this.scale;
    const right = left + box.width * this.scale, bottom = top + box.height * this.scale;
    if (left < pad) this.x += pad - left; else if (right > width - pad) this.x -= Math.min(right - width + pad, left - pad);
    if (top < pad) this.y += pad - top; else if (bottom > height - pad) this.y -= Math.min(bottom - height + pad, top - pad);
    this.move();
  }

  screenPointOf({box}) { return {x: this.x + (box.x + box.width / 2) * this.scale, y: this.y + box.y * this.scale}; }

  /* ---- the map in the corner ---- */

  drawMap() {
    const {width, height} = this.size, style = getComputedStyle(document.documentElement);
    const ratio = Math.min(150 / this.width, 150 / this.height), pen = this.map.getContext("2d");
    this.mapRatio = ratio;
    this.map.hidden = this.width * this.scale <= width && this.height * this.scale <= height;
    this.map.width = Math.max(20, this.width * ratio);
    this.map.height = Math.max(20, this.height * ratio);
    for (const item of this.items) {
      pen.fillStyle = style.getPropertyValue(item.open ? "--closed" : "--edge");
      pen.fillRect(item.box.x * ratio, item.box.y * ratio, Math.max(1, item.box.width * ratio), Math.max(1, item.box.height * ratio));
    }
    pen.strokeStyle = style.getPropertyValue("--selected");
    pen.strokeRect(-this.x / this.scale * ratio, -this.y / this.scale * ratio, width / this.scale * ratio, height / this.scale * ratio);
  }

  goTo(mapX, mapY) {
    const {width, height} = this.size;
    this.x = width / 2 - mapX / this.mapRatio * this.scale;
    this.y = height / 2 - mapY / this.mapRatio * this.scale;
    this.move();
  }

  /* ---- the drawing as a file ---- */

  toSvg() {
    const colors = getComputedStyle(document.documentElement);
    const rules = document.getElementById("drawing-style").textContent.replace(/var\((--[\w-]+)\)/g, (_, name) => colors.getPropertyValue(name).trim());
    const world = this.world.cloneNode(true);
    world.removeAttribute("transform");
    world.classList.remove("far");
    const box = [-10, -10, this.width + 20, this.height + 20];
    const picture = svg("svg", {viewBox: box.join(" "), width: box[2], height: box[3]}, svg("style", {}, rules),
      this.canvas.querySelector("defs").cloneNode(true),
      svg("rect", {x: box[0], y: box[1], width: box[2], height: box[3], fill: colors.getPropertyValue("--page").trim()}), world);
    return new XMLSerializer().serializeToString(picture);
  }
}

/* A path through points with round corners. */
function rounded(points) {
  if (points.length < 2) return "";
  let path = "M" + points[0].x + " " + points[0].y;
  for (let i = 1; i < points.length - 1; i++) {
    const before = points[i - 1], at = points[i], after = points[i + 1];
    const from = towards(at, before), to = towards(at, after);
    path += "L" + from.x + " " + from.y + "Q" + at.x + " " + at.y + " " + to.x + " " + to.y;
  }
  const last = points[points.length - 1];
  return path + "L" + last.x + " " + last.y;
}

/* The point a corner's radius away from another, half way where they are near. */
function towards(from, to) {
  const distance = Math.hypot(to.x - from.x, to.y - from.y) || 1, part = Math.min(CORNER, distance / 2) / distance;
  return {x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part};
}
