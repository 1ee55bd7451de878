package org.hlo4j.examples;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Compares the example's network with what XLA computes with the same weights. */
final class DigitsTest {
  private static final double RTOL = 1.91e-06;
  private static final double ATOL = 2.67e-05;

  private static Literal result = Literal.tuple();

  @BeforeAll
  static void run() {
    result = Interpreter.reference().run(Digits.program(), Digits.load("images"));
  }

  @Test
  void scoresMatchXla() {
    Literal got = result.element(0);
    Literal want = Digits.load("logits");
    assertThat(got.shape()).isEqualTo(want.shape());
    for (int i = 0; i < want.elementCount(); i++) {
      assertWithMessage("score %s", i)
          .that(got.doubleAt(i))
          .isWithin(ATOL + RTOL * Math.abs(want.doubleAt(i)))
          .of(want.doubleAt(i));
    }
  }

  @Test
  void classesMatchXla() {
    assertThat(result.element(1)).isEqualTo(Digits.load("classes"));
  }
}
