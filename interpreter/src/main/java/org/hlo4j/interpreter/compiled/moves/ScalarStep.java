package org.hlo4j.interpreter.compiled.moves;

import java.util.Optional;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Elementwise;

/** Steps of a scalar program that compute: in double or long, rounded or wrapped to the type. */
final class ScalarStep {
  private ScalarStep() {}

  /** The step of an op on a type; none if it is not one of the few that bodies have. */
  static Optional<ScalarProgram.Step> of(
      Elementwise.Kind kind, ElementType type, int a, int b, int to) {
    if (type.isFloating()) {
      return floats(kind)
          .map(function ->
              values ->
                  values[to] =
                      rounded(type, function.applyAsDouble(number(values[a]), number(values[b]))));
    }
    return whole(kind, type)
        .map(function ->
            values -> values[to] = type.wrap(function.applyAsLong(values[a], values[b])));
  }

  private static double number(long carrier) {
    return Double.longBitsToDouble(carrier);
  }

  private static long rounded(ElementType type, double value) {
    return Double.doubleToLongBits(type.round(value));
  }

  private static Optional<DoubleBinaryOperator> floats(Elementwise.Kind kind) {
    return Optional.ofNullable(
        switch (kind) {
          case ADD -> (a, b) -> a + b;
          case SUBTRACT -> (a, b) -> a - b;
          case MULTIPLY -> (a, b) -> a * b;
          case DIVIDE -> (a, b) -> a / b;
          case MAXIMUM -> Math::max;
          case MINIMUM -> Math::min;
          case Elementwise.Kind other -> null;
        });
  }

  private static Optional<LongBinaryOperator> whole(Elementwise.Kind kind, ElementType type) {
    boolean isPred = type == ElementType.PRED;
    boolean isUnsigned = type.kind() == ElementType.Kind.UNSIGNED;
    return Optional.ofNullable(
        switch (kind) {
          case ADD -> isPred ? (a, b) -> a | b : (a, b) -> a + b;
          case SUBTRACT -> (a, b) -> a - b;
          case MULTIPLY -> (a, b) -> a * b;
          case AND -> (a, b) -> a & b;
          case OR -> (a, b) -> a | b;
          case XOR -> (a, b) -> a ^ b;
          case NOT -> isPred ? (a, b) -> 1 - a : (a, b) -> ~a;
          case MAXIMUM -> isUnsigned ? (a, b) -> Long.compareUnsigned(a, b) > 0 ? a : b : Math::max;
          case MINIMUM -> isUnsigned ? (a, b) -> Long.compareUnsigned(a, b) < 0 ? a : b : Math::min;
          case Elementwise.Kind other -> null;
        });
  }
}
