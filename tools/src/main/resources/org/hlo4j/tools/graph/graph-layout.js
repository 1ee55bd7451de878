/* Where items and edges are: asked of the Eclipse Layout Kernel, which runs in a worker. */

const MAX_PORTS = 6, SUPERSEDED = "superseded";
const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "DOWN",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.json.shapeCoords": "ROOT",
  "elk.json.edgeCoords": "ROOT",
  "elk.spacing.nodeNode": "26",
  "elk.spacing.edgeNode": "14",
  "elk.spacing.edgeEdge": "10",
  "elk.spacing.componentComponent": "30",
  "elk.layered.spacing.nodeNodeBetweenLayers": "34",
  "elk.layered.spacing.edgeNodeBetweenLayers": "12",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "9",
};

/*
 * How much is done for a fine drawing of so many boxes and edges, at most, and for how long. The time
 * of the first, the straightest, grows with the square of the size. What fails is tried again with less.
 */
const EFFORTS = [
  {most: 150, seconds: 5, options: {"elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX"}},
  {most: 900, seconds: 20, options: {"elk.layered.nodePlacement.strategy": "BRANDES_KOEPF", "elk.layered.thoroughness": "3"}},
  {most: Infinity, seconds: 60, options: {"elk.layered.nodePlacement.strategy": "BRANDES_KOEPF", "elk.layered.thoroughness": "1",
    "elk.layered.layering.strategy": "LONGEST_PATH"}},
];

class Layout {
  constructor(source) {
    this.url = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
    this.worker = null;
    this.asked = 0;
    this.reject = null;
  }

  get isBusy() { return this.reject !== null; }

  /* The graph with x and y; a question in flight is given up for a new one. */
  run(graph, seconds) {
    if (this.reject) this.stop(SUPERSEDED);
    if (!this.worker) {
      this.worker = new Worker(this.url);
      this.worker.postMessage({id: 0, cmd: "register", algorithms: ["layered"]});
    }
    const id = ++this.asked;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.stop("took more than " + seconds + " s"), seconds * 1000);
      this.reject = reason => { clearTimeout(timer); this.reject = null; reject(new Error(reason)); };
      this.worker.onerror = event => this.stop(event.message || "failed");
      this.worker.onmessage = ({data}) => {
        if (data.id !== id) return;
        if (data.error) { this.reject(data.error.message || String(data.error)); return; }
        clearTimeout(timer);
        this.reject = null;
        resolve(data.data);
      };
      this.worker.postMessage({id, cmd: "layout", graph, layoutOptions: {}, options: {}});
    });
  }

  stop(reason) {
    this.worker.terminate();
    this.worker = null;
    this.reject(reason);
  }
}

/* ---- from the model to the library and back ---- */

const pen = document.createElement("canvas").getContext("2d");
function widthOf(text, font) { pen.font = font; return pen.measureText(text).width; }
function cut(text, most) { return text.length <= most ? text : text.slice(0, most - 1) + "\u2026"; }

/* The lines in the box of an item: [class, text]. */
function linesOf(item, model) {
  const node = item.node;
  if (!node) return [["label", cut(item.label, 40)], ["more", counted(item.size, "instruction")], ...contentsOf(item)];
  const lines = [["opcode", node.opcode + callsOf(node, model)], ["name", cut(node.name, 40)], ["shape", cut(node.shape, 40)]];
  const how = movementOf(node);
  if (how) lines.push(["shape", cut(how, 40)]);
  node.operands.forEach((operand, position) => {
    const constant = node.computation.nodes[operand];
    if (constant.value && lines.length < 9) lines.push(["value", position + ": " + cut(constant.value, 24) + (constant.opcode === "broadcast" ? " everywhere" : ""), constant]);
  });
  return lines;
}

/* Which dimensions, or which part, a movement op takes; of a broadcast of a scalar, none. */
function movementOf(node) {
  const attribute = /\), (?:dimensions|iota_dimension|slice|padding|dynamic_slice_sizes|slice_sizes)=(\{[^{}]*\}|[^ ,]+)/;
  const moves = ["movement", "constant"].includes(kindOf(node.opcode)) || /^(dynamic-slice|gather)$/.test(node.opcode);
  const found = moves && !node.value && node.text.match(attribute);
  return found && found[1] !== "{}" ? found[0].slice(3) : "";
}

/* What is most in a group. */
function contentsOf(item) {
  const counts = [...opcodesIn(item)].sort((a, b) => b[1] - a[1]).slice(0, 3);
  return counts.length ? [["name", cut(counts.map(([opcode, count]) => count + " " + opcode).join(", "), 44)]] : [];
}

function opcodesIn(item, counts = new Map()) {
  if (item.node) counts.set(item.node.opcode, (counts.get(item.node.opcode) || 0) + 1);
  else for (const child of item.children || []) opcodesIn(child, counts);
  return counts;
}

/* What a call does in a word: the op of a reduction, else how much is in it. */
function callsOf(node, model) {
  if (!node.calls.length) return "";
  const called = node.calls.map(number => model.program.computations[number]);
  const small = called.length === 1 && called[0].nodes.length <= 3 && called[0].root;
  return small && node.opcode !== "fusion" ? " " + called[0].root.opcode : " (" + called.reduce((sum, c) => sum + c.nodes.length, 0) + ")";
}

const FONTS = {opcode: "600 13px system-ui, sans-serif", label: "600 13px system-ui, sans-serif",
  shape: "11.5px ui-monospace, monospace", value: "11.5px ui-monospace, monospace"};
const LINE = 16;

function sizeOf(item, model) {
  item.lines = linesOf(item, model);
  const wide = Math.max(...item.lines.map(([kind, text]) => widthOf(text, FONTS[kind] || "12px system-ui, sans-serif")));
  return {width: Math.ceil(Math.max(80, wide + 22)), height: item.lines.length * LINE + 10};
}

function graphOf(edges, model, options) {
  const inputs = new Map(edges.map(edge => [edge.to, []]));
  for (const edge of edges) inputs.get(edge.to).push(edge);
  const toElk = item => item.open ? openBox(item) : closedBox(item, inputs.get(item) || []);
  const openBox = item => ({id: item.id, children: model.childrenOf(item).map(toElk),
    layoutOptions: {...options, "elk.padding": "[top=36,left=16,bottom=16,right=16]",
      "elk.nodeSize.constraints": "MINIMUM_SIZE", "elk.nodeSize.minimum": "(" + (widthOf(titleOf(item), FONTS.label) + 30) + ",50)"}});
  const closedBox = (item, ins) => {
    const box = {id: item.id, ...sizeOf(item, model)};
    if (!item.node) return box;
    box.ports = [{id: item.id + "out", layoutOptions: {"elk.port.side": "SOUTH", "elk.port.index": "0"}}];
    // Operands from left to right; many share one port.
    for (const edge of ins) edge.port = item.id + "in" + (ins.length <= MAX_PORTS ? edge.from.id : "");
    const ports = new Set(ins.sort((a, b) => a.operand - b.operand).map(edge => edge.port));
    [...ports].forEach((id, i) => box.ports.push({id, layoutOptions: {"elk.port.side": "NORTH", "elk.port.index": String(i)}}));
    box.layoutOptions = {"elk.portConstraints": "FIXED_ORDER"};
    return box;
  };
  const children = model.childrenOf(model.root).map(toElk);
  const output = item => item.node && !item.open ? item.id + "out" : item.id;
  return {id: "root", layoutOptions: options, children,
    edges: edges.map(edge => ({id: edge.id, sources: [output(edge.from)], targets: [edge.port || edge.to.id]}))};
}

function titleOf(item) {
  return item.node ? item.node.opcode + "  " + cut(item.node.name, 40) : cut(item.label, 60) + "  (" + item.size + ")";
}

/* Lays out what is open: the items, with boxes, and the edges, with points. */
async function layOut(layout, model) {
  const items = model.visible(), edges = model.edges();
  const laid = await tryAll(layout, options => graphOf(edges, model, {...OPTIONS, ...options}), items.length + edges.length);
  const itemById = new Map(items.map(item => [item.id, item])), edgeById = new Map(edges.map(edge => [edge.id, edge]));
  const take = box => {
    const item = itemById.get(box.id);
    if (item) item.box = {x: box.x, y: box.y, width: box.width, height: box.height};
    for (const edge of box.edges || []) {
      const section = (edge.sections || [])[0];
      edgeById.get(edge.id).points = section ? [section.startPoint, ...(section.bendPoints || []), section.endPoint] : [];
    }
    (box.children || []).forEach(take);
  };
  take(laid);
  return {items, edges, width: laid.width, height: laid.height};
}

/* The first layout that comes to an end, of the efforts for this size. */
async function tryAll(layout, graph, size) {
  let last;
  for (const {options, seconds} of EFFORTS.filter(({most}) => size <= most)) {
    try {
      return await layout.run(graph(options), seconds);
    } catch (failure) {
      if (failure.message === SUPERSEDED) throw failure;
      last = failure;
    }
  }
  throw last;
}
