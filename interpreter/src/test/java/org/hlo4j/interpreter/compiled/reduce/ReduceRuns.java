package org.hlo4j.interpreter.compiled.reduce;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.compiled.StandaloneContext;
import org.hlo4j.interpreter.engine.Kernel;

/** Runs the kernel of a module's root beside the reference. */
final class ReduceRuns {
  private static final String BODIES =
      """
      HloModule m
      sum { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] add(a, b) }
      max { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] maximum(a, b) }
      """;

  /** Of rows and columns of any type, see {@link #module}. */
  static final String SOFTMAX =
      """
      fused {
        x = TYPE[R,C] parameter(0)
        low = TYPE[] constant(-inf)
        zero = TYPE[] constant(0)
        m = TYPE[R] reduce(x, low), dimensions={1}, to_apply=max
        mb = TYPE[R,C] broadcast(m), dimensions={0}
        d = TYPE[R,C] subtract(x, mb)
        e = TYPE[R,C] exponential(d)
        s = TYPE[R] reduce(e, zero), dimensions={1}, to_apply=sum
        sb = TYPE[R,C] broadcast(s), dimensions={0}
        ROOT y = TYPE[R,C] divide(e, sb)
      }
      ENTRY e {
        x = TYPE[R,C] parameter(0)
        ROOT y = TYPE[R,C] fusion(x), kind=kLoop, calls=fused
      }
      """;

  private ReduceRuns() {}

  /** A module of a text in which TYPE, R and C stand for a type and how many rows and columns. */
  static HloModule module(String text, String type, int rows, int columns) {
    return Parser.parse(
        (BODIES + text)
            .replace("TYPE", type)
            .replaceAll("\\bR([,\\]])", rows + "$1")
            .replaceAll("\\bC([,\\]])", columns + "$1"));
  }

  /** The kernel of the root. */
  static Kernel kernel(HloModule module) {
    return ReduceKernels.kernel(module.entry().root()).kernel().orElseThrow();
  }

  /** That a kernel may and does write its result where operand 0 is. */
  static void checkInPlace(HloModule module, long seed) {
    List<Literal> arguments = arguments(module, seed);
    Kernel kernel = kernel(module);
    assertThat(kernel.canReuseOperandBuffer(0)).isTrue();
    Literal apart = run(kernel, operands(module, arguments), 2);
    assertThat(runInPlace(kernel, operands(module, arguments))).isEqualTo(apart);
  }

  /** The text of a computation of one op. */
  static String body(String op, String type) {
    String scalar = type + "[]";
    return "body { a = "
        + scalar
        + " parameter(0) b = "
        + scalar
        + " parameter(1) ROOT r = "
        + scalar
        + " "
        + op
        + "(a, b) }\n";
  }

  /** A module of a reduce: of {@code f32[2,3]} over {@code {1}}, from an initial value. */
  static HloModule reduce(String operand, String dimensions, String op, String initial) {
    Shape.Array shape = (Shape.Array) Parser.parseShape(operand);
    String type = shape.elementType().toString();
    long[] reduced =
        Parser.parseShape("f32[" + dimensions + "]") instanceof Shape.Array array
            ? array.sizes().toArray()
            : new long[0];
    String result =
        shape
            .select(
                org.hlo4j.hlo.Dims.range(0, shape.rank()).without(org.hlo4j.hlo.Dims.of(reduced)))
            .toString();
    return Parser.parse(
        "HloModule m\n"
            + body(op, type)
            + "ENTRY e { x = "
            + operand
            + " parameter(0) i = "
            + type
            + "[] constant("
            + initial
            + ") ROOT y = "
            + result
            + " reduce(x, i), dimensions={"
            + dimensions
            + "}, to_apply=body }");
  }

  /** Random arguments of a module. */
  static List<Literal> arguments(HloModule module, long seed) {
    Random random = new Random(seed);
    return module.entry().parameters().stream()
        .map(parameter -> random((Shape.Array) parameter.shape(), random))
        .toList();
  }

  private static Literal random(Shape.Array shape, Random random) {
    LiteralBuilder builder = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      if (shape.elementType().isFloating()) {
        builder.setDouble(i, shape.elementType().round(random.nextGaussian()));
      } else {
        builder.setLong(i, shape.elementType().wrap(random.nextLong()));
      }
    }
    return builder.build();
  }

  /** The result of the root's kernel. */
  static Literal run(HloModule module, List<Literal> arguments, int threads) {
    HloInstruction root = module.entry().root();
    Kernel kernel =
        ReduceKernels.kernel(root)
            .kernel()
            .orElseThrow(() -> new AssertionError("no kernel of " + root));
    return run(kernel, operands(module, arguments), threads);
  }

  static Literal run(Kernel kernel, Literal[] operands, int threads) {
    return kernel.run(operands, new StandaloneContext(threads));
  }

  /** The result, put where operand 0 is. */
  static Literal runInPlace(Kernel kernel, Literal[] operands) {
    return kernel.run(operands, new StandaloneContext(2, operands[0]));
  }

  static Literal[] operands(HloModule module, List<Literal> arguments) {
    return module.entry().root().operands().stream()
        .map(operand ->
            operand.op() instanceof Constant constant
                ? constant.literal()
                : arguments.get(((Parameter) operand.op()).number()))
        .toArray(Literal[]::new);
  }

  static Literal expected(HloModule module, List<Literal> arguments) {
    return Interpreter.reference().run(module, arguments.toArray(Literal[]::new));
  }

  /**
   * Runs kernel and reference, before and after vectors are ready, and with two threads.
   *
   * @param ulps by how many units in the last place of the greatest magnitude floats may differ
   */
  static void check(HloModule module, long seed, double ulps) {
    check(module, arguments(module, seed), ulps);
  }

  /** The same with arguments that are given. */
  static void check(HloModule module, List<Literal> arguments, double ulps) {
    Literal expected = expected(module, arguments);
    String what = module.entry().root().toString();
    Literal first = run(module, arguments, 1);
    assertClose(what, first, expected, ulps);
    Kernel kernel = ReduceKernels.kernel(module.entry().root()).kernel().orElseThrow();
    Literal[] operands = operands(module, arguments);
    if (kernel instanceof ReduceKernel reduction) {
      reduction.prepare();
    } else if (kernel instanceof RowPerLaneKernel side) {
      side.prepare();
    } else if (kernel instanceof ContiguousReduceKernel along) {
      along.prepare();
    } else if (kernel instanceof ScanKernel scan && scan.loop() instanceof TieredReduceLoop tier) {
      tier.prepare();
    }
    Literal second = run(kernel, operands, 1);
    assertClose(what + " by vectors", second, expected, ulps);
    assertClose(what + " by two threads", run(kernel, operands, 2), second, 0);
  }

  static void assertClose(String what, Literal got, Literal want, double ulps) {
    List<Literal> parts = want.shape() instanceof Shape.Tuple ? want.elements() : List.of(want);
    List<Literal> gots = want.shape() instanceof Shape.Tuple ? got.elements() : List.of(got);
    for (int k = 0; k < parts.size(); k++) {
      assertWithMessage(what).that(gots.get(k).shape()).isEqualTo(parts.get(k).shape());
      if (ulps == 0 || !parts.get(k).elementType().isFloating()) {
        assertWithMessage(what).that(gots.get(k)).isEqualTo(parts.get(k));
      } else {
        assertNear(what, gots.get(k), parts.get(k), ulps);
      }
    }
  }

  private static void assertNear(String what, Literal got, Literal want, double ulps) {
    double unit = Math.scalb(1.0, -want.elementType().mantissaBits());
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < want.elementCount(); i++) {
      double a = got.doubleAt(i);
      double b = want.doubleAt(i);
      boolean same = Double.compare(a, b) == 0 || (Double.isNaN(a) && Double.isNaN(b));
      if (!same && !(Math.abs(a - b) <= ulps * unit * Math.max(1, Math.abs(b)))) {
        wrong.add(i + ": got " + a + ", want " + b);
      }
    }
    assertWithMessage(what)
        .that(ImmutableList.copyOf(wrong.subList(0, Math.min(5, wrong.size()))))
        .isEmpty();
  }
}
