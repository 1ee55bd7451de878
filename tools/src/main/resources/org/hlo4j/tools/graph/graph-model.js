/* The program, the items that can be drawn, and which of them are open. */

const counted = (number, what) => number + " " + what + (number === 1 ? "" : what.endsWith("x") ? "es" : "s");

/* ---- the program, as GraphJson writes it ---- */

async function unpack(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

function readProgram(json) {
  const computations = json.computations.map(({name, entry, root, nodes, items}) => {
    const computation = {name, entry, items, caller: null};
    computation.nodes = nodes.map(([name, opcode, shape, operands, calls, text, scope, file, line, value, share = 0], place) =>
      ({name, opcode, shape, operands, calls, text, scope, file, line, value, share, place, users: [], computation}));
    for (const node of computation.nodes)
      for (const operand of new Set(node.operands)) computation.nodes[operand].users.push(node.place);
    computation.root = computation.nodes[root];
    return computation;
  });
  const program = {name: json.name, computations, entry: computations.find(c => c.entry), byName: new Map()};
  program.total = computations.reduce((sum, c) => sum + c.nodes.length, 0);
  findCallers(program);
  for (const computation of [program.entry, ...computations])
    for (const node of computation.nodes) {
      if (!program.byName.has(node.name)) program.byName.set(node.name, node);
      program.byName.set(computation.name + "/" + node.name, node);
    }
  return program;
}

/* The call nearest to the entry by which each computation is reached. */
function findCallers(program) {
  const queue = [program.entry], seen = new Set(queue);
  for (const computation of queue)
    for (const node of computation.nodes)
      for (const number of node.calls) {
        const called = program.computations[number];
        if (seen.has(called)) continue;
        seen.add(called);
        called.caller = node;
        queue.push(called);
      }
}

/* The part of a profile's time that an item has with all that is in it, which counts where it is first called. */
function shareOf(item, program) {
  const inside = computation => computation.nodes.reduce((sum, node) => sum + ofNode(node), 0);
  const ofNode = node => node.share + node.calls.map(number => program.computations[number])
    .filter(called => called.caller === node).reduce((sum, called) => sum + inside(called), 0);
  if (item.node) return ofNode(item.node);
  return item.computation ? inside(item.computation) : item.children.reduce((sum, child) => sum + shareOf(child, program), 0);
}

const percent = share => (100 * share).toFixed(1) + " %";

/* The name in the page's address: alone where it is the first of that name. */
function addressOf(node, program) {
  return program.byName.get(node.name) === node ? node.name : node.computation.name + "/" + node.name;
}

/* ---- items: nodes, groups of them, computations ---- */

const MAX_FIRST = 60, MAX_DRAWN = 1200;
const numberOfItems = {next: 0};

/*
 * An item has a label or a node. The frame of an item is where its nodes belong: one computation as
 * it is called from one place; the frame of a computation's items knows the item of each node.
 */
function newItem(parent, frame, fields) {
  return {id: "i" + numberOfItems.next++, parent, frame, open: false, label: "", node: null, children: null, ...fields};
}

function newFrame(parent, computation) {
  const frame = {computation, itemOf: new Map()};
  frame.items = computation.items.map(item => itemFrom(item, parent, frame));
  return frame;
}

function itemFrom(written, parent, frame) {
  if (typeof written === "number") {
    const item = newItem(parent, frame, {node: frame.computation.nodes[written], size: 1});
    frame.itemOf.set(written, item);
    return item;
  }
  const group = newItem(parent, frame, {label: written[0]});
  group.children = written[1].map(inner => itemFrom(inner, group, frame));
  group.size = group.children.reduce((sum, child) => sum + child.size, 0);
  return group;
}

/* What a called computation is to its caller, as the text has it: "condition: ", "body: ". */
function roleOf(caller, computation) {
  const attribute = attributesOf(caller.text).find(([, value]) => value.split(/[{}, ]+/).includes("%" + computation.name));
  return attribute ? attribute[0] + ": " : "";
}

class Model {
  constructor(program) {
    this.program = program;
    this.root = newItem(null, null, {open: true, label: program.name});
    this.entryFrame = newFrame(this.root, program.entry);
    this.root.children = this.entryFrame.items.slice();
    for (const computation of program.computations)
      if (!computation.entry && !computation.caller)
        this.root.children.push(newItem(this.root, null, {label: "not called: " + computation.name, computation, size: computation.nodes.length}));
    this.openFirst();
  }

  canOpen(item) {
    return item.children !== null || item.computation !== undefined || (item.node !== null && item.node.calls.length > 0);
  }

  /* The items in an item; those of called computations are made when they are first asked for. */
  childrenOf(item) {
    if (item.children) return item.children;
    if (item.computation) {
      item.inner = newFrame(item, item.computation);
      item.children = item.inner.items;
    } else if (item.node && item.node.calls.length === 1) {
      item.inner = newFrame(item, this.program.computations[item.node.calls[0]]);
      item.children = item.inner.items;
    } else if (item.node && item.node.calls.length > 1) {
      item.children = item.node.calls.map(number => {
        const computation = this.program.computations[number];
        return newItem(item, item.frame, {label: roleOf(item.node, computation) + computation.name, computation, size: computation.nodes.length});
      });
    }
    return item.children || [];
  }

  /* What is drawn, outside before inside; not the root. */
  visible() {
    const all = [];
    const add = item => { for (const child of this.childrenOf(item)) { all.push(child); if (child.open) add(child); } };
    add(this.root);
    return all;
  }

  leaves() { return this.visible().filter(item => !item.open); }

  /* Opens groups level by level, then calls, as long as no more than that many leaves are there. */
  openFirst() {
    while (this.openLevel(MAX_FIRST, item => item.node === null && item.children !== null)) { /* next level */ }
    while (this.openLevel(MAX_FIRST, item => this.isWorthOpening(item))) { /* next level */ }
  }

  openLevel(most, wanted) {
    const leaves = this.leaves(), closed = leaves.filter(item => this.canOpen(item) && wanted(item));
    const more = closed.reduce((sum, item) => sum + this.childrenOf(item).length - 1, 0);
    if (!closed.length || leaves.length + more > most) return false;
    for (const item of closed) item.open = true;
    return true;
  }

  /* Not the sum of a reduction. */
  isWorthOpening(item) {
    if (!item.node) return item.children !== null || item.computation !== undefined;
    return item.node.calls.some(number => this.program.computations[number].nodes.length > 4);
  }

  /* Opens one more level, or of it what there is room for. */
  openMore() {
    if (this.openLevel(MAX_DRAWN / 2, item => this.isWorthOpening(item))) return true;
    let room = MAX_DRAWN / 2 - this.leaves().length, any = false;
    for (const item of this.leaves().filter(item => this.canOpen(item) && this.isWorthOpening(item))) {
      room -= this.childrenOf(item).length - 1;
      if (room < 0) break;
      item.open = any = true;
    }
    return any;
  }

  closeAll() {
    this.openOnly([]);
    this.openFirst();
  }

  openOnly(items) {
    const close = item => { for (const child of item.children || []) { child.open = false; close(child); } };
    close(this.root);
    for (const item of items) item.open = true;
  }

  hasRoomFor(item) { return this.visible().length + this.childrenOf(item).length <= MAX_DRAWN; }

  /* The frame in which a computation is reached from the entry, made on the way. */
  frameOf(computation) {
    if (computation.entry) return this.entryFrame;
    const caller = computation.caller;
    let item = caller ? this.frameOf(caller.computation).itemOf.get(caller.place)
        : this.root.children.find(child => child.computation === computation);
    this.childrenOf(item);
    if (!item.inner) item = item.children.find(child => child.computation === computation);
    this.childrenOf(item);
    return item.inner;
  }

  /* The item of a node; of a constant drawn in its users, the first of these. */
  itemOf(node) {
    const frame = this.frameOf(node.computation), seen = new Set();
    let at = node;
    while (at && !frame.itemOf.has(at.place) && !seen.has(at)) {
      seen.add(at);
      at = frame.computation.nodes[at.users[0]];
    }
    return at ? frame.itemOf.get(at.place) : null;
  }

  /* Opens all that an item is in. */
  reveal(item) { for (let outer = item.parent; outer; outer = outer.parent) outer.open = true; }

  /* The item that stands for another: itself, or the outermost closed one that it is in. */
  shownFor(item) {
    let shown = item;
    for (let outer = item.parent; outer; outer = outer.parent) if (!outer.open) shown = outer;
    return shown;
  }

  /*
   * Edges between what is drawn: {from, to, values: [[operand, user]], operand: its first position}.
   * Edges of one computation run between items of one frame.
   */
  edges() {
    const frames = new Set(this.visible().map(item => item.frame).filter(frame => frame)), edges = new Map();
    for (const frame of frames)
      for (const [place, item] of frame.itemOf) {
        const to = this.shownFor(item), node = frame.computation.nodes[place];
        node.operands.forEach((operand, position) => {
          const from = frame.itemOf.has(operand) ? this.shownFor(frame.itemOf.get(operand)) : null;
          if (!from || from === to) return;
          const key = from.id + " " + to.id;
          if (!edges.has(key)) edges.set(key, {id: "e" + key, from, to, operand: position, values: []});
          edges.get(key).values.push([frame.computation.nodes[operand], node]);
        });
      }
    return [...edges.values()];
  }
}
