package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.math.ScalarFunction;
import org.hlo4j.interpreter.reference.linalg.ComplexArray;

/**
 * Element-wise ops, computed in the wide type that carries the elements (long, double or {@link
 * Complex}).
 */
public final class Elements {
  private Elements() {}

  /** {@code result[i] = f(lhs[i], rhs[i])} */
  static Literal map(Elementwise.Kind kind, List<Literal> in, Shape.Array shape) {
    ScalarFunction function = ScalarFunction.of(kind);
    Literal lhs = in.get(0);
    Literal rhs = in.get(in.size() - 1);
    LiteralBuilder result = new LiteralBuilder(shape);
    for (int i = 0; i < lhs.elementCount(); i++) {
      Limits.checkAt(i);
      if (!tryCopyBits(kind, result, i, lhs, rhs)) {
        store(function, result, i, lhs, rhs, shape.elementType());
      }
    }
    return result.build();
  }

  /**
   * Copies the bits of an element or of its parts if the op does nothing else, so that a NaN keeps
   * its bits. Returns whether it does.
   */
  private static boolean tryCopyBits(
      Elementwise.Kind kind, LiteralBuilder result, int i, Literal lhs, Literal rhs) {
    boolean isComplex = lhs.elementType().isComplex();
    if (kind == Elementwise.Kind.MAKE_COMPLEX) {
      result.setBits(2 * i, lhs.bitsAt(i));
      result.setBits(2 * i + 1, rhs.bitsAt(i));
      return true;
    }
    boolean isImaginary = kind == Elementwise.Kind.IMAG && isComplex;
    if (kind != Elementwise.Kind.REAL && !isImaginary) {
      return false;
    }
    result.setBits(i, lhs.bitsAt(isComplex ? 2 * i + (isImaginary ? 1 : 0) : i));
    return true;
  }

  private static long signBit(ElementType type) {
    return type.encode(-0.0) ^ type.encode(0.0);
  }

  private static void store(
      ScalarFunction function,
      LiteralBuilder result,
      int i,
      Literal lhs,
      Literal rhs,
      ElementType to) {
    ElementType type = lhs.elementType();
    if (to.isComplex() && function.changesOnlySignBit()) {
      long signBit = signBit(to.componentType());
      result.setBits(2 * i, function.applyToSignBit(lhs.bitsAt(2 * i), signBit));
      result.setBits(2 * i + 1, function.applyToSignBit(lhs.bitsAt(2 * i + 1), signBit));
      return;
    }
    switch (to.isComplex() ? ElementType.Kind.COMPLEX : type.kind()) {
      case PRED -> result.setLong(i, function.onPred(lhs.longAt(i), rhs.longAt(i)));
      case SIGNED -> result.setLong(i, function.onSigned(type, lhs.longAt(i), rhs.longAt(i)));
      case UNSIGNED -> result.setLong(i, function.onUnsigned(type, lhs.longAt(i), rhs.longAt(i)));
      case FLOAT -> storeFloat(function, result, i, lhs, rhs, to);
      case COMPLEX -> {
        Complex value =
            function.onComplex(ComplexArray.complexAt(lhs, i), ComplexArray.complexAt(rhs, i));
        if (to.isComplex()) {
          result.setComplex(i, value.re(), value.im());
        } else {
          result.setDouble(i, value.re());
        }
      }
    }
  }

  private static void storeFloat(
      ScalarFunction function,
      LiteralBuilder result,
      int i,
      Literal lhs,
      Literal rhs,
      ElementType to) {
    long signBit = to.isFloating() ? signBit(to) : 0;
    if (function.changesOnlySignBit() && signBit != 0) {
      result.setBits(i, function.applyToSignBit(lhs.bitsAt(i), signBit));
      return;
    }
    double value = function.onFloat(lhs.doubleAt(i), rhs.doubleAt(i));
    if (to.isFloating()) {
      result.setDouble(i, value);
    } else {
      result.setBoolean(i, value != 0);
    }
  }

  /** Compares element by element, with the direction and the order of the op. */
  static Literal compare(Compare op, Literal lhs, Literal rhs) {
    Comparison comparison = new Comparison(op.direction(), op.typeFor(lhs.elementType()));
    LiteralBuilder result = new LiteralBuilder(lhs.arrayShape().withElementType(ElementType.PRED));
    for (int i = 0; i < lhs.elementCount(); i++) {
      Limits.checkAt(i);
      result.setBoolean(i, comparison.holds(lhs, rhs, i));
    }
    return result.build();
  }

  /** {@code result[i] = pred[i] ? onTrue[i] : onFalse[i]}, or the same pred for all elements */
  static Literal select(Literal pred, Literal onTrue, Literal onFalse) {
    if (pred.arrayShape().isScalar()) {
      return pred.booleanAt(0) ? onTrue : onFalse;
    }
    LiteralBuilder result = new LiteralBuilder(onTrue.arrayShape());
    for (int i = 0; i < pred.elementCount(); i++) {
      Limits.checkAt(i);
      result.copy(i, pred.booleanAt(i) ? onTrue : onFalse, i);
    }
    return result.build();
  }

  /** {@code result[i] = min(max(operand[i], min[i]), max[i])} */
  static Literal clamp(Literal min, Literal operand, Literal max) {
    Shape.Array shape = operand.arrayShape();
    Literal low = min.arrayShape().isScalar() ? repeated(min, shape) : min;
    Literal high = max.arrayShape().isScalar() ? repeated(max, shape) : max;
    Literal raised = map(Elementwise.Kind.MAXIMUM, List.of(operand, low), shape);
    return map(Elementwise.Kind.MINIMUM, List.of(raised, high), shape);
  }

  private static Literal repeated(Literal scalar, Shape.Array shape) {
    LiteralBuilder result = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      Limits.checkAt(i);
      result.copy(i, scalar, 0);
    }
    return result.build();
  }
}
