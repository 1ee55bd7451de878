package org.hlo4j.interpreter.check;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OrderDependenceTest {
  private static Program reduced(String result) {
    return Program.of(
        Parser.parse(
            """
            HloModule m
            c {
              a = f32[] parameter(0)
              b = f32[] parameter(1)
              ROOT r = f32[] %s
            }
            ENTRY e {
              x = f32[3] parameter(0)
              init = f32[] constant(1)
              ROOT y = f32[] reduce(x, init), dimensions={0}, to_apply=c
            }
            """
                .formatted(result)),
        Literal.of(new float[] {1, 2, 3}));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          add(a, b)      | false
          maximum(b, a)  | false
          add(a, a)      | true
          subtract(a, b) | true
          negate(a)      | true
          """)
  void reducers(String result, boolean dependsOnOrder) {
    assertThat(OrderDependence.isIn(reduced(result).module())).isEqualTo(dependsOnOrder);
  }

  /** Another system may take the terms in any order. */
  @Test
  void isNoDifference() {
    DifferenceCheck wrong = DifferenceCheck.of(program -> Literal.of(100f));
    assertThat(wrong.test(reduced("subtract(a, b)"))).isFalse();
    assertThat(wrong.test(reduced("add(a, b)"))).isTrue();
  }
}
