package org.hlo4j.builder.openvino;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.broadcast.BroadcastMode;
import org.hlo4j.builder.broadcast.Broadcasts;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;

/**
 * A reader of OpenVINO's IR, versions 10 and 11: small nets of Parameter, Const, Result, the
 * element-wise layers, Select, PReLU and Broadcast; and single layers as OpenVINO's documents show
 * them.
 *
 * <p>Element-wise are Add, Subtract, Multiply, Divide, Maximum, Minimum, Mod, FloorMod,
 * SquaredDifference, Power, Atan2, Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual,
 * LogicalAnd, -Or and -Xor, BitwiseAnd, -Or, -Xor, -LeftShift and -RightShift. They broadcast as
 * their attributes specify, see {@link org.hlo4j.builder.broadcast.BroadcastPolicies}.
 *
 * <p>Shapes are inferred, and the written shape of each output is compared with them. Unknown
 * layers, opsets, attributes and elements are refused. The XML is treated as untrusted: document
 * types, entities and processing instructions are refused, and so are very large or deeply nested
 * files.
 */
public final class OpenVinoIr {
  private OpenVinoIr() {}

  /**
   * The result of reading a single layer.
   *
   * @param result the value of the layer
   * @param notes the guesses that were made, such as the order of ports that share an id
   */
  public record Snippet(XlaOp result, ImmutableList<String> notes) {}

  /**
   * Reads a net.
   *
   * @param xml the text of the file {@code .xml}
   * @param weights the bytes of the file {@code .bin}
   * @return the module: its parameters are the layers Parameter in the order of the file, its
   *     result that of the layer Result, a tuple if there are several
   * @throws HloException if anything is not known or is inconsistent
   */
  public static HloModule readNet(String xml, byte[] weights) {
    return new Net(SafeXml.parse(xml), weights).build();
  }

  /**
   * Reads a single layer, as OpenVINO's documents show it: the bare {@code ...} among its
   * attributes are ignored, id, name and version may be missing (Broadcast is then Broadcast-3),
   * and ports that share an id are taken in their order, which a note says.
   *
   * @param xml the text of the layer
   * @param inputs the values that come into its first ports
   * @param constants the vectors of integers that come into the others: of a Broadcast its
   *     target_shape and axes_mapping
   * @return the value of the layer
   * @throws HloException if anything is not known or is inconsistent, such as the written shape of
   *     a port and what comes in or out
   */
  public static Snippet readLayer(String xml, List<XlaOp> inputs, Dims... constants) {
    require(
        xml != null && inputs != null && !inputs.isEmpty(),
        "",
        "readLayer: inputs got none, want one at least");
    Element element = SafeXml.parse(withoutDots(xml));
    require(
        element.name().equals("layer"), "", "readLayer: got <%s>, want <layer>", element.name());
    Layer layer = Layer.of(element);
    XlaBuilder builder = inputs.get(0).builder();
    List<Input> all = new ArrayList<>();
    inputs.forEach(input -> all.add(Input.of(input)));
    Arrays.stream(constants)
        .map(Dims::toArray)
        .map(Literal::of)
        .forEach(literal -> all.add(Input.of(builder, literal)));
    XlaOp result = value(layer, all);
    return new Snippet(result, notes(layer));
  }

  /** Removes the {@code ...} that documents write for omitted attributes. */
  private static String withoutDots(String xml) {
    int end = xml.indexOf('>');
    return end < 0
        ? xml
        : xml.substring(0, end).replaceAll("\\s\\.\\.\\.(?=\\s|$)", " ") + xml.substring(end);
  }

  private static ImmutableList<String> notes(Layer layer) {
    Set<Long> ids = new HashSet<>();
    ImmutableList.Builder<String> notes = ImmutableList.builder();
    List<Layer.Port> ports = new ArrayList<>(layer.inputs());
    ports.addAll(layer.outputs());
    for (int i = 0; i < ports.size(); i++) {
      if (!ids.add(ports.get(i).id())) {
        notes.add("port " + i + " has id " + ports.get(i).id() + ", as one before: taken by place");
      }
    }
    return notes.build();
  }

  /** Returns the value of a layer that is neither Parameter, Const nor Result. */
  static XlaOp value(Layer layer, List<Input> inputs) {
    return layer.explained(() -> {
      requirePorts(layer, inputs);
      XlaOp result =
          layer.type().equals("broadcast")
              ? broadcast(layer, inputs)
              : ElementwiseLayers.build(layer, ops(layer, inputs))
                  .orElseThrow(() -> unknown(layer));
      requireOutput(layer, result);
      return result;
    });
  }

  private static List<XlaOp> ops(Layer layer, List<Input> inputs) {
    if (!ElementwiseLayers.knows(layer)) {
      throw unknown(layer);
    }
    return inputs.stream().map(Input::op).toList();
  }

  private static HloException unknown(Layer layer) {
    return new HloException(
        "",
        String.format(
            "type got %s of opset%s, want one that this reader knows: see OpenVinoIr",
            layer.element().required("type"), layer.opset()));
  }

  private static void requirePorts(Layer layer, List<Input> inputs) {
    require(
        layer.inputs().size() == inputs.size(),
        "",
        "inputs got %s, want %s as there are input ports",
        inputs.size(),
        layer.inputs().size());
    for (int i = 0; i < inputs.size(); i++) {
      requireWritten("input " + i, layer.inputs().get(i), inputs.get(i).shape());
    }
  }

  private static void requireOutput(Layer layer, XlaOp result) {
    require(layer.outputs().size() == 1, "", "output ports got %s, want 1", layer.outputs().size());
    requireWritten("output", layer.outputs().get(0), result.shape());
  }

  /** Compares the shape written at a port with the inferred one. */
  static void requireWritten(String what, Layer.Port port, Shape shape) {
    Shape.Array array = (Shape.Array) shape;
    require(
        port.sizes().equals(array.sizes()),
        "",
        "sizes of %s got %s as written, want %s as of %s",
        what,
        port.sizes(),
        array.sizes(),
        array);
    require(
        port.elementType().map(type -> type == array.elementType()).orElse(true),
        "",
        "precision of %s got %s as written, want %s",
        what,
        port.elementType().map(Object::toString).orElse(""),
        array.elementType());
  }

  private static XlaOp broadcast(Layer layer, List<Input> inputs) {
    require(
        inputs.size() == 2 || inputs.size() == 3,
        "",
        "inputs got %s, want data, target_shape, and axes_mapping in mode explicit",
        inputs.size());
    layer.requireAttributes("mode");
    XlaOp data = inputs.get(0).op();
    Dims target = inputs.get(1).numbers("target_shape");
    BroadcastMode mode = mode(layer);
    Optional<Dims> axes =
        inputs.size() == 3 ? Optional.of(inputs.get(2).numbers("axes_mapping")) : Optional.empty();
    if (layer.opset() < 3) {
      return axes.isPresent()
          ? Broadcasts.broadcast1(data, target, mode, axes.orElseThrow())
          : Broadcasts.broadcast1(data, target, mode);
    }
    return axes.isPresent()
        ? Broadcasts.broadcast3(data, target, mode, axes.orElseThrow())
        : Broadcasts.broadcast3(data, target, mode);
  }

  private static BroadcastMode mode(Layer layer) {
    String name = layer.attribute("mode", "numpy");
    for (BroadcastMode mode : BroadcastMode.values()) {
      if (mode.toString().equals(name)) {
        return mode;
      }
    }
    throw new HloException(
        "", "mode got " + name + ", want one of " + Arrays.toString(BroadcastMode.values()));
  }
}
