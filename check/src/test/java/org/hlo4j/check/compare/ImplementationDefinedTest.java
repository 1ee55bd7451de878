package org.hlo4j.check.compare;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.check.Program;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ImplementationDefinedTest {
  private static Program program(String reducer, String initial, String root, String argument) {
    return Program.of(
        Parser.parse(
            """
            HloModule m
            c {
              a = f32[] parameter(0)
              b = f32[] parameter(1)
              ROOT r = f32[] %s
            }
            before {
              a = f32[] parameter(0)
              b = f32[] parameter(1)
              ROOT r = pred[] compare(a, b), direction=LT
            }
            total {
              a = f32[] parameter(0)
              b = f32[] parameter(1)
              ROOT r = pred[] compare(b, a), direction=GT, type=TOTALORDER
            }
            never {
              a = f32[] parameter(0)
              b = f32[] parameter(1)
              ROOT r = pred[] constant(false)
            }
            ENTRY e {
              x = f32[3] parameter(0)
              zero = f32[] constant(0)
              init = f32[] %s
              ROOT y = %s
            }
            """
                .formatted(reducer, initial, root)),
        Parser.parseLiteral("f32[3] " + argument));
  }

  private static Program reduced(String reducer, String initial) {
    return program(
        reducer, initial, "f32[] reduce(x, init), dimensions={0}, to_apply=c", "{1, 2, 3}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          add(a, b)      | constant(0)    | false
          add(a, b)      | constant(1)    | true
          add(a, b)      | negate(zero)   | true
          multiply(a, b) | constant(1)    | false
          maximum(b, a)  | constant(-inf) | false
          maximum(b, a)  | constant(0)    | true
          minimum(b, a)  | constant(inf)  | false
          add(a, a)      | constant(0)    | true
          subtract(a, b) | constant(0)    | true
          negate(a)      | constant(0)    | true
          """)
  void reductions(String reducer, String initial, boolean isImplementationDefined) {
    assertThat(ImplementationDefined.isIn(reduced(reducer, initial)))
        .isEqualTo(isImplementationDefined);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[3] sort(x), dimensions={0}, is_stable=true, to_apply=total     | {1, 2, nan} | true
          f32[3] sort(x), dimensions={0}, is_stable=true, to_apply=total     | {1, 2, 3}   | false
          s32[3] bitcast-convert(x)                                          | {1, 2, 3}   | false
          s32[3] bitcast-convert(x)                                          | {1, 2, nan} | true
          f32[3] negate(x)                                                   | {1, 2, nan} | false
          f32[3] sort(x), dimensions={0}, is_stable=false, to_apply=total    | {1, 2, 3}   | true
          f32[3] sort(x), dimensions={0}, is_stable=true, to_apply=before    | {1, 2, 3}   | false
          f32[3] sort(x), dimensions={0}, is_stable=true, to_apply=before    | {1, 2, nan} | true
          f32[3] sort(x), dimensions={0}, is_stable=true, to_apply=never     | {1, 2, 3}   | true
          f32[3] reduce-window(x, init), window={size=2 pad=0_1}, to_apply=c | {1, 2, 3}   | true
          f32[3] reduce-window(x, zero), window={size=2 pad=0_1}, to_apply=c | {1, 2, 3}   | false
          """)
  void others(String root, String argument, boolean isImplementationDefined) {
    assertThat(ImplementationDefined.isIn(program("add(a, b)", "constant(1)", root, argument)))
        .isEqualTo(isImplementationDefined);
  }

  /** Another system may take the terms in any order. */
  @Test
  void isNoDifference() {
    DifferenceCheck wrong = DifferenceCheck.of(program -> Literal.of(100f));
    assertThat(wrong.test(reduced("subtract(a, b)", "constant(0)"))).isFalse();
    assertThat(wrong.test(reduced("add(a, b)", "constant(0)"))).isTrue();
  }
}
