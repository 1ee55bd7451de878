package org.hlo4j.builder.openvino;

import static org.hlo4j.hlo.HloException.require;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;

/** A net: its layers, connected by its edges. */
final class Net {
  /** One end of an edge. */
  private record End(long layer, long port) {}

  private final Element net;
  private final byte[] weights;
  private final XlaBuilder builder;
  private final Map<Long, Layer> layers = new LinkedHashMap<>();
  private final Map<End, End> sources = new LinkedHashMap<>();
  private final Map<Long, Input> values = new TreeMap<>();
  private final List<XlaOp> results = new ArrayList<>();
  private int parameters;

  Net(Element net, byte[] weights) {
    require(net.name().equals("net"), "", "readNet: got <%s>, want <net>", net.name());
    require(weights != null, "", "readNet: weights are null, want bytes, none if there are none");
    this.net = net;
    this.weights = weights;
    this.builder = new XlaBuilder(net.attributes().getOrDefault("name", "net"));
  }

  HloModule build() {
    net.requireOnly(Set.of("name", "version"), Set.of("layers", "edges", "meta_data", "rt_info"));
    long version = net.number("version");
    require(version == 10 || version == 11, "", "readNet: version got %s, want 10 or 11", version);
    net.child("layers").ifPresent(this::readLayers);
    net.child("edges").ifPresent(this::readEdges);
    order().forEach(this::add);
    require(!results.isEmpty(), "", "readNet: layers Result got none, want one at least");
    return builder.build(results.size() == 1 ? results.get(0) : builder.tuple(results));
  }

  private void readLayers(Element all) {
    all.requireOnly(Set.of(), Set.of("layer"));
    for (Element element : all.children()) {
      Layer layer = Layer.ofNet(element);
      long id = element.number("id");
      require(
          layers.put(id, layer) == null,
          "",
          "line %s: id of a layer got %s, which another has, want another",
          element.line(),
          id);
      layer.explained(() -> requireDistinctPorts(layer));
    }
  }

  private static Layer requireDistinctPorts(Layer layer) {
    Set<Long> ids = new TreeSet<>();
    List<Layer.Port> ports = new ArrayList<>(layer.inputs());
    ports.addAll(layer.outputs());
    for (Layer.Port port : ports) {
      require(ids.add(port.id()), "", "id of a port got %s, twice, want another", port.id());
    }
    return layer;
  }

  private void readEdges(Element all) {
    all.requireOnly(Set.of(), Set.of("edge"));
    for (Element edge : all.children()) {
      edge.requireOnly(Set.of("from-layer", "from-port", "to-layer", "to-port"), Set.of());
      End from = end(edge, "from");
      End to = end(edge, "to");
      requirePort(edge, from, layer(edge, from).outputs());
      requirePort(edge, to, layer(edge, to).inputs());
      require(
          sources.put(to, from) == null,
          "",
          "line %s: edge to port %s of layer %s got a second one, want one",
          edge.line(),
          to.port(),
          to.layer());
    }
  }

  private static End end(Element edge, String side) {
    return new End(edge.number(side + "-layer"), edge.number(side + "-port"));
  }

  private Layer layer(Element edge, End end) {
    require(
        layers.containsKey(end.layer()),
        "",
        "line %s: edge got layer %s, want one there is",
        edge.line(),
        end.layer());
    return Objects.requireNonNull(layers.get(end.layer()));
  }

  private static void requirePort(Element edge, End end, List<Layer.Port> ports) {
    require(
        ports.stream().anyMatch(port -> port.id() == end.port()),
        "",
        "line %s: edge got port %s of layer %s, want one of %s",
        edge.line(),
        end.port(),
        end.layer(),
        ports.stream().map(Layer.Port::id).toList());
  }

  /** Returns the layers in topological order, otherwise in file order. */
  private List<Layer> order() {
    Map<Long, Integer> missing = new LinkedHashMap<>();
    Map<Long, List<Long>> users = new LinkedHashMap<>();
    layers.keySet().forEach(id -> missing.put(id, 0));
    sources.forEach((to, from) -> {
      missing.merge(to.layer(), 1, Integer::sum);
      users.computeIfAbsent(from.layer(), id -> new ArrayList<>()).add(to.layer());
    });
    Deque<Long> ready = new ArrayDeque<>();
    missing.forEach((id, count) -> {
      if (count == 0) {
        ready.add(id);
      }
    });
    List<Layer> order = new ArrayList<>();
    while (!ready.isEmpty()) {
      long id = ready.remove();
      order.add(layers.get(id));
      for (long user : users.getOrDefault(id, List.of())) {
        if (missing.merge(user, -1, Integer::sum) == 0) {
          ready.add(user);
        }
      }
    }
    require(order.size() == layers.size(), "", "readNet: edges got a cycle, want none");
    return order;
  }

  private void add(Layer layer) {
    long id = layer.element().number("id");
    switch (layer.type()) {
      case "parameter" -> values.put(id, layer.explained(() -> Input.of(parameter(layer))));
      case "const" -> values.put(id, layer.explained(() -> Input.of(builder, constant(layer))));
      case "result" -> results.add(layer.explained(() -> result(layer, id)));
      default -> values.put(id, Input.of(OpenVinoIr.value(layer, inputs(layer, id))));
    }
  }

  private List<Input> inputs(Layer layer, long id) {
    return layer.explained(() -> {
      List<Input> inputs = new ArrayList<>();
      for (Layer.Port port : layer.inputs()) {
        End to = new End(id, port.id());
        require(sources.containsKey(to), "", "input port %s got no edge, want one", port.id());
        End from = Objects.requireNonNull(sources.get(to));
        inputs.add(Objects.requireNonNull(values.get(from.layer())));
      }
      return inputs;
    });
  }

  private XlaOp parameter(Layer layer) {
    layer.requireAttributes("element_type", "shape");
    Shape.Array shape = shape(layer);
    requireNoInputs(layer, shape);
    return builder.parameter(parameters++, shape, layer.element().required("name"));
  }

  private XlaOp result(Layer layer, long id) {
    layer.requireAttributes();
    List<Input> inputs = inputs(layer, id);
    require(inputs.size() == 1, "", "input ports got %s, want 1", inputs.size());
    require(
        layer.outputs().isEmpty(), "", "output ports got %s, want none", layer.outputs().size());
    OpenVinoIr.requireWritten("input", layer.inputs().get(0), inputs.get(0).shape());
    return inputs.get(0).op();
  }

  private static Shape.Array shape(Layer layer) {
    ElementType type = Types.named(layer.requiredAttribute("element_type"));
    return Shape.of(type, Types.sizes(layer.element(), layer.requiredAttribute("shape")));
  }

  private static void requireNoInputs(Layer layer, Shape.Array shape) {
    require(layer.inputs().isEmpty(), "", "input ports got %s, want none", layer.inputs().size());
    require(layer.outputs().size() == 1, "", "output ports got %s, want 1", layer.outputs().size());
    OpenVinoIr.requireWritten("output", layer.outputs().get(0), shape);
  }

  /** Reads little-endian, row-major elements from the weights file. */
  private Literal constant(Layer layer) {
    layer.requireAttributes("element_type", "shape", "offset", "size");
    Shape.Array shape = shape(layer);
    requireNoInputs(layer, shape);
    long offset = layer.element().number(layer.requiredAttribute("offset"), "offset");
    long size = layer.element().number(layer.requiredAttribute("size"), "size");
    int width = Math.max(8, shape.elementType().bits()) / 8;
    require(
        offset >= 0 && size >= 0 && size <= weights.length && offset <= weights.length - size,
        "",
        "offset and size got %s and %s, want them within the %s bytes of the weights",
        offset,
        size,
        weights.length);
    require(
        shape.elementCount() <= size && shape.elementCount() * width == size,
        "",
        "size got %s, want %s bytes for each element of %s",
        size,
        width,
        shape);
    LiteralBuilder literal = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      literal.setBits(i, bits((int) offset + i * width, width, shape.elementType()));
    }
    return literal.build();
  }

  private long bits(int from, int width, ElementType type) {
    long bits = 0;
    for (int i = width - 1; i >= 0; i--) {
      bits = (bits << 8) | (weights[from + i] & 0xff);
    }
    return type == ElementType.PRED && bits != 0 ? 1 : bits;
  }
}
