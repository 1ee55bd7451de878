/* The panel: all that is known of what is selected. Text is set as text, never as markup. */

const MAX_LINKS = 100;

function html(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

class Panel {
  constructor(element, model) {
    Object.assign(this, {element, model});
  }

  link(node, text = node.name) {
    return html("a", {href: "#" + encodeURIComponent(addressOf(node, this.model.program))}, text);
  }

  links(title, nodes, prefix = () => "") {
    if (!nodes.length) return [];
    const list = html("ul", {}, ...nodes.slice(0, MAX_LINKS).map((node, i) =>
      html("li", {}, prefix(i), this.link(node), " ", html("code", {}, node.value && node.opcode !== "parameter" ? node.value + " " + node.shape : node.shape))));
    if (nodes.length > MAX_LINKS) list.append(html("li", {}, "and " + (nodes.length - MAX_LINKS) + " more"));
    return [html("h3", {}, title + " (" + nodes.length + ")"), list];
  }

  facts(pairs) {
    const list = html("dl", {});
    for (const [name, value] of pairs) if (value && (value.nodeType || value.length)) list.append(html("dt", {}, name), html("dd", {}, value));
    return list;
  }

  show(item, node) {
    if (node) this.element.replaceChildren(...this.node(item, node));
    else if (item) this.element.replaceChildren(...this.group(item));
    else this.element.replaceChildren(...this.overview());
    this.element.scrollTop = 0;
  }

  opener(item) {
    if (!item || !this.model.canOpen(item)) return [];
    const button = html("button", {}, item.open ? "Close" : "Open");
    button.onclick = () => toggle(item);
    return [html("p", {}, button)];
  }

  node(item, node) {
    const nodes = node.computation.nodes, attributes = attributesOf(node.text);
    const shape = /^(?:ROOT )?%?\S+ = (\((?:[^()]|\([^()]*\))*\)|\S+)/.exec(node.text);
    return [
      html("h2", {}, node.name), html("p", {}, node.opcode + (node.computation.root === node ? ", the root" : "")),
      ...this.opener(item && item.node === node ? item : null),
      this.facts([
        ["shape", html("code", {}, node.shape)], ["with layout", html("code", {}, shape ? shape[1] : node.shape)],
        ["value", node.opcode === "parameter" ? "" : node.value], ["computation", this.computation(node.computation)],
        ["op_name", node.scope], ["time", item && shareOf(item, this.model.program) > 0 ? percent(shareOf(item, this.model.program)) : ""], ["source", sourceLink(node)],
        ...attributes.filter(([name]) => name !== "metadata").map(([name, value]) => [name, html("code", {}, value)])]),
      ...this.links("Operands", node.operands.map(place => nodes[place]), i => i + ": "),
      ...this.links("Users", node.users.map(place => nodes[place])),
      ...this.links("Calls: their roots", node.calls.map(number => this.model.program.computations[number].root), i => this.model.program.computations[node.calls[i]].name + ": "),
      html("h3", {}, "Text"), html("pre", {}, node.text)];
  }

  computation(computation) {
    const part = html("span", {}, computation.name + (computation.entry ? " (entry)" : ""));
    if (computation.caller) part.append(", called by ", this.link(computation.caller));
    return part;
  }

  group(item) {
    const inside = [];
    const add = inner => { if (inner.node) inside.push(inner.node); else (inner.children || []).forEach(add); };
    add(item);
    const places = new Set(inside), nodesOf = node => node.computation.nodes;
    const inputs = [...new Set(inside.flatMap(node => node.operands.map(place => nodesOf(node)[place])))].filter(node => !places.has(node) && !node.value);
    const outputs = inside.filter(node => node.users.some(place => !places.has(nodesOf(node)[place])));
    return [html("h2", {}, item.label), html("p", {}, "a group of " + item.size + " instructions"), ...this.opener(item),
      this.facts([...opcodesIn(item)].sort((a, b) => b[1] - a[1]).slice(0, 12).map(([opcode, count]) => [opcode, String(count)])),
      ...this.links("Comes in", inputs), ...this.links("Goes out", outputs)];
  }

  overview() {
    const {program} = this.model, keys = [["arrows", "along edges, and to the left and right"], ["Enter", "open or close"], ["/", "search"],
      ["Esc", "select nothing"], ["f", "all of it"], ["+ -", "larger, smaller"]];
    const results = program.entry.nodes.filter(node => node.opcode === "parameter");
    return [html("h2", {}, program.name), html("p", {}, counted(program.total, "instruction") + " in " + counted(program.computations.length, "computation")),
      html("p", {}, "Click a node for all about it. A box with \u25b8 opens by a double click: a scope of op_name, a part of the program, or what an instruction calls. Small constants, and parameters where there are many, are in the boxes of their users."),
      this.facts(keys.map(([key, what]) => [key, what])),
      ...this.links("Parameters", results), ...this.links("Result", [program.entry.root])];
  }
}

/* vscode opens the file at the line; a path that is not absolute is only told. */
function sourceLink({file, line}) {
  if (!file) return "";
  const text = file + (line ? ":" + line : "");
  const absolute = /^([A-Za-z]:[\\/]|\/)/.test(file);
  return absolute ? html("a", {href: "vscode://file/" + encodeURI(text.replace(/\\/g, "/").replace(/^\//, "")).replace(/[?#]/g, encodeURIComponent)}, text) : text;
}

/* [[name, value]] of what stands behind the operands: name=value, parted by commas outside of brackets and quotes. */
function attributesOf(text) {
  const attributes = [], open = text.indexOf("(", text.indexOf(" = ") + 3 + shapeLength(text));
  let depth = 0, quoted = false, begin = -1;
  for (let i = open; i >= 0 && i < text.length; i++) {
    const c = text[i];
    if (quoted) { if (c === "\\") i++; else if (c === '"') quoted = false; continue; }
    if (c === '"') quoted = true;
    else if ("([{".includes(c)) depth++;
    else if (")]}".includes(c)) depth--;
    else if (c === "," && depth === 0) { add(begin, i); begin = i + 1; }
  }
  if (begin >= 0) add(begin, text.length);
  function add(from, to) {
    if (from < 0) return;
    const part = text.slice(from, to).trim(), equals = part.indexOf("=");
    if (equals > 0) attributes.push([part.slice(0, equals), part.slice(equals + 1)]);
  }
  return attributes;
}

/* A tuple's shape begins with a bracket of its own. */
function shapeLength(text) {
  const begin = text.indexOf(" = ") + 3;
  if (text[begin] !== "(") return 0;
  let depth = 0;
  for (let i = begin; i < text.length; i++) {
    if (text[i] === "(") depth++;
    if (text[i] === ")" && --depth === 0) return i + 1 - begin;
  }
  return 0;
}
