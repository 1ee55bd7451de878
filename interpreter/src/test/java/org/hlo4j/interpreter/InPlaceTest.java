package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A dynamic-update-slice overwrites its operand only where nothing else needs that. */
class InPlaceTest {
  private static final String UPDATE = "%d = f32[SIZE] dynamic-update-slice(%x, %u, %j)\n";

  /** Iterations 0 to 9; what the two arrays become in each is given. */
  private static HloModule loop(int size, String more, String arrays) {
    return Parser.parse(
        """
        HloModule m

        %cond {
          %p = (s32[], f32[SIZE], f32[SIZE]) parameter(0)
          %i = s32[] get-tuple-element(%p), index=0
          %n = s32[] constant(10)
          ROOT %lt = pred[] compare(%i, %n), direction=LT
        }

        %body {
          %q = (s32[], f32[SIZE], f32[SIZE]) parameter(0)
          %j = s32[] get-tuple-element(%q), index=0
          %one = s32[] constant(1)
          %k = s32[] add(%j, %one)
          %u = f32[1] constant({1})
          %x = f32[SIZE] get-tuple-element(%q), index=1
          %y = f32[SIZE] get-tuple-element(%q), index=2
          MORE
          ROOT %s = (s32[], f32[SIZE], f32[SIZE]) tuple(%k, ARRAYS)
        }

        ENTRY %e {
          %a = f32[SIZE] parameter(0)
          %zero = s32[] constant(0)
          %t = (s32[], f32[SIZE], f32[SIZE]) tuple(%zero, %a, %a)
          ROOT %w = (s32[], f32[SIZE], f32[SIZE]) while(%t), condition=%cond, body=%body
        }
        """
            .replace("MORE", UPDATE + more)
            .replace("ARRAYS", arrays)
            .replace("SIZE", Integer.toString(size)));
  }

  /** Of zeros, each iteration sets one element to 1; what else reads the array sees it before. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                                                | %d, %y | 10 |  0",
        "                                                | %d, %x | 10 |  9",
        "                                                | %d, %d | 10 | 10",
        "                                                | %y, %d |  5 |  5",
        "%f = f32[SIZE] dynamic-update-slice(%x, %u, %k) | %d, %f | 10 | 10",
        "%f = f32[SIZE] negate(%x)                       | %d, %f | 10 | -9",
        "%f = f32[SIZE] add(%d, %x)                      | %d, %f | 10 | 19",
        "%f = f32[SIZE] opt-barrier(%x)                  | %d, %f | 10 |  9",
      })
  void whatElseReadsIt(String more, String arrays, double first, double second) {
    Literal zeros = Literal.zeros(Shape.of(ElementType.F32, 2048));
    Literal result = Evaluators.both().run(loop(2048, more == null ? "" : more, arrays), zeros);
    assertThat(List.of(sum(result.element(1)), sum(result.element(2)), sum(zeros)))
        .containsExactly(first, second, 0.0)
        .inOrder();
  }

  private static double sum(Literal literal) {
    double sum = 0;
    for (int i = 0; i < literal.elementCount(); i++) {
      sum += literal.doubleAt(i);
    }
    return sum;
  }

  /** Ten iterations on arrays of 4 MB: one copy, of what the caller gave, and no more. */
  @ParameterizedTest
  @EnumSource(Evaluators.class)
  void nothingIsCopiedInALoop(Evaluators evaluators) {
    Literal zeros = Literal.zeros(Shape.of(ElementType.F32, 1 << 20));
    Executable loop =
        evaluators.alone(EvaluatorOptions.defaults()).compile(loop(1 << 20, "", "%d, %y"));
    loop.run(zeros);
    ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = bean.getCurrentThreadAllocatedBytes();
    loop.run(zeros);
    assertThat(bean.getCurrentThreadAllocatedBytes() - before).isLessThan(3L * (4 << 20));
  }
}
