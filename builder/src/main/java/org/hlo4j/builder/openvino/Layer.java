package org.hlo4j.builder.openvino;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;

/**
 * A layer in the XML file.
 *
 * @param element its XML element
 * @param type its type in lower case: types are matched without regard to case
 * @param opset the opset of its op
 * @param data its attributes
 * @param inputs its input ports
 * @param outputs its output ports
 */
record Layer(
    Element element,
    String type,
    int opset,
    ImmutableMap<String, String> data,
    ImmutableList<Port> inputs,
    ImmutableList<Port> outputs) {
  static final int NEWEST_OPSET = 17;

  /**
   * An input or output port.
   *
   * @param id its number in the layer
   * @param sizes the sizes written
   * @param elementType the element type written
   */
  record Port(long id, Dims sizes, Optional<ElementType> elementType) {
    private static Port of(Element port) {
      port.requireOnly(Set.of("id", "precision", "names"), Set.of("dim", "rt_info"));
      List<Long> sizes =
          port.all("dim").stream().map(dim -> Types.size(dim, dim.required("size"))).toList();
      Optional<ElementType> type =
          Optional.ofNullable(port.attributes().get("precision")).map(Types::precision);
      return new Port(port.number("id"), Dims.copyOf(sizes), type);
    }
  }

  /** Reads a layer of a net, in which all parts are required. */
  static Layer ofNet(Element layer) {
    layer.number("id");
    layer.required("name");
    layer.required("version");
    return of(layer);
  }

  /** Reads a layer of a net, or of a document, in which most parts are optional. */
  static Layer of(Element layer) {
    return explained(
        layer,
        () -> {
          layer.requireOnly(
              Set.of("id", "name", "type", "version"),
              Set.of("data", "input", "output", "rt_info"));
          ImmutableMap<String, String> data =
              layer.child("data").map(Element::attributes).orElse(ImmutableMap.of());
          layer.child("data").ifPresent(d -> d.requireOnly(d.attributes().keySet(), Set.of()));
          return new Layer(
              layer,
              Ascii.toLowerCase(layer.required("type")),
              opset(layer),
              data,
              ports(layer, "input"),
              ports(layer, "output"));
        });
  }

  private static int opset(Element layer) {
    String version = layer.attributes().getOrDefault("version", "opset3");
    boolean known = version.matches("opset([1-9]|1[0-7])");
    require(known, "", "version got %s, want opset1 to opset%s", version, NEWEST_OPSET);
    return Integer.parseInt(version.substring("opset".length()));
  }

  private static ImmutableList<Port> ports(Element layer, String side) {
    return layer.child(side).stream()
        .peek(ports -> ports.requireOnly(Set.of(), Set.of("port")))
        .flatMap(ports -> ports.children().stream())
        .map(Port::of)
        .collect(toImmutableList());
  }

  /** Refuses attributes that this type of layer does not have. */
  void requireAttributes(String... known) {
    for (String attribute : data.keySet()) {
      require(
          Set.of(known).contains(attribute),
          "",
          "attribute got %s, want one of %s",
          attribute,
          List.of(known));
    }
  }

  String attribute(String name, String otherwise) {
    return data.getOrDefault(name, otherwise);
  }

  String requiredAttribute(String name) {
    require(data.containsKey(name), "", "attribute %s got nothing, want a value", name);
    return attribute(name, "");
  }

  /** Prefixes an exception with the layer that it is about. */
  <T> T explained(Supplier<T> work) {
    return explained(element, work);
  }

  private static <T> T explained(Element layer, Supplier<T> work) {
    try {
      return work.get();
    } catch (HloException refusal) {
      String name = layer.attributes().getOrDefault("name", "");
      String type = layer.attributes().getOrDefault("type", "of no type");
      throw refusal.prefixed(
          "layer " + type + (name.isEmpty() ? "" : " " + name) + " (line " + layer.line() + "): ");
    }
  }
}
