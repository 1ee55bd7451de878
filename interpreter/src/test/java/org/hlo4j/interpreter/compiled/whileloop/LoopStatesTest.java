package org.hlo4j.interpreter.compiled.whileloop;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.base.Splitter;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.compiled.StandaloneContext;
import org.hlo4j.interpreter.engine.Kernel;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Who may write to the arrays of a loop's state, as {@link LoopRows}: its condition may not, and a
 * branch may only write to what all branches have.
 */
final class LoopStatesTest {
  /**
   * What a condition computes of a state. It puts nines at 0 to 2, one in each iteration, so that
   * the third is the last; the next {@code a} is computed of {@code b} alone.
   */
  private static final String NINE_PUT =
      """
        s = (s32[], TYPE_A, TYPE_B) parameter(0)
        i = s32[] get-tuple-element(s), index=0
        a = TYPE_A get-tuple-element(s), index=1
        nine = s32[1] constant({9})
        PUT
        two = s32[] constant(2)
        x = s32[1] dynamic-slice(u, two), dynamic_slice_sizes={1}
        y = s32[] reshape(x)
        eight = s32[] constant(8)
        ROOT m = pred[] compare(y, eight), direction=LT
      }
      """;

  private static final String SMALL =
      """
      s32[4] constant({1, 2, 3, 4})
      s32[4] constant({0, 1, 2, 3})
        next_a = s32[4] add(b, b)
      -> s32[4] {0, 2, 4, 6}, s32[4] {0, 1, 2, 3}
      """;

  private static final String LARGE =
      """
      s32[300] constant(0 to 299)
      s32[] constant(5)
        next_a = s32[300] broadcast(b), dimensions={}
        next_b = s32[] add(b, one)
      -> ..., s32[] 7
      """;

  private static final String UPDATE = "  u = TYPE_A dynamic-update-slice(a, nine, i)";

  private static final String BRANCHES =
      """
      put {
        p = (s32[], TYPE_A) parameter(0)
        j = s32[] get-tuple-element(p), index=0
        v = TYPE_A get-tuple-element(p), index=1
        nine = s32[1] constant({9})
        ROOT u = TYPE_A dynamic-update-slice(v, nine, j)
      }
      same {
        p = (s32[], TYPE_A) parameter(0)
        ROOT v = TYPE_A get-tuple-element(p), index=1
      }
      """;

  private static final String LOOP_IN_LOOP =
      """
      few {
        t = (s32[], TYPE_A, TYPE_A) parameter(0)
        j = s32[] get-tuple-element(t), index=0
        n = s32[] constant(2)
        ROOT r = pred[] compare(j, n), direction=LT
      }
      put_both {
        t = (s32[], TYPE_A, TYPE_A) parameter(0)
        j = s32[] get-tuple-element(t), index=0
        v = TYPE_A get-tuple-element(t), index=1
        w = TYPE_A get-tuple-element(t), index=2
        one = s32[] constant(1)
        k = s32[] add(j, one)
        j1 = s32[1] reshape(j)
        k1 = s32[1] reshape(k)
        v1 = TYPE_A dynamic-update-slice(v, j1, j)
        w1 = TYPE_A dynamic-update-slice(w, k1, k)
        ROOT r = (s32[], TYPE_A, TYPE_A) tuple(k, v1, w1)
      }
      """;

  private static String condition(String called, String put) {
    return called + "more {\n" + NINE_PUT.replace("PUT\n", put.strip() + "\n");
  }

  @TestFactory
  Stream<DynamicTest> conditionsThatUpdateTheState() {
    String conditional =
        """
        p = pred[] compare(i, i), direction=EQ
        t = (s32[], TYPE_A) tuple(i, a)
        u = TYPE_A conditional(p, t, t), true_computation=put, false_computation=same
        """;
    String scatter =
        """
        at = s32[1] reshape(i)
        n = s32[] reshape(nine)
        u = TYPE_A scatter(a, at, n), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=second
        """;
    String second = "second { x = s32[] parameter(0) ROOT y = s32[] parameter(1) }\n";
    String loop =
        """
        zero = s32[] constant(0)
        t = (s32[], TYPE_A, TYPE_A) tuple(zero, a, a)
        w = (s32[], TYPE_A, TYPE_A) while(t), condition=few, body=put_both
        v = TYPE_A get-tuple-element(w), index=1
        u = TYPE_A dynamic-update-slice(v, nine, i)
        """;
    String call =
        """
        t = (s32[], TYPE_A) tuple(i, a)
        u = TYPE_A call(t), to_apply=put
        """;
    return Stream.of(SMALL, LARGE)
        .flatMap(states ->
            Stream.of(
                "an update\n" + condition("", UPDATE) + states,
                "a branch\n" + condition(BRANCHES, conditional) + states,
                "a loop\n" + condition(LOOP_IN_LOOP, loop) + states,
                "a call\n" + condition(BRANCHES, call) + states,
                "a scatter\n" + condition(second, scatter) + states))
        .flatMap(LoopStatesTest::rows);
  }

  /**
   * Rows of either size; a loop over long arrays whose condition updates them runs step by step.
   */
  private static Stream<DynamicTest> rows(String row) {
    boolean isRefused = row.contains("scatter(") || row.contains("-> ...");
    return LoopRows.of(
        isRefused ? Splitter.on("\n-> ").splitToList(row).get(0) + "\n-> refused\n" : row);
  }

  private static final String ROWS =
      """
      a branch writes to what stays
      BRANCHES
      s32[4] constant({1, 2, 3, 4})
      s32[] constant(0)
        p = pred[] compare(i, two), direction=LT
        t = (s32[], s32[4]) tuple(i, a)
        v = s32[4] conditional(p, t, t), true_computation=put, false_computation=same
        x = s32[1] dynamic-slice(v, i), dynamic_slice_sizes={1}
        y = s32[] reshape(x)
        next_b = s32[] add(b, y)
      -> s32[4] {1, 2, 3, 4}, s32[] 25

      a branch writes to what stays and is long
      BRANCHES
      s32[300] constant(0 to 299)
      s32[] constant(0)
        p = pred[] compare(i, two), direction=LT
        t = (s32[], s32[300]) tuple(i, a)
        v = s32[300] conditional(p, t, t), true_computation=put, false_computation=same
        x = s32[1] dynamic-slice(v, i), dynamic_slice_sizes={1}
        y = s32[] reshape(x)
        next_b = s32[] add(b, y)
      -> ..., s32[] 23

      the last branch writes to what stays and is long
      BRANCHES
      s32[300] constant(0 to 299)
      s32[] constant(0)
        p = pred[] compare(i, two), direction=LT
        t = (s32[], s32[300]) tuple(i, a)
        v = s32[300] conditional(p, t, t), true_computation=same, false_computation=put
        x = s32[1] dynamic-slice(v, i), dynamic_slice_sizes={1}
        y = s32[] reshape(x)
        next_b = s32[] add(b, y)
      -> ..., s32[] 19

      a branch writes to a constant
      table {
        p = (s32[], s32[4]) parameter(0)
        j = s32[] get-tuple-element(p), index=0
        v = s32[4] constant({10, 20, 30, 40})
        nine = s32[1] constant({9})
        ROOT u = s32[4] dynamic-update-slice(v, nine, j)
      }
      same {
        p = (s32[], s32[4]) parameter(0)
        ROOT v = s32[4] get-tuple-element(p), index=1
      }
      s32[4] constant({1, 2, 3, 4})
      s32[4] constant({0, 0, 0, 0})
        p = pred[] compare(i, two), direction=LT
        t = (s32[], s32[4]) tuple(i, a)
        v = s32[4] conditional(p, t, t), true_computation=table, false_computation=same
        next_b = s32[4] add(b, v)
      -> s32[4] {1, 2, 3, 4}, s32[4] {21, 33, 66, 88}

      a branch with a loop whose state has an array twice
      LOOP_IN_LOOP
      twice {
        p = (s32[], s32[4]) parameter(0)
        v = s32[4] get-tuple-element(p), index=1
        zero = s32[] constant(0)
        t = (s32[], s32[4], s32[4]) tuple(zero, v, v)
        w = (s32[], s32[4], s32[4]) while(t), condition=few, body=put_both
        ROOT q = s32[4] get-tuple-element(w), index=2
      }
      same {
        p = (s32[], s32[4]) parameter(0)
        ROOT v = s32[4] get-tuple-element(p), index=1
      }
      s32[4] constant({5, 6, 7, 8})
      s32[4] constant({0, 0, 0, 0})
        p = pred[] compare(i, two), direction=LT
        t = (s32[], s32[4]) tuple(i, a)
        next_a = s32[4] conditional(p, t, t), true_computation=twice, false_computation=same
        next_b = s32[4] add(b, next_a)
      -> s32[4] {5, 1, 2, 8}, s32[4] {20, 4, 8, 32}

      a loop gets an array that a branch may have overwritten
      LOOP_IN_LOOP
      first {
        p = (s32[4], s32[4]) parameter(0)
        ROOT v = s32[4] get-tuple-element(p), index=0
      }
      second {
        p = (s32[4], s32[4]) parameter(0)
        ROOT w = s32[4] get-tuple-element(p), index=1
      }
      s32[4] constant({1, 2, 3, 4})
      s32[4] constant({5, 6, 7, 8})
        p = pred[] compare(i, two), direction=LT
        t = (s32[4], s32[4]) tuple(a, b)
        c = s32[4] conditional(p, t, t), true_computation=first, false_computation=second
        u = (s32[], s32[4], s32[4]) tuple(zero, c, a)
        w = (s32[], s32[4], s32[4]) while(u), condition=few, body=put_both
        v = s32[4] get-tuple-element(w), index=1
        next_a = s32[4] get-tuple-element(w), index=2
        next_b = s32[4] add(b, v)
      -> s32[4] {1, 1, 2, 4}, s32[4] {5, 10, 48, 64}

      a value from before a loop with branches that runs no iteration
      BRANCHES
      none {
        s = (s32[], s32[300]) parameter(0)
        j = s32[] get-tuple-element(s), index=0
        n = s32[] constant(0)
        ROOT r = pred[] compare(j, n), direction=LT
      }
      put_or_not {
        s = (s32[], s32[300]) parameter(0)
        j = s32[] get-tuple-element(s), index=0
        x = s32[300] get-tuple-element(s), index=1
        p = pred[] compare(j, j), direction=EQ
        t = (s32[], s32[300]) tuple(j, x)
        y = s32[300] conditional(p, t, t), true_computation=put, false_computation=same
        one = s32[] constant(1)
        k = s32[] add(j, one)
        ROOT r = (s32[], s32[300]) tuple(k, y)
      }
      s32[300] constant(0 to 299)
      s32[] constant(0)
        twice = s32[300] add(a, a)
        zeros = s32[300] broadcast(zero), dimensions={}
        t = (s32[], s32[300]) tuple(i, zeros)
        w = (s32[], s32[300]) while(t), condition=none, body=put_or_not
        v = s32[300] get-tuple-element(w), index=1
        sum = s32[300] add(v, twice)
        x = s32[1] slice(sum), slice={[5:6]}
        y = s32[] reshape(x)
        next_b = s32[] add(b, y)
      -> ..., s32[] 40

      branches that exchange two arrays, or give one twice
      exchange {
        p = (s32[4], s32[4]) parameter(0)
        v = s32[4] get-tuple-element(p), index=0
        w = s32[4] get-tuple-element(p), index=1
        ROOT r = (s32[4], s32[4]) tuple(w, v)
      }
      twice {
        p = (s32[4], s32[4]) parameter(0)
        v = s32[4] get-tuple-element(p), index=0
        ROOT r = (s32[4], s32[4]) tuple(v, v)
      }
      s32[4] constant({1, 2, 3, 4})
      s32[4] constant({5, 6, 7, 8})
        p = pred[] compare(i, two), direction=LE
        t = (s32[4], s32[4]) tuple(a, b)
        c = (s32[4], s32[4]) conditional(p, t, t), true_computation=exchange, false_computation=twice
        next_a = s32[4] get-tuple-element(c), index=0
        next_b = s32[4] get-tuple-element(c), index=1
      -> s32[4] {5, 6, 7, 8}, s32[4] {5, 6, 7, 8}

      an empty update of one element
      s32[1] constant({3})
      s32[0] constant({})
        x = s32[1] dynamic-update-slice(a, b, i)
        next_a = s32[1] add(x, x)
      -> s32[1] {48}, s32[0] {}

      an empty update of a row and of one element in a row
      s32[2,2] constant({{1, 2}, {3, 4}})
      s32[1,0] constant({{}})
        x = s32[2,2] dynamic-update-slice(a, b, i, zero)
        one_row = s32[1,1] slice(x), slice={[0:1],[1:2]}
        y = s32[1,1] dynamic-update-slice(one_row, b, i, i)
        z = s32[2,2] dynamic-update-slice(x, y, one, one)
        next_a = s32[2,2] add(z, z)
      -> s32[2,2] { { 16, 32 }, { 48, 32 } }, s32[1,0] { {} }

      reduced dimensions out of order
      twice_and { x = s32[] parameter(0) y = s32[] parameter(1) z = s32[] add(x, x) ROOT r = s32[] add(z, y) }
      s32[2,2,2] constant({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}})
      s32[2] constant({0, 0})
        next_b = s32[2] reduce(a, zero), dimensions={2,0}, to_apply=twice_and
      -> s32[2,2,2] { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }, s32[2] {32, 62}

      two arrays, all dimensions reduced out of order
      both {
        x = s32[] parameter(0)
        y = s32[] parameter(1)
        v = s32[] parameter(2)
        w = s32[] parameter(3)
        z = s32[] add(x, x)
        p = s32[] add(z, v)
        q = s32[] subtract(w, y)
        ROOT r = (s32[], s32[]) tuple(p, q)
      }
      s32[2,2] constant({{1, 2}, {3, 4}})
      s32[] constant(0)
        pair = (s32[], s32[]) reduce(a, a, zero, zero), dimensions={1,0}, to_apply=both
        x = s32[] get-tuple-element(pair), index=0
        y = s32[] get-tuple-element(pair), index=1
        next_b = s32[] multiply(x, y)
      -> s32[2,2] { { 1, 2 }, { 3, 4 } }, s32[] 52
      """;

  @TestFactory
  Stream<DynamicTest> branchesThatUpdate() {
    return LoopRows.of(
        ROWS.replace("BRANCHES\n", BRANCHES).replace("LOOP_IN_LOOP\n", LOOP_IN_LOOP));
  }

  /**
   * Results that are a constant's elements, an operand's, or another result's: each array is
   * allocated once, in order, except the one that is forwarded.
   */
  @Test
  void resultsOfACallAreAllocatedInOrder() {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            f {
              i = s32[] parameter(0)
              x = s32[3] parameter(1)
              y = s32[3] parameter(2)
              u = s32[1] reshape(i)
              c = s32[3] constant({7, 8, 9})
              d = s32[3] dynamic-update-slice(c, u, i)
              e = s32[3] dynamic-update-slice(x, u, i)
              t = (s32[3], s32[3]) tuple(e, y)
              ROOT r = (s32[3], s32[3], s32[], s32[3], (s32[3], s32[3])) tuple(d, e, i, y, t)
            }
            ENTRY e {
              i = s32[] parameter(0)
              x = s32[3] parameter(1)
              y = s32[3] parameter(2)
              ROOT r = (s32[3], s32[3], s32[], s32[3], (s32[3], s32[3])) call(i, x, y), to_apply=f
            }
            """);
    Literal[] operands = {
      Literal.of(1), Literal.of(new int[] {1, 2, 3}), Literal.of(new int[] {4, 5, 6})
    };
    Kernel kernel =
        ScalarKernels.kernel(module.entry().root(), false, CodegenStrategy.SINGLE)
            .kernel()
            .orElseThrow();
    assertThat(new StandaloneContext(1).run(kernel, operands).toString())
        .isEqualTo(
            "(s32[3], s32[3], s32[], s32[3], (s32[3], s32[3]))"
                + " ( {7, 1, 9}, {1, 1, 3}, 1, {4, 5, 6}, ( {1, 1, 3}, {4, 5, 6} ) )");
    assertThat(operands[1].toString()).isEqualTo("s32[3] {1, 2, 3}");
  }
}
