package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Custom calls that pin, write and unpin buffers, which are arrays to the evaluators. */
final class BuffersTest {
  private static final String ALIASED = "output_to_operand_aliasing={{}: (0, {})}";

  private static final Literal X = Literal.of(new float[] {1, 2});

  /** A call of the user's that adds 1 to a buffer, three times. */
  private static final HloModule LOOP =
      module(
          """
          body {
            t = (s32[], b(f32[2])) parameter(0)
            i = s32[] get-tuple-element(t), index=0
            b = b(f32[2]) get-tuple-element(t), index=1
            w = b(f32[2]) custom-call(b), custom_call_target="increment", ALIASED
            one = s32[] constant(1)
            j = s32[] add(i, one)
            ROOT r = (s32[], b(f32[2])) tuple(j, w)
          }
          cond {
            u = (s32[], b(f32[2])) parameter(0)
            k = s32[] get-tuple-element(u), index=0
            n = s32[] constant(3)
            ROOT c = pred[] compare(k, n), direction=LT
          }
          ENTRY e {
            x = f32[2] parameter(0)
            p = b(f32[2]) custom-call(x), custom_call_target="Pin", ALIASED
            z = s32[] constant(0)
            s = (s32[], b(f32[2])) tuple(z, p)
            l = (s32[], b(f32[2])) while(s), condition=cond, body=body
            q = b(f32[2]) get-tuple-element(l), index=1
            y = f32[2] custom-call(q), custom_call_target="Unpin", ALIASED
            ROOT d = f32[2] subtract(y, x)
          }
          """);

  private static HloModule module(String text) {
    return Parser.parse("HloModule m\n" + text.replace("ALIASED", ALIASED));
  }

  static Stream<Evaluator> evaluators() {
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .customCall("increment", (call, operands) -> increment(operands.get(0)))
            .build();
    return Stream.of(Interpreter.reference(options), Interpreter.compiled(options));
  }

  private static Literal increment(Literal array) {
    return Literal.of(new float[] {(float) array.doubleAt(0) + 1, (float) array.doubleAt(1) + 1});
  }

  @Test
  void unpinGivesWhatWasPinned() {
    HloModule module =
        module(
            """
            ENTRY e {
              x = f32[2] parameter(0)
              p = b(f32[2]) custom-call(x), custom_call_target="Pin", ALIASED
              t = (b(f32[2]), f32[2]) tuple(p, x)
              q = b(f32[2]) get-tuple-element(t), index=0
              y = f32[2] custom-call(q), custom_call_target="Unpin", ALIASED
              ROOT n = f32[2] negate(y)
            }
            """);
    assertThat(Evaluators.both().run(module, X)).isEqualTo(Literal.of(new float[] {-1, -2}));
  }

  @Test
  void aCreatedBufferHoldsZeros() {
    HloModule module =
        module(
            """
            ENTRY e {
              p = b(f32[2]) custom-call(), custom_call_target="CreateBuffer"
              ROOT y = f32[2] custom-call(p), custom_call_target="Unpin", ALIASED
            }
            """);
    assertThat(Evaluators.both().run(module)).isEqualTo(Literal.of(new float[2]));
  }

  @ParameterizedTest
  @MethodSource("evaluators")
  void callsThatWriteGiveNewArrays(Evaluator evaluator) {
    assertThat(evaluator.run(LOOP, X)).isEqualTo(Literal.of(new float[] {3, 3}));
  }

  @ParameterizedTest
  @MethodSource("evaluators")
  void aResultIsNoBuffer(Evaluator evaluator) {
    HloModule module =
        module(
            """
            ENTRY e {
              x = f32[2] parameter(0)
              p = b(f32[2]) custom-call(x), custom_call_target="Pin", ALIASED
              ROOT t = (f32[2], b(f32[2])) tuple(x, p)
            }
            """);
    HloException refusal = assertThrows(HloException.class, () -> evaluator.run(module, X));
    assertThat(refusal.getMessage())
        .isEqualTo("run: result got (f32[2], b(f32[2])), want arrays: Unpin the buffers");
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.UNSUPPORTED);
  }

  @Test
  void aTargetSeesArrays() {
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .customCall(
                "increment",
                (call, operands) -> {
                  assertThat(call.shape().toString()).isEqualTo("f32[2]");
                  assertThat(call.operands().get(0).shape().toString()).isEqualTo("f32[2]");
                  return operands.get(0);
                })
            .build();
    for (Evaluator evaluator :
        List.of(Interpreter.reference(options), Interpreter.compiled(options))) {
      assertThat(evaluator.run(LOOP, X)).isEqualTo(Literal.of(new float[2]));
    }
  }
}
