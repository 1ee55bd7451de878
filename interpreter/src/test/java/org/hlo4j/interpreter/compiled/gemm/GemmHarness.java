package org.hlo4j.interpreter.compiled.gemm;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.truth.DoubleSubject;
import java.util.Random;
import java.util.function.Function;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.compiled.StandaloneContext;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.KernelContext;

/** Runs the kernel of a module's root in all ways, and compares with the reference evaluator. */
public final class GemmHarness {
  private static final KernelContext ONE = new StandaloneContext(1);
  private static final KernelContext TWO = new StandaloneContext(2);

  private GemmHarness() {}

  /** Root operands are parameters 0, 1, and so on. */
  public static void check(
      Function<HloInstruction, KernelChoice> kernels, String hlo, long seed, long terms) {
    Random random = new Random(seed);
    Literal[] in =
        Parser.parse(hlo).entry().parameters().stream()
            .map(parameter -> random((Shape.Array) parameter.shape(), random))
            .toArray(Literal[]::new);
    check(kernels, hlo, in, terms);
  }

  /** A dot of these shapes. */
  static void dot(String lhs, String rhs, String result, String attributes, long terms) {
    check(
        DotKernels::kernel,
        """
        HloModule m
        ENTRY e {
          a = %s parameter(0)
          b = %s parameter(1)
          ROOT c = %s dot(a, b), %s
        }
        """
            .formatted(lhs, rhs, result, attributes),
        terms,
        terms);
  }

  /** {@code [m,k] * [k,n]} */
  static void matmul(String type, int m, int k, int n) {
    matmul(type, type, type, m, k, n);
  }

  static void matmul(String lhs, String rhs, String result, int m, int k, int n) {
    dot(
        "%s[%d,%d]".formatted(lhs, m, k),
        "%s[%d,%d]".formatted(rhs, k, n),
        "%s[%d,%d]".formatted(result, m, n),
        "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        k);
  }

  /** The same for given operands. */
  public static void check(
      Function<HloInstruction, KernelChoice> kernels, String hlo, Literal[] in, long terms) {
    HloModule module = Parser.parse(hlo);
    Kernel kernel = kernels.apply(module.entry().root()).kernel().orElseThrow();
    Literal want = Interpreter.reference().run(module, in);
    Literal first = kernel.run(in, ONE);
    assertNear(hlo + kernel.describe(), first, want, terms);
    assertThat(kernel.run(in, TWO)).isEqualTo(first);
    MicroKernels.await();
    ShortRowGemv.await();
    assertWithMessage("%s%s", hlo, kernel.describe()).that(kernel.run(in, ONE)).isEqualTo(first);
    assertWithMessage("%s%s", hlo, kernel.describe()).that(kernel.run(in, TWO)).isEqualTo(first);
  }

  /**
   * Integers, infinities and NaNs equal; floats of absolute value 1 at most within terms * 2^-24
   * per term.
   */
  private static void assertNear(String message, Literal got, Literal want, long terms) {
    if (!want.elementType().isFloating()) {
      assertWithMessage(message).that(got).isEqualTo(want);
      return;
    }
    double unit = Math.scalb(1.0, -1 - Math.min(want.elementType().mantissaBits(), 52));
    double f32 = want.elementType() == ElementType.F64 ? unit : 0x1p-24;
    for (int i = 0; i < want.elementCount(); i++) {
      double wanted = want.doubleAt(i);
      double bound = terms * terms * f32 + 2 * unit * Math.abs(wanted);
      if (Math.abs(got.doubleAt(i) - wanted) <= bound) {
        continue;
      }
      DoubleSubject subject = assertWithMessage("%s at %s", message, i).that(got.doubleAt(i));
      if (Double.isFinite(wanted)) {
        subject.isWithin(bound).of(wanted);
      } else {
        subject.isEqualTo(wanted);
      }
    }
  }

  public static Literal random(Shape.Array shape, Random random) {
    LiteralBuilder builder = new LiteralBuilder(shape);
    ElementType type = shape.elementType();
    for (int i = 0; i < shape.elementCount(); i++) {
      switch (type.kind()) {
        case PRED, SIGNED, UNSIGNED -> builder.setLong(i, random.nextLong());
        case FLOAT -> builder.setDouble(i, random.nextDouble() * 2 - 1);
        case COMPLEX -> builder.setComplex(i, random.nextDouble(), random.nextDouble() - 1);
      }
    }
    return builder.build();
  }
}
