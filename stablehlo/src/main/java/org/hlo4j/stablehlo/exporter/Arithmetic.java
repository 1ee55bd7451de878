package org.hlo4j.stablehlo.exporter;

import com.google.common.collect.ImmutableMap;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.stablehlo.dialect.AttributeFactory;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Location;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * A library of functions of arrays of one type, built from ops of StableHLO. The last op computes
 * the result.
 *
 * @param block what the ops are added to
 * @param location their place
 * @param type the type of the arrays
 * @param elementType that of their elements
 */
@CanIgnoreReturnValue
record Arithmetic(
    List<Operation> block, Location location, Type.Tensor type, ElementType elementType) {
  Arithmetic(List<Operation> block, Location location, Type.Tensor type) {
    this(block, location, type, Types.elementType(type.element()).orElseThrow());
  }

  /** Returns atan(x) = atan2(x, 1), or of a complex number atan(x) = -i atanh(i x). */
  Value atan(Value x) {
    if (!elementType.isComplex()) {
      return op("atan2", x, constant(1));
    }
    Value rotated = op("complex", negated(part("imag", x)), part("real", x));
    Value atanh =
        new OperationBuilder(block, "stablehlo.custom_call", location)
            .withOperands(rotated)
            .withResultTypes(type)
            .with(ChloLegalization.customCall("mhlo.atanh", ImmutableMap.of()))
            .emitOne();
    return op("complex", part("imag", atanh), negated(part("real", atanh)));
  }

  private Value negated(Value x) {
    return part("negate", x);
  }

  /** Returns an op of real numbers. */
  private Value part(String name, Value x) {
    return new OperationBuilder(block, "stablehlo." + name, location)
        .withOperands(x)
        .withResultTypes(Type.Tensor.of(Types.of(elementType.componentType()), type.sizes()))
        .emitOne();
  }

  /**
   * Returns the high half of the product x * y, computed from the halves {@code x = x1 * 2^h + x0}
   * and {@code y = y1 * 2^h + y0}. With {@code t = x1 * y0 + (x0 * y0 >> h)} it is {@code x1 * y1 +
   * (t >> h) + ((t mod 2^h) + x0 * y1 >> h)}.
   */
  Value highProduct(Value x, Value y) {
    Value half = constant(elementType.bits() / 2);
    Value mask = constant((1L << (elementType.bits() / 2)) - 1);
    Value x0 = op("and", x, mask);
    Value y0 = op("and", y, mask);
    Value x1 = high(x, half);
    Value y1 = high(y, half);
    Value carry = op("shift_right_logical", op("multiply", x0, y0), half);
    Value t = op("add", op("multiply", x1, y0), carry);
    Value low = op("add", op("and", t, mask), op("multiply", x0, y1));
    Value sum = op("add", op("multiply", x1, y1), high(t, half));
    return op("add", sum, high(low, half));
  }

  private Value high(Value x, Value half) {
    boolean signed = elementType.kind() == ElementType.Kind.SIGNED;
    return op(signed ? "shift_right_arithmetic" : "shift_right_logical", x, half);
  }

  private Value op(String name, Value x, Value y) {
    return new OperationBuilder(block, "stablehlo." + name, location)
        .withOperands(x, y)
        .withResultTypes(type)
        .emitOne();
  }

  private Value constant(long value) {
    LiteralBuilder one = new LiteralBuilder(Shape.of(elementType));
    if (elementType.isComplex()) {
      one.setComplex(0, (double) value, 0);
    } else if (elementType.isFloating()) {
      one.setDouble(0, (double) value);
    } else {
      one.setLong(0, value);
    }
    Literal all = one.build().repeated(Dims.copyOf(type.sizes()));
    return new OperationBuilder(block, "stablehlo.constant", location)
        .withResultTypes(type)
        .with("value", (Attribute) AttributeFactory.dense(all))
        .emitOne();
  }
}
