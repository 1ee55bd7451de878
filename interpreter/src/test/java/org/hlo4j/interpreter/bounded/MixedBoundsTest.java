package org.hlo4j.interpreter.bounded;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Computations whose parameters or results have bounds where callers have static sizes. */
final class MixedBoundsTest {
  private static final String COMPUTATIONS =
      """
      HloModule m
      bounded { a = s32[<=4] parameter(0) ROOT r = s32[<=4] negate(a) }
      static { a = s32[4] parameter(0) ROOT r = s32[4] negate(a) }
      below3 { p = (s32[<=4], s32[]) parameter(0) i = s32[] get-tuple-element(p), index=1
        k = s32[] constant(3) ROOT r = pred[] compare(i, k), direction=LT }
      below3static { p = (s32[4], s32[]) parameter(0) i = s32[] get-tuple-element(p), index=1
        k = s32[] constant(3) ROOT r = pred[] compare(i, k), direction=LT }
      next { p = (s32[<=4], s32[]) parameter(0) i = s32[] get-tuple-element(p), index=1
        k = s32[] constant(1) j = s32[] add(i, k) a = s32[<=4] get-tuple-element(p), index=0
        b = s32[<=4] set-dimension-size(a, j), dimensions={0}
        ROOT r = (s32[<=4], s32[]) tuple(b, j) }
      nextstatic { p = (s32[4], s32[]) parameter(0) i = s32[] get-tuple-element(p), index=1
        k = s32[] constant(1) j = s32[] add(i, k) a = s32[4] get-tuple-element(p), index=0
        b = s32[4] negate(a) c = s32[<=4] set-dimension-size(b, j), dimensions={0}
        ROOT r = (s32[<=4], s32[]) tuple(c, j) }
      shrunk { p = (s32[<=4], s32[]) parameter(0) i = s32[] get-tuple-element(p), index=1
        k = s32[] constant(1) j = s32[] add(i, k) a = s32[<=4] get-tuple-element(p), index=0
        b = s32[<=4] set-dimension-size(a, k), dimensions={0} c = s32[<=4] negate(b)
        ROOT r = (s32[<=4], s32[]) tuple(c, j) }
      ENTRY e {
        x = s32[4] parameter(0)
        n = s32[] parameter(1)
        y = s32[<=4] set-dimension-size(x, n), dimensions={0}
        z = s32[<=4] add(y, y)
        zero = s32[] constant(0)
        yes = pred[] constant(true)
        no = pred[] constant(false)
        bx = (s32[4], s32[]) tuple(x, zero)
        by = (s32[<=4], s32[]) tuple(y, zero)
      """;

  /** With x = 10 20 30 40 and n = 2. */
  private static Literal run(String body) {
    HloModule module = Parser.parse(COMPUTATIONS + body.replace(';', '\n') + "\n}");
    Verifier.strict().verify(module);
    return Evaluators.both().run(module, Literal.of(new int[] {10, 20, 30, 40}), Literal.of(2));
  }

  /** Where a value that was cut is declared static, it is whole again. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ROOT r = s32[<=4] conditional(yes, y, x), true_computation=bounded, false_computation=static | s32[2] {-10, -20}
          ROOT r = s32[<=4] conditional(no, y, x), true_computation=bounded, false_computation=static  | s32[4] {-10, -20, -30, -40}
          ROOT r = s32[<=4] conditional(yes, x, y), true_computation=static, false_computation=bounded | s32[4] {-10, -20, -30, -40}
          ROOT r = s32[<=4] conditional(no, z, z), true_computation=static, false_computation=bounded  | s32[2] {-20, -40}
          ROOT r = s32[4] conditional(yes, y, y), true_computation=static, false_computation=static    | s32[4] {-10, -20, -30, -40}
          ROOT r = s32[<=4] call(x), to_apply=bounded                                                  | s32[4] {-10, -20, -30, -40}
          ROOT r = s32[4] call(y), to_apply=static                                                     | s32[4] {-10, -20, -30, -40}
          ROOT r = (s32[<=4], s32[]) while(by), condition=below3, body=next                            | (s32[3], s32[]) ({10, 20, 30}, 3)
          ROOT r = (s32[4], s32[]) while(bx), condition=below3, body=next                              | (s32[4], s32[]) ({10, 20, 30, 40}, 3)
          ROOT r = (s32[4], s32[]) while(bx), condition=below3static, body=nextstatic                  | (s32[4], s32[]) ({-10, -20, -30, -40}, 3)
          ROOT r = (s32[<=4], s32[]) while(by), condition=below3static, body=nextstatic                | (s32[3], s32[]) ({-10, -20, -30}, 3)
          """)
  void valuesCross(String body, String wanted) {
    assertThat(run(body)).isEqualTo(Parser.parseLiteral(wanted));
  }

  /** What is computed of an array has no elements beyond its size. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ROOT r = s32[4] call(z), to_apply=static | call: got s32[2] at run time, want s32[4]
          ROOT r = s32[<=4] conditional(yes, z, y), true_computation=static, false_computation=bounded \
          | conditional: got s32[2] at run time, want s32[4]
          ROOT r = (s32[4], s32[]) while(bx), condition=below3, body=shrunk \
          | while: got (s32[1], s32[]) at run time, want (s32[4], s32[])
          bz = (s32[<=4], s32[]) tuple(z, zero);ROOT r = (s32[<=4], s32[]) while(bz), condition=below3, body=nextstatic \
          | while: got (s32[2], s32[]) at run time, want (s32[4], s32[])
          """)
  void missingElementsAreRefused(String body, String message) {
    HloException refusal = assertThrows(HloException.class, () -> run(body));
    assertThat(refusal.summary()).isEqualTo(message);
  }
}
