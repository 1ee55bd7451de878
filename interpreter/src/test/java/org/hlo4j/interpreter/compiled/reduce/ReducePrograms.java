package org.hlo4j.interpreter.compiled.reduce;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.interpreter.engine.Kernel;

/** Modules of reductions, and checks of their kernels. */
final class ReducePrograms {
  static final KernelTester TESTER =
      new KernelTester(ReduceKernels::kernel, KernelTester.Values.NORMAL, ReducePrograms::prepare);

  private static final String BODIES =
      """
      HloModule m
      sum { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] add(a, b) }
      max { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] maximum(a, b) }
      min { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] minimum(a, b) }
      """;

  /** A softmax of rows of any type and size, see {@link #module}. */
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

  private ReducePrograms() {}

  /**
   * Returns the module of a text in which TYPE, R and C stand for the element type and the numbers
   * of rows and columns.
   */
  static HloModule module(String text, String type, int rows, int columns) {
    return Parser.parse(
        (BODIES + text)
            .replace("TYPE", type)
            .replaceAll("\\bR([,\\]])", rows + "$1")
            .replaceAll("\\bC([,\\]])", columns + "$1"));
  }

  /** {@return the kernel of the root} */
  static Kernel kernel(HloModule module) {
    return TESTER.kernel(module);
  }

  /** {@return the text of a reducer of one op} */
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

  /**
   * {@return a module of a reduction of {@code f32[2,3]}, say, over {@code 1}, from an initial
   * value}
   */
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

  /**
   * Compares on random arguments.
   *
   * @param ulps the tolerance, see {@link KernelTester#ulps}
   */
  static void check(HloModule module, long seed, double ulps) {
    check(module, ulps, TESTER.arguments(module, seed));
  }

  /** Compares on arguments. */
  static void check(HloModule module, double ulps, Literal... arguments) {
    TESTER.check(KernelTester.ulps(ulps), module, arguments);
  }

  private static void prepare(Kernel kernel) {
    switch (kernel) {
      case ReduceKernel reduction -> reduction.prepare();
      case BlockReduceKernel rows -> rows.prepare();
      case ScanKernel scan -> scan.loop().prepare();
      default -> {}
    }
  }
}
