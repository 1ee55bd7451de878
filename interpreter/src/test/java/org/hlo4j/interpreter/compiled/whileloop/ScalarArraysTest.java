package org.hlo4j.interpreter.compiled.whileloop;

import static com.google.common.truth.Truth.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.compiled.StandaloneContext;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Loops that read and write single elements of arrays, as {@link LoopRows}. */
final class ScalarArraysTest {
  private static final String ROWS =
      """
      elements at clamped starts
      s32[5] constant({-7, 0, 2, 9, 1})
      s32[3] constant({10, 20, 30})
        start = s32[1] dynamic-slice(a, i), dynamic_slice_sizes={1}
        at = s32[] reshape(start)
        x = s32[1] dynamic-slice(b, at), dynamic_slice_sizes={1}
        next_a = s32[5] dynamic-update-slice(a, x, i)
      -> s32[5] {10, 10, 30, 30, 1}, s32[3] {10, 20, 30}

      starts without a sign, and long ones
      s64[3] constant({-9000000000, 1, 9000000000})
      u32[4] constant({4000000000, 1, 0, 2})
        u = u32[1] dynamic-slice(b, i), dynamic_slice_sizes={1}
        at = u32[] reshape(u)
        x = s64[1] dynamic-slice(a, at), dynamic_slice_sizes={1}
        from = s64[] reshape(x)
        v = u32[1] dynamic-slice(b, from), dynamic_slice_sizes={1}
        next_b = u32[4] dynamic-update-slice(b, v, i)
      -> s64[3] {-9000000000, 1, 9000000000}, u32[4] {2, 1, 2, 2}

      a recurrence
      s32[5] constant({1, 2, 3, 4, 5})
      f32[] constant(0)
        at = s32[] add(i, one)
        x = s32[1] dynamic-slice(a, i), dynamic_slice_sizes={1}
        y = s32[1] dynamic-slice(a, at), dynamic_slice_sizes={1}
        sum = s32[1] add(x, y)
        next_a = s32[5] dynamic-update-slice(a, sum, at)
      -> s32[5] {1, 3, 6, 10, 15}, f32[] 0

      rows and columns
      u8[2,3] constant({{1, 2, 3}, {4, 5, 6}})
      u8[6] constant({0, 0, 0, 0, 0, 0})
        x = u8[1,1] dynamic-slice(a, one, i), dynamic_slice_sizes={1,1}
        flat = u8[6] reshape(a)
        y = u8[1] slice(flat), slice={[2:3]}
        z = u8[1] reshape(x)
        first = u8[1] iota(), iota_dimension=0
        turned = u8[1] reverse(y), dimensions={0}
        more = u8[1] add(turned, first)
        sum = u8[1] add(more, z)
        next_b = u8[6] dynamic-update-slice(b, sum, i)
      -> u8[2,3] { { 1, 2, 3 }, { 4, 5, 6 } }, u8[6] {7, 8, 9, 9, 0, 0}

      narrow floats and booleans
      bf16[4] constant({1, 2, 3, 4})
      pred[4] constant({true, false, true, false})
        x = bf16[1] dynamic-slice(a, i), dynamic_slice_sizes={1}
        y = bf16[1] add(x, x)
        p = pred[1] dynamic-slice(b, i), dynamic_slice_sizes={1}
        z = bf16[1] select(p, y, x)
        q = pred[1] not(p)
        next_a = bf16[4] dynamic-update-slice(a, z, i)
        next_b = pred[4] dynamic-update-slice(b, q, i)
      -> bf16[4] {2, 2, 6, 4}, pred[4] {0, 1, 0, 1}

      a table
      s32[4] constant({3, 2, 1, 0})
      s32[] constant(0)
        table = s32[4] constant({10, 11, 12, 13})
        u = s32[1] dynamic-slice(a, i), dynamic_slice_sizes={1}
        at = s32[] reshape(u)
        t = s32[1] dynamic-slice(table, at), dynamic_slice_sizes={1}
        next_a = s32[4] dynamic-update-slice(a, t, i)
        next_b = s32[] add(b, at)
      -> s32[4] {13, 12, 11, 10}, s32[] 6

      branches that write, or do not
      exchange {
        p = (s32[4], s32[], s32[]) parameter(0)
        x = s32[4] get-tuple-element(p), index=0
        i = s32[] get-tuple-element(p), index=1
        j = s32[] get-tuple-element(p), index=2
        u = s32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}
        v = s32[1] dynamic-slice(x, j), dynamic_slice_sizes={1}
        y = s32[4] dynamic-update-slice(x, v, i)
        ROOT z = s32[4] dynamic-update-slice(y, u, j)
      }
      leave {
        p = (s32[4], s32[], s32[]) parameter(0)
        ROOT x = s32[4] get-tuple-element(p), index=0
      }
      s32[4] constant({9, 5, 7, 6})
      s32[] constant(0)
        j = s32[] add(i, one)
        u = s32[1] dynamic-slice(a, i), dynamic_slice_sizes={1}
        v = s32[1] dynamic-slice(a, j), dynamic_slice_sizes={1}
        g = pred[1] compare(u, v), direction=GT
        p = pred[] reshape(g)
        t = (s32[4], s32[], s32[]) tuple(a, i, j)
        next_a = s32[4] conditional(p, t, t), true_computation=exchange, false_computation=leave
      -> s32[4] {5, 7, 6, 9}, s32[] 0

      a loop within writes to the array
      below {
        s = (s32[], s32[4]) parameter(0)
        j = s32[] get-tuple-element(s), index=0
        n = s32[] constant(4)
        ROOT r = pred[] compare(j, n), direction=LT
      }
      add_one {
        s = (s32[], s32[4]) parameter(0)
        j = s32[] get-tuple-element(s), index=0
        x = s32[4] get-tuple-element(s), index=1
        one = s32[] constant(1)
        k = s32[] add(j, one)
        u = s32[1] dynamic-slice(x, j), dynamic_slice_sizes={1}
        v = s32[1] reshape(one)
        w = s32[1] add(u, v)
        y = s32[4] dynamic-update-slice(x, w, j)
        ROOT r = (s32[], s32[4]) tuple(k, y)
      }
      s32[4] constant({0, 0, 0, 0})
      s32[] constant(0)
        t = (s32[], s32[4]) tuple(i, a)
        w = (s32[], s32[4]) while(t), condition=below, body=add_one
        next_a = s32[4] get-tuple-element(w), index=1
        next_b = s32[] get-tuple-element(w), index=0
      -> s32[4] {1, 2, 3, 4}, s32[] 4

      a loop within writes to a copy of what stays
      below {
        s = (s32[], s32[4]) parameter(0)
        j = s32[] get-tuple-element(s), index=0
        n = s32[] constant(4)
        ROOT r = pred[] compare(j, n), direction=LT
      }
      sum {
        s = (s32[], s32[4]) parameter(0)
        j = s32[] get-tuple-element(s), index=0
        x = s32[4] get-tuple-element(s), index=1
        one = s32[] constant(1)
        k = s32[] add(j, one)
        u = s32[1] dynamic-slice(x, j), dynamic_slice_sizes={1}
        v = s32[1] dynamic-slice(x, k), dynamic_slice_sizes={1}
        w = s32[1] add(u, v)
        y = s32[4] dynamic-update-slice(x, w, k)
        ROOT r = (s32[], s32[4]) tuple(k, y)
      }
      s32[4] constant({1, 1, 1, 1})
      s32[] constant(0)
        t = (s32[], s32[4]) tuple(i, a)
        w = (s32[], s32[4]) while(t), condition=below, body=sum
        x = s32[4] get-tuple-element(w), index=1
        y = s32[1] slice(x), slice={[3:4]}
        z = s32[] reshape(y)
        next_b = s32[] add(b, z)
      -> s32[4] {1, 1, 1, 1}, s32[] 20

      an array that is still read when it is overwritten
      s32[4] constant({1, 2, 3, 4})
      s32[] constant(0)
        v = s32[1] reshape(i)
        next_a = s32[4] dynamic-update-slice(a, v, one)
        u = s32[1] dynamic-slice(a, one), dynamic_slice_sizes={1}
        next_b = s32[] reshape(u)
      -> s32[4] {1, 3, 3, 4}, s32[] 2

      arrays that change their places
      s32[2] constant({1, 2})
      s32[2] constant({3, 4})
        next_a = s32[2] copy(b)
        next_b = s32[2] copy(a)
      -> s32[2] {1, 2}, s32[2] {3, 4}

      what is passed on has been overwritten
      below {
        s = (s32[], s32[2]) parameter(0)
        j = s32[] get-tuple-element(s), index=0
        n = s32[] constant(4)
        ROOT r = pred[] compare(j, n), direction=LT
      }
      put {
        s = (s32[], s32[2]) parameter(0)
        j = s32[] get-tuple-element(s), index=0
        x = s32[2] get-tuple-element(s), index=1
        one = s32[] constant(1)
        k = s32[] add(j, one)
        v = s32[1] reshape(j)
        y = s32[2] dynamic-update-slice(x, v, j)
        ROOT r = (s32[], s32[2]) tuple(k, y)
      }
      s32[2] constant({1, 2})
      s32[] constant(0)
        v = s32[1] reshape(i)
        x = s32[2] dynamic-update-slice(a, v, zero)
        t = (s32[], s32[2]) tuple(i, x)
        w = (s32[], s32[2]) while(t), condition=below, body=put
        next_a = s32[2] copy(x)
        next_b = s32[] get-tuple-element(w), index=0
      -> s32[2] {3, 2}, s32[] 4

      two next states of one array
      s32[2] constant({1, 2})
      s32[2] constant({3, 4})
        v = s32[1] reshape(i)
        next_a = s32[2] dynamic-update-slice(a, v, zero)
        next_b = s32[2] dynamic-update-slice(a, v, one)
      -> s32[2] {3, 2}, s32[2] {2, 3}
      """;

  @TestFactory
  Stream<DynamicTest> rows() {
    return LoopRows.of(ROWS);
  }

  @Test
  void forwardedArraysAreNotOverwrittenLater() {
    HloModule module =
        Parser.parse(
            """
            HloModule passing

            more {
              s = (s32[], f32[2000], f32[]) parameter(0)
              i = s32[] get-tuple-element(s), index=0
              n = s32[] constant(2000)
              ROOT m = pred[] compare(i, n), direction=LT
            }

            turn {
              s = (s32[], f32[2000], f32[]) parameter(0)
              i = s32[] get-tuple-element(s), index=0
              a = f32[2000] get-tuple-element(s), index=1
              b = f32[] get-tuple-element(s), index=2
              one = s32[] constant(1)
              j = s32[] add(i, one)
              x = f32[1] dynamic-slice(a, i), dynamic_slice_sizes={1}
              y = f32[] reshape(x)
              c = f32[] add(b, y)
              ROOT r = (s32[], f32[2000], f32[]) tuple(j, a, c)
            }

            ENTRY main {
              x = f32[2000] parameter(0)
              i = s32[] constant(0)
              a = f32[2000] add(x, x)
              b = f32[] constant(0)
              t = (s32[], f32[2000], f32[]) tuple(i, a, b)
              w = (s32[], f32[2000], f32[]) while(t), condition=more, body=turn
              same = f32[2000] get-tuple-element(w), index=1
              sum = f32[] get-tuple-element(w), index=2
              all = f32[2000] broadcast(sum), dimensions={}
              product = f32[2000] multiply(all, x)
              ROOT r = (f32[2000], f32[2000]) tuple(product, same)
            }
            """);
    Literal ones = Literal.full(Shape.of(ElementType.F32, 2000), 1);
    Executable compiled = Interpreter.compiled().compile(module);
    assertThat(compiled.explain()).contains("generated method on scalars");
    assertThat(compiled.run(ones))
        .isEqualTo(
            Literal.tuple(
                Literal.full(Shape.of(ElementType.F32, 2000), 4000),
                Literal.full(Shape.of(ElementType.F32, 2000), 2)));
  }

  @Test
  void bitsOfNaNsAreThoseOfTheReference() {
    HloModule module =
        Parser.parse(
            """
            HloModule bits

            bits {
              x = f32[] parameter(0)
              y = f32[] subtract(x, x)
              z = f32[] negate(y)
              ROOT b = u32[] bitcast-convert(z)
            }

            ENTRY main {
              x = f32[] parameter(0)
              ROOT b = u32[] call(x), to_apply=bits
            }
            """);
    Literal[] infinity = {Literal.of(Float.POSITIVE_INFINITY)};
    Literal bits =
        ScalarKernels.kernel(module.entry().root(), true)
            .kernel()
            .orElseThrow()
            .run(infinity, new StandaloneContext(1));
    assertThat(bits.toString()).isEqualTo("u32[] " + 0xffc00000L);
    assertThat(bits).isEqualTo(Interpreter.reference().run(module, infinity));
  }

  @Test
  void explainSaysWhyALoopRunsStepByStep() {
    HloModule module =
        Parser.parse(
            """
            HloModule m

            more {
              s = (s32[], f32[100000]) parameter(0)
              i = s32[] get-tuple-element(s), index=0
              n = s32[] constant(20)
              ROOT less = pred[] compare(i, n), direction=LT
            }

            step {
              s = (s32[], f32[100000]) parameter(0)
              i = s32[] get-tuple-element(s), index=0
              x = f32[100000] get-tuple-element(s), index=1
              y = f32[100000] add(x, x)
              one = s32[] constant(1)
              j = s32[] add(i, one)
              ROOT t = (s32[], f32[100000]) tuple(j, y)
            }

            ENTRY e {
              p = (s32[], f32[100000]) parameter(0)
              ROOT w = (s32[], f32[100000]) while(p), condition=more, body=step
            }
            """);
    assertThat(Interpreter.compiled().compile(module).explain())
        .contains("while, step by step: better done by a kernel: f32[100000]\n");
  }

  /**
   * The product in the loop adds in the order of its kernel, so that it has the bits of the product
   * alone.
   */
  @Test
  void largeMatrixVectorProductIsACall() {
    HloModule loop =
        Parser.parse(
            """
            HloModule m

            more {
              s = (s32[], f32[256], f32[256,256]) parameter(0)
              i = s32[] get-tuple-element(s), index=0
              zero = s32[] constant(0)
              ROOT more = pred[] compare(i, zero), direction=GT
            }

            step {
              s = (s32[], f32[256], f32[256,256]) parameter(0)
              i = s32[] get-tuple-element(s), index=0
              x = f32[256] get-tuple-element(s), index=1
              a = f32[256,256] get-tuple-element(s), index=2
              y = f32[256] dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
              one = s32[] constant(1)
              j = s32[] subtract(i, one)
              ROOT t = (s32[], f32[256], f32[256,256]) tuple(j, y, a)
            }

            ENTRY e {
              n = s32[] parameter(0)
              x = f32[256] parameter(1)
              a = f32[256,256] parameter(2)
              s = (s32[], f32[256], f32[256,256]) tuple(n, x, a)
              w = (s32[], f32[256], f32[256,256]) while(s), condition=more, body=step
              ROOT y = f32[256] get-tuple-element(w), index=1
            }
            """);
    HloModule product =
        Parser.parse(
            """
            HloModule m

            ENTRY e {
              x = f32[256] parameter(0)
              a = f32[256,256] parameter(1)
              ROOT y = f32[256] dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
            }
            """);
    Random random = new Random(1);
    Literal x = Literal.of(random(random, 256));
    Literal a =
        Literal.of(
            IntStream.range(0, 256).mapToObj(i -> random(random, 256)).toArray(float[][]::new));
    Executable compiled = Interpreter.compiled().compile(loop);
    if (Machine.isVectorApiOn()) {
      assertThat(compiled.explain()).contains("with 1 calls");
    }
    assertThat(compiled.run(Literal.of(1), x, a))
        .isEqualTo(Interpreter.compiled().run(product, x, a));
  }

  private static float[] random(Random random, int count) {
    float[] numbers = new float[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = random.nextFloat() - 0.5f;
    }
    return numbers;
  }
}
