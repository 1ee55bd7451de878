package org.hlo4j.builder.openvino;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.builder.BroadcastPolicy;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.broadcast.BroadcastPolicies;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/** The element-wise layers, each with its function, element types and first opset. */
final class ElementwiseLayers {
  /** The element types that a layer accepts. */
  private enum Domain {
    NUMBERS,
    BOOLEANS,
    INTEGERS,
    BITS,
    ALL
  }

  /** The function of two operands that a layer computes. */
  @FunctionalInterface
  private interface Function {
    XlaOp apply(XlaOp lhs, XlaOp rhs, BroadcastPolicy policy);
  }

  private record Row(int since, Domain domain, Function function) {}

  private static final ImmutableMap<String, Row> ROWS =
      ImmutableMap.<String, Row>builder()
          .put("add", new Row(1, Domain.NUMBERS, XlaOp::add))
          .put("subtract", new Row(1, Domain.NUMBERS, XlaOp::sub))
          .put("multiply", new Row(1, Domain.NUMBERS, XlaOp::mul))
          .put("divide", new Row(1, Domain.NUMBERS, XlaOp::div))
          .put("maximum", new Row(1, Domain.NUMBERS, XlaOp::max))
          .put("minimum", new Row(1, Domain.NUMBERS, XlaOp::min))
          .put("mod", new Row(1, Domain.NUMBERS, XlaOp::rem))
          .put("floormod", new Row(1, Domain.NUMBERS, ElementwiseLayers::floorMod))
          .put("squareddifference", new Row(1, Domain.NUMBERS, ElementwiseLayers::squared))
          .put("power", new Row(1, Domain.NUMBERS, XlaOp::pow))
          .put("atan2", new Row(17, Domain.NUMBERS, XlaOp::atan2))
          .put("equal", new Row(1, Domain.ALL, XlaOp::eq))
          .put("notequal", new Row(1, Domain.ALL, XlaOp::ne))
          .put("greater", new Row(1, Domain.ALL, XlaOp::gt))
          .put("greaterequal", new Row(1, Domain.ALL, XlaOp::ge))
          .put("less", new Row(1, Domain.ALL, XlaOp::lt))
          .put("lessequal", new Row(1, Domain.ALL, XlaOp::le))
          .put("logicaland", new Row(1, Domain.BOOLEANS, XlaOp::and))
          .put("logicalor", new Row(1, Domain.BOOLEANS, XlaOp::or))
          .put("logicalxor", new Row(1, Domain.BOOLEANS, XlaOp::xor))
          .put("bitwiseand", new Row(13, Domain.BITS, XlaOp::and))
          .put("bitwiseor", new Row(13, Domain.BITS, XlaOp::or))
          .put("bitwisexor", new Row(13, Domain.BITS, XlaOp::xor))
          .put("bitwiseleftshift", new Row(15, Domain.INTEGERS, XlaOp::shiftLeft))
          .put("bitwiserightshift", new Row(15, Domain.INTEGERS, ElementwiseLayers::shiftRight))
          .buildOrThrow();

  private ElementwiseLayers() {}

  /** Returns the value of an element-wise layer; empty if the layer is of another kind. */
  static Optional<XlaOp> build(Layer layer, List<XlaOp> inputs) {
    return switch (layer.type()) {
      case "select" -> Optional.of(select(layer, inputs));
      case "prelu" -> Optional.of(prelu(layer, inputs));
      default -> Optional.ofNullable(ROWS.get(layer.type())).map(row -> binary(layer, row, inputs));
    };
  }

  static boolean knows(Layer layer) {
    return Set.of("select", "prelu").contains(layer.type()) || ROWS.containsKey(layer.type());
  }

  private static XlaOp binary(Layer layer, Row row, List<XlaOp> inputs) {
    requireOpset(layer, row.since());
    requireCount(inputs, 2);
    boolean divides = layer.type().equals("divide");
    if (divides) {
      layer.requireAttributes("auto_broadcast", "auto_broadcast_axis", "m_pythondiv");
    } else {
      layer.requireAttributes("auto_broadcast", "auto_broadcast_axis");
    }
    inputs.forEach(input -> requireType(row.domain(), input.arrayShape()));
    boolean floors = divides && truth(layer, "m_pythondiv", "true");
    Function function = floors ? ElementwiseLayers::floorDivide : row.function();
    return function.apply(inputs.get(0), inputs.get(1), policy(layer));
  }

  private static XlaOp select(Layer layer, List<XlaOp> inputs) {
    requireCount(inputs, 3);
    layer.requireAttributes("auto_broadcast", "auto_broadcast_axis");
    return inputs.get(0).select(inputs.get(1), inputs.get(2), policy(layer));
  }

  /**
   * Adds a PReLU. A slope of rank 1 with the size of dimension 1 of the data has one value for each
   * channel.
   */
  private static XlaOp prelu(Layer layer, List<XlaOp> inputs) {
    requireCount(inputs, 2);
    layer.requireAttributes();
    XlaOp data = inputs.get(0);
    Shape.Array shape = data.arrayShape();
    Shape.Array slope = inputs.get(1).arrayShape();
    boolean perChannel = slope.rank() == 1 && shape.rank() > 1 && slope.size(0) == shape.size(1);
    BroadcastPolicy policy = perChannel ? BroadcastPolicies.pdpd(1) : BroadcastPolicies.numpy();
    XlaOp scaled = data.mul(inputs.get(1), policy);
    return data.lt(data.zerosLike()).select(scaled, data);
  }

  private static void requireOpset(Layer layer, int since) {
    require(
        layer.opset() >= since,
        "",
        "version got opset%s, want at least opset%s",
        layer.opset(),
        since);
  }

  static void requireCount(List<XlaOp> inputs, int count) {
    require(inputs.size() == count, "", "inputs got %s, want %s", inputs.size(), count);
  }

  private static void requireType(Domain domain, Shape.Array shape) {
    ElementType type = shape.elementType();
    boolean isPred = type == ElementType.PRED;
    boolean holds =
        switch (domain) {
          case NUMBERS -> !isPred;
          case BOOLEANS -> isPred;
          case INTEGERS -> type.isIntegral();
          case BITS -> isPred || type.isIntegral();
          case ALL -> true;
        };
    String wanted =
        switch (domain) {
          case NUMBERS -> "numbers";
          case BOOLEANS -> "booleans";
          case INTEGERS -> "integers";
          case BITS -> "integers or booleans";
          case ALL -> "any";
        };
    require(holds, "", "element type of an input got %s, want %s", type, wanted);
  }

  private static boolean truth(Layer layer, String attribute, String otherwise) {
    String value = layer.attribute(attribute, otherwise);
    require(
        value.equals("true") || value.equals("false"),
        "",
        "attribute %s got %s, want true or false",
        attribute,
        value);
    return value.equals("true");
  }

  /** Returns the policy of a layer; in OpenVINO's code explicit is a synonym of none. */
  private static BroadcastPolicy policy(Layer layer) {
    String name = layer.attribute("auto_broadcast", "numpy");
    boolean pdpd = name.equals("pdpd");
    String axis = layer.attribute("auto_broadcast_axis", "-1");
    require(
        pdpd || !layer.data().containsKey("auto_broadcast_axis"),
        "",
        "auto_broadcast_axis got %s with auto_broadcast %s, want it with pdpd only",
        axis,
        name);
    return switch (name) {
      case "none", "explicit" -> BroadcastPolicies.none();
      case "numpy" -> BroadcastPolicies.numpy();
      case "pdpd" -> BroadcastPolicies.pdpd(axis(layer, axis));
      default -> {
        require(false, "", "auto_broadcast got %s, want none, numpy or pdpd", name);
        throw new AssertionError(name);
      }
    };
  }

  private static int axis(Layer layer, String text) {
    long axis = layer.element().number(text, "auto_broadcast_axis");
    require(axis == (int) axis, "", "auto_broadcast_axis got %s, want a dimension", axis);
    return (int) axis;
  }

  private static XlaOp squared(XlaOp lhs, XlaOp rhs, BroadcastPolicy policy) {
    XlaOp difference = lhs.sub(rhs, policy);
    return difference.mul(difference);
  }

  /** Returns the remainder with the sign of the divisor. */
  private static XlaOp floorMod(XlaOp lhs, XlaOp rhs, BroadcastPolicy policy) {
    XlaOp remainder = lhs.rem(rhs, policy);
    XlaOp moved = remainder.add(rhs, policy);
    return signsDiffer(remainder, rhs, policy).select(moved, remainder);
  }

  /** Returns the quotient, which is rounded down for signed integers. */
  private static XlaOp floorDivide(XlaOp lhs, XlaOp rhs, BroadcastPolicy policy) {
    XlaOp quotient = lhs.div(rhs, policy);
    if (lhs.arrayShape().elementType().kind() != ElementType.Kind.SIGNED) {
      return quotient;
    }
    XlaOp below = quotient.sub(quotient.fullLike(1));
    return signsDiffer(lhs.rem(rhs, policy), rhs, policy).select(below, quotient);
  }

  /** Returns where a remainder is neither 0 nor of the sign of the divisor. */
  private static XlaOp signsDiffer(XlaOp remainder, XlaOp rhs, BroadcastPolicy policy) {
    XlaOp negative = remainder.lt(remainder.zerosLike());
    XlaOp differ = negative.ne(rhs.lt(rhs.zerosLike()), policy);
    return differ.and(remainder.ne(remainder.zerosLike()));
  }

  private static XlaOp shiftRight(XlaOp lhs, XlaOp rhs, BroadcastPolicy policy) {
    return lhs.arrayShape().elementType().kind() == ElementType.Kind.SIGNED
        ? lhs.shiftRightArithmetic(rhs, policy)
        : lhs.shiftRightLogical(rhs, policy);
  }
}
