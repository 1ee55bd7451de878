package org.hlo4j.interpreter.compiled.whileloop;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.Range;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.interpreter.compiled.StandaloneContext;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Instructions on scalars, compiled to one method, against the reference evaluator. */
final class ScalarKernelsTest {
  private static void check(String text, Literal... operands) {
    HloModule module = Parser.parse(text);
    Literal result =
        ScalarKernels.kernel(module.entry().root(), false)
            .kernel()
            .orElseThrow()
            .run(operands, new StandaloneContext(1));
    LiteralSubject.assertThat(result).isEqualTo(Interpreter.reference().run(module, operands));
  }

  @Test
  void whileSwapsItsState() {
    check(
        """
        HloModule fibonacci

        condition {
          state = (s32[], u64[], u64[]) parameter(0)
          n = s32[] get-tuple-element(state), index=0
          zero = s32[] constant(0)
          ROOT more = pred[] compare(n, zero), direction=GT
        }

        body {
          state = (s32[], u64[], u64[]) parameter(0)
          n = s32[] get-tuple-element(state), index=0
          one = s32[] constant(1)
          less = s32[] subtract(n, one)
          a = u64[] get-tuple-element(state), index=1
          b = u64[] get-tuple-element(state), index=2
          sum = u64[] add(a, b)
          ROOT next = (s32[], u64[], u64[]) tuple(less, b, sum)
        }

        ENTRY main {
          state = (s32[], u64[], u64[]) parameter(0)
          ROOT result = (s32[], u64[], u64[]) while(state), condition=condition, body=body
        }
        """,
        Literal.tuple(
            Literal.of(90), Literal.of(ElementType.U64, 0), Literal.of(ElementType.U64, 1)));
  }

  @Test
  void branchesAndCalls() {
    String text =
        """
        HloModule branches

        twice {
          x = f32[] parameter(0)
          ROOT y = f32[] add(x, x)
        }

        root {
          x = f32[] parameter(0)
          ROOT y = f32[] sqrt(x)
        }

        call_twice {
          x = f32[] parameter(0)
          y = f32[] call(x), to_apply=twice
          ROOT z = f32[] call(y), to_apply=twice
        }

        choose {
          i = s32[] parameter(0)
          x = f32[] parameter(1)
          ROOT y = f32[] conditional(i, x, x, x), branch_computations={twice, root, call_twice}
        }

        ENTRY main {
          i = s32[] parameter(0)
          x = f32[] parameter(1)
          ROOT y = f32[] call(i, x), to_apply=choose
        }
        """;
    for (int i = -1; i <= 3; i++) {
      check(text, Literal.of(i), Literal.of(2f));
    }
  }

  @Test
  void loopsWithinLoops() {
    check(
        """
        HloModule collatz

        below {
          s = (s64[], s64[]) parameter(0)
          n = s64[] get-tuple-element(s), index=0
          one = s64[] constant(1)
          ROOT more = pred[] compare(n, one), direction=NE
        }

        step {
          s = (s64[], s64[]) parameter(0)
          n = s64[] get-tuple-element(s), index=0
          steps = s64[] get-tuple-element(s), index=1
          one = s64[] constant(1)
          two = s64[] constant(2)
          three = s64[] constant(3)
          odd = s64[] and(n, one)
          is_odd = pred[] convert(odd)
          half = s64[] divide(n, two)
          thrice = s64[] multiply(n, three)
          more = s64[] add(thrice, one)
          next = s64[] select(is_odd, more, half)
          count = s64[] add(steps, one)
          ROOT r = (s64[], s64[]) tuple(next, count)
        }

        outer_below {
          s = (s64[], s64[]) parameter(0)
          i = s64[] get-tuple-element(s), index=0
          limit = s64[] constant(100)
          ROOT more = pred[] compare(i, limit), direction=LT
        }

        outer_step {
          s = (s64[], s64[]) parameter(0)
          i = s64[] get-tuple-element(s), index=0
          most = s64[] get-tuple-element(s), index=1
          zero = s64[] constant(0)
          start = (s64[], s64[]) tuple(i, zero)
          end = (s64[], s64[]) while(start), condition=below, body=step
          steps = s64[] get-tuple-element(end), index=1
          longest = s64[] maximum(most, steps)
          one = s64[] constant(1)
          next = s64[] add(i, one)
          ROOT r = (s64[], s64[]) tuple(next, longest)
        }

        ENTRY main {
          s = (s64[], s64[]) parameter(0)
          ROOT r = (s64[], s64[]) while(s), condition=outer_below, body=outer_step
        }
        """,
        Literal.tuple(Literal.of(1L), Literal.of(0L)));
  }

  @Test
  void endlessLoopsCheckLimits() {
    HloModule module =
        Parser.parse(
            """
            HloModule endless

            always {
              x = s32[] parameter(0)
              ROOT more = pred[] constant(true)
            }

            same {
              ROOT x = s32[] parameter(0)
            }

            ENTRY main {
              x = s32[] parameter(0)
              ROOT y = s32[] while(x), condition=always, body=same
            }
            """);
    Kernel kernel = ScalarKernels.kernel(module.entry().root(), false).kernel().orElseThrow();
    StandaloneContext context = new StandaloneContext(1);
    context.withMaxChecks(3);
    assertThrows(HloException.class, () -> kernel.run(new Literal[] {Literal.of(1)}, context));
    assertThat(context.checks()).isEqualTo(4);
  }

  @Test
  void nonScalarsAreNotCompiled() {
    HloModule module =
        Parser.parse(
            """
            HloModule array

            ENTRY main {
              x = s32[3] parameter(0)
              ROOT y = s32[3] add(x, x)
            }
            """);
    assertThat(ScalarKernels.kernel(module.entry().root(), false))
        .isEqualTo(KernelChoice.decline("better done by a kernel: s32[3]"));
  }

  private static final String POWERS =
      """
      HloModule powers

      condition {
        state = (s32[], s32[16], s32[16,24], s32[24,16]) parameter(0)
        i = s32[] get-tuple-element(state), index=0
        n = s32[] constant(50)
        ROOT more = pred[] compare(i, n), direction=LT
      }

      body {
        state = (s32[], s32[16], s32[16,24], s32[24,16]) parameter(0)
        i = s32[] get-tuple-element(state), index=0
        x = s32[16] get-tuple-element(state), index=1
        a = s32[16,24] get-tuple-element(state), index=2
        b = s32[24,16] get-tuple-element(state), index=3
        one = s32[] constant(1)
        next = s32[] add(i, one)
        y = s32[24] dot(b, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
        z = s32[16] dot(y, a), lhs_contracting_dims={0}, rhs_contracting_dims={1}
        bt = s32[16,24] transpose(b), dimensions={1,0}
        sum = s32[16,24] add(a, bt)
        c = s32[16,16] dot(sum, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}
        w = s32[16] dot(z, c), lhs_contracting_dims={0}, rhs_contracting_dims={0}
        ROOT r = (s32[], s32[16], s32[16,24], s32[24,16]) tuple(next, w, a, b)
      }

      ENTRY main {
        state = (s32[], s32[16], s32[16,24], s32[24,16]) parameter(0)
        ROOT result = (s32[], s32[16], s32[16,24], s32[24,16]) while(state), condition=condition, body=body
      }
      """;

  private static Literal numbers(long... sizes) {
    Shape.Array shape = Shape.of(ElementType.S32, sizes);
    LiteralBuilder builder = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      builder.setLong(i, i * i % 7 - 3);
    }
    return builder.build();
  }

  /** Loop-invariant matrices are stored by columns, for tiles of rows. */
  @Test
  void productsWithInvariantMatricesAreCalls() {
    HloModule module = Parser.parse(POWERS);
    Literal state = Literal.tuple(Literal.of(0), numbers(16), numbers(16, 24), numbers(24, 16));
    Literal want = Interpreter.reference().run(module, state);
    ScalarKernels.kernel(module.entry().root(), false, CodegenStrategy.CALLS)
        .kernel()
        .map(ScalarKernel.class::cast)
        .ifPresent(kernel -> {
          LiteralSubject.assertThat(kernel.run(new Literal[] {state}, new StandaloneContext(1)))
              .isEqualTo(want);
          kernel.prepare();
          LiteralSubject.assertThat(kernel.run(new Literal[] {state}, new StandaloneContext(1)))
              .isEqualTo(want);
          assertThat(kernel.describe()).endsWith("with 4 calls");
        });
  }

  /** A kernel adds the 64 elements of a row of this matrix in 32 sums, with vectors and without. */
  @Test
  void sumsThatKernelsAddInAnotherOrderNeedCalls() {
    HloModule module =
        Parser.parse(
            """
            HloModule powers

            condition {
              state = (s32[], f32[64], f32[192,64]) parameter(0)
              i = s32[] get-tuple-element(state), index=0
              n = s32[] constant(50)
              ROOT more = pred[] compare(i, n), direction=LT
            }

            body {
              state = (s32[], f32[64], f32[192,64]) parameter(0)
              i = s32[] get-tuple-element(state), index=0
              x = f32[64] get-tuple-element(state), index=1
              a = f32[192,64] get-tuple-element(state), index=2
              one = s32[] constant(1)
              next = s32[] add(i, one)
              y = f32[192] dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
              z = f32[64] slice(y), slice={[0:192:3]}
              ROOT r = (s32[], f32[64], f32[192,64]) tuple(next, z, a)
            }

            ENTRY main {
              state = (s32[], f32[64], f32[192,64]) parameter(0)
              ROOT result = (s32[], f32[64], f32[192,64]) while(state), condition=condition, body=body
            }
            """);
    HloInstruction loop = module.entry().root();
    Kernel chosen = ScalarKernels.kernel(loop, false, CodegenStrategy.CALLS).kernel().orElseThrow();
    Random random = new Random(1);
    Literal state =
        Literal.tuple(
            Literal.of(0),
            KernelTester.Values.UP_TO_ONE.literal(Shape.of(ElementType.F32, 64), random),
            KernelTester.Values.UP_TO_ONE.literal(Shape.of(ElementType.F32, 192, 64), random));
    // A step limit keeps the loop out of a kernel.
    EvaluatorOptions withLimit = EvaluatorOptions.builder().maxSteps(1_000_000).build();
    Literal want = Interpreter.compiled(withLimit).run(module, state);
    assertThat(Interpreter.compiled().run(module, state)).isEqualTo(want);
    ((ScalarKernel) chosen).prepare();
    assertThat(chosen.run(new Literal[] {state}, new StandaloneContext(1))).isEqualTo(want);
  }

  /**
   * A sum over dimensions that are not listed as they are in memory has another order in generated
   * code than in kernels, so the loop calls a kernel.
   */
  @ParameterizedTest
  @ValueSource(strings = {"1,2", "2,1"})
  void orderOfContractingDimensions(String dimensions) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            body {
              p = (s32[], f32[2,5,7], f32[128,128], f32[128]) parameter(0)
              i = s32[] get-tuple-element(p), index=0
              one = s32[] constant(1)
              n = s32[] add(i, one)
              x = f32[2,5,7] get-tuple-element(p), index=1
              w = f32[128,128] get-tuple-element(p), index=2
              v = f32[128] get-tuple-element(p), index=3
              u = f32[128] dot(w, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
              s = f32[2,2] dot(x, x), lhs_contracting_dims={DIMS}, rhs_contracting_dims={DIMS}
              y = f32[2,5,7] dot(s, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
              ROOT r = (s32[], f32[2,5,7], f32[128,128], f32[128]) tuple(n, y, w, u)
            }
            below {
              q = (s32[], f32[2,5,7], f32[128,128], f32[128]) parameter(0)
              j = s32[] get-tuple-element(q), index=0
              most = s32[] constant(5)
              ROOT l = pred[] compare(j, most), direction=LT
            }
            ENTRY e {
              state = (s32[], f32[2,5,7], f32[128,128], f32[128]) parameter(0)
              ROOT loop = (s32[], f32[2,5,7], f32[128,128], f32[128]) while(state),
                condition=below, body=body
            }
            """
                .replace("DIMS", dimensions));
    HloInstruction loop = module.entry().root();
    Kernel kernel = ScalarKernels.kernel(loop, false).kernel().orElseThrow();
    Random random = new Random(1);
    Literal state =
        Literal.tuple(
            Literal.of(0),
            KernelTester.Values.UP_TO_ONE.literal(Shape.of(ElementType.F32, 2, 5, 7), random),
            KernelTester.Values.UP_TO_ONE.literal(Shape.of(ElementType.F32, 128, 128), random),
            KernelTester.Values.UP_TO_ONE.literal(Shape.of(ElementType.F32, 128), random));
    EvaluatorOptions withLimit = EvaluatorOptions.builder().maxSteps(1_000_000).build();
    assertThat(kernel.run(new Literal[] {state}, new StandaloneContext(1)))
        .isEqualTo(Interpreter.compiled(withLimit).run(module, state));
  }

  /** A loop switches to its other form once that is faster, and computes the same. */
  @Test
  void fasterFormTakesOver() {
    HloModule module = Parser.parse(POWERS);
    HloInstruction loop = module.entry().root();
    Literal state = Literal.tuple(Literal.of(0), numbers(16), numbers(16, 24), numbers(24, 16));
    Literal want = Interpreter.reference().run(module, state);
    Optional<Kernel> calling = ScalarKernels.kernel(loop, false, CodegenStrategy.CALLS).kernel();
    assertThat(calling.isPresent()).isEqualTo(Machine.isVectorApiOn());
    if (calling.isPresent()) {
      ScalarKernel made = (ScalarKernel) calling.get();
      Slow slow =
          new Slow(
              ScalarKernels.kernel(loop, false, CodegenStrategy.MEMORY).kernel().orElseThrow());
      TieredLoop tiered = new TieredLoop(loop.shape(), slow, () -> made);
      StandaloneContext mine = new StandaloneContext(1);
      for (int runs = 1; runs == slow.runs(mine) + 1 && runs <= 600; runs++) {
        LiteralSubject.assertThat(tiered.run(new Literal[] {state}, mine)).isEqualTo(want);
      }
      assertThat(slow.runs(mine)).isIn(Range.closedOpen(2, 600));
      LiteralSubject.assertThat(tiered.run(new Literal[] {state}, mine)).isEqualTo(want);
      TieredLoop single = new TieredLoop(loop.shape(), slow, () -> null);
      single.warmUp(state);
      LiteralSubject.assertThat(single.run(new Literal[] {state}, mine)).isEqualTo(want);
    }
  }

  /** A kernel that takes a tenth of a second longer than it needs. */
  private static final class Slow implements Kernel {
    private final Kernel kernel;
    private final List<KernelContext> contexts = new CopyOnWriteArrayList<>();

    Slow(Kernel kernel) {
      this.kernel = kernel;
    }

    int runs(KernelContext context) {
      return Collections.frequency(contexts, context);
    }

    @Override
    public Literal run(Literal[] operands, KernelContext context) {
      contexts.add(context);
      LockSupport.parkNanos(100_000_000);
      return kernel.run(operands, context);
    }

    @Override
    public int forwardedOperand(int array) {
      return kernel.forwardedOperand(array);
    }

    @Override
    public String describe() {
      return "slow";
    }
  }

  @Test
  void forwardingOfOtherArraysIsDetected() {
    HloInstruction loop = Parser.parse(POWERS).entry().root();
    Kernel kernel =
        ScalarKernels.kernel(loop, false, CodegenStrategy.MEMORY).kernel().orElseThrow();
    assertThat(((ScalarKernel) kernel).forwardsSameArraysAs(kernel)).isTrue();
    assertThat(((ScalarKernel) kernel).forwardsSameArraysAs(Copy.OF_ALL)).isFalse();
  }

  private enum Copy implements Kernel {
    OF_ALL;

    @Override
    public Literal run(Literal[] operands, KernelContext context) {
      throw new AssertionError("not to be run");
    }

    @Override
    public String describe() {
      return "copy";
    }
  }

  /**
   * An iteration counts as its operations, here about 20 elements and the counter: the limits are
   * asked for once in the 1,000 iterations of each inner loop, after 16,384 operations.
   */
  @Test
  void nestedLoopsCheckLimits() {
    HloModule module =
        Parser.parse(
            """
            HloModule nested

            inner_condition {
              s = (s32[], s32[20]) parameter(0)
              i = s32[] get-tuple-element(s), index=0
              n = s32[] constant(1000)
              ROOT more = pred[] compare(i, n), direction=LT
            }

            inner_body {
              s = (s32[], s32[20]) parameter(0)
              i = s32[] get-tuple-element(s), index=0
              x = s32[20] get-tuple-element(s), index=1
              one = s32[] constant(1)
              next = s32[] add(i, one)
              y = s32[20] add(x, x)
              ROOT r = (s32[], s32[20]) tuple(next, y)
            }

            condition {
              s = (s32[], s32[20]) parameter(0)
              i = s32[] get-tuple-element(s), index=0
              n = s32[] constant(10)
              ROOT more = pred[] compare(i, n), direction=LT
            }

            body {
              s = (s32[], s32[20]) parameter(0)
              i = s32[] get-tuple-element(s), index=0
              x = s32[20] get-tuple-element(s), index=1
              zero = s32[] constant(0)
              one = s32[] constant(1)
              next = s32[] add(i, one)
              inner = (s32[], s32[20]) tuple(zero, x)
              end = (s32[], s32[20]) while(inner), condition=inner_condition, body=inner_body
              y = s32[20] get-tuple-element(end), index=1
              ROOT r = (s32[], s32[20]) tuple(next, y)
            }

            ENTRY main {
              s = (s32[], s32[20]) parameter(0)
              ROOT r = (s32[], s32[20]) while(s), condition=condition, body=body
            }
            """);
    Kernel kernel =
        ScalarKernels.kernel(module.entry().root(), false, CodegenStrategy.LOOPS)
            .kernel()
            .orElseThrow();
    StandaloneContext context = new StandaloneContext(1);
    kernel.run(new Literal[] {Literal.tuple(Literal.of(0), numbers(20))}, context);
    assertThat(context.checks()).isEqualTo(10);
  }
}
