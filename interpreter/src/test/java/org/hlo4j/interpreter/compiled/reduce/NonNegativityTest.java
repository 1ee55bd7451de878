package org.hlo4j.interpreter.compiled.reduce;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableList;
import java.util.Locale;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.index.AffineIndex;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NonNegativityTest {
  private static final LoopNode X = new LoopNode.Read(0, ElementType.F32, AffineIndex.counter(0));
  private static final LoopNode Y = new LoopNode.Read(1, ElementType.F32, AffineIndex.counter(0));
  private static final LoopNode POWER = apply(Elementwise.Kind.EXPONENTIAL, X);

  private static LoopNode apply(Elementwise.Kind kind, LoopNode... operands) {
    return new LoopNode.Apply(
        new Elementwise(kind), ElementType.F32, ImmutableList.copyOf(operands));
  }

  private static LoopNode number(double number) {
    return new LoopNode.Immediate(Literal.of((float) number));
  }

  private static boolean isNonNegative(LoopNode node) {
    return NonNegativity.isNonNegative(node, _ -> false);
  }

  private static boolean isKnown(Elementwise.Kind kind, LoopNode... operands) {
    return isNonNegative(apply(kind, operands));
  }

  @ParameterizedTest
  @CsvSource({
    "abs, true",
    "exponential, true",
    "logistic, true",
    "sqrt, true",
    "negate, false",
    "tanh, false",
    "log, false",
    "exponential_minus_one, false",
    "cosine, false",
  })
  void functions(String kind, boolean isKnown) {
    Elementwise.Kind named = Elementwise.Kind.valueOf(kind.toUpperCase(Locale.ROOT));
    assertThat(isKnown(named, X)).isEqualTo(isKnown);
  }

  @Test
  void products() {
    assertThat(isKnown(Elementwise.Kind.MULTIPLY, X, X)).isTrue();
    assertThat(isKnown(Elementwise.Kind.MULTIPLY, X, Y)).isFalse();
    assertThat(isKnown(Elementwise.Kind.MULTIPLY, POWER, X)).isFalse();
    assertThat(isKnown(Elementwise.Kind.MULTIPLY, POWER, number(2))).isTrue();
    assertThat(isKnown(Elementwise.Kind.DIVIDE, POWER, number(-2))).isFalse();
    assertThat(isKnown(Elementwise.Kind.DIVIDE, POWER, POWER)).isTrue();
  }

  @Test
  void sumsAndChoices() {
    assertThat(isKnown(Elementwise.Kind.ADD, POWER, number(1))).isTrue();
    assertThat(isKnown(Elementwise.Kind.ADD, POWER, number(-1))).isFalse();
    assertThat(isKnown(Elementwise.Kind.SUBTRACT, POWER, POWER)).isFalse();
    assertThat(isKnown(Elementwise.Kind.MAXIMUM, X, number(0))).isTrue();
    assertThat(isKnown(Elementwise.Kind.MAXIMUM, X, number(-1))).isFalse();
    assertThat(isKnown(Elementwise.Kind.MINIMUM, POWER, X)).isFalse();
    assertThat(isKnown(Elementwise.Kind.MINIMUM, POWER, number(6))).isTrue();
  }

  /** What is divided by -0 is below 0, and by 0 is not. */
  @Test
  void quotients() {
    LoopNode root = apply(Elementwise.Kind.SQRT, X);
    LoopNode square = apply(Elementwise.Kind.MULTIPLY, X, X);
    assertThat(isKnown(Elementwise.Kind.DIVIDE, POWER, root)).isFalse();
    assertThat(isKnown(Elementwise.Kind.DIVIDE, root, POWER)).isTrue();
    assertThat(isKnown(Elementwise.Kind.DIVIDE, POWER, square)).isTrue();
    assertThat(isKnown(Elementwise.Kind.DIVIDE, POWER, number(0))).isTrue();
    assertThat(isKnown(Elementwise.Kind.DIVIDE, POWER, number(-0.0))).isFalse();
    assertThat(isDivisor(apply(Elementwise.Kind.ADD, root, root))).isFalse();
    assertThat(isDivisor(apply(Elementwise.Kind.ADD, root, number(0)))).isTrue();
    assertThat(isDivisor(apply(Elementwise.Kind.ADD, root, number(-0.0)))).isFalse();
    assertThat(isDivisor(apply(Elementwise.Kind.MULTIPLY, root, POWER))).isFalse();
    assertThat(isDivisor(apply(Elementwise.Kind.MINIMUM, root, POWER))).isFalse();
    assertThat(isDivisor(apply(Elementwise.Kind.MAXIMUM, root, POWER))).isTrue();
    assertThat(isDivisor(apply(Elementwise.Kind.MAXIMUM, X, number(0)))).isTrue();
    assertThat(isDivisor(apply(Elementwise.Kind.MAXIMUM, X, number(-0.0)))).isFalse();
    assertThat(isDivisor(apply(Elementwise.Kind.DIVIDE, root, POWER))).isFalse();
    assertThat(isDivisor(apply(Elementwise.Kind.DIVIDE, square, POWER))).isTrue();
  }

  private static boolean isDivisor(LoopNode node) {
    return isKnown(Elementwise.Kind.DIVIDE, POWER, node);
  }

  @Test
  void operandsAndConstants() {
    assertThat(isNonNegative(X)).isFalse();
    assertThat(isNonNegative(number(0))).isTrue();
    assertThat(isNonNegative(number(-0.0))).isTrue();
    assertThat(isNonNegative(number(-1))).isFalse();
    assertThat(isNonNegative(number(Double.NaN))).isFalse();
  }

  /** Each of these values is an operand of the next one twice, which is 2^200 paths. */
  @Test
  @Timeout(10)
  void sharedOperandsAreLookedAtOnce() {
    LoopNode positive = POWER;
    LoopNode unknown = X;
    for (int i = 0; i < 200; i++) {
      positive = apply(Elementwise.Kind.ADD, positive, positive);
      unknown = apply(Elementwise.Kind.MAXIMUM, unknown, unknown);
    }
    assertThat(isNonNegative(positive)).isTrue();
    assertThat(isNonNegative(unknown)).isFalse();
  }
}
