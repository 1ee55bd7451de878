package org.hlo4j.interpreter.compiled.gemm;

import java.util.function.Function;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.interpreter.engine.KernelChoice;

/** Checks of the kernels of products. */
public final class Products {
  private Products() {}

  /** {@return a tester of kernels that contain products} */
  public static KernelTester tester(Function<HloInstruction, KernelChoice> kernels) {
    return new KernelTester(kernels, KernelTester.Values.UP_TO_ONE, _ -> MicroKernels.await());
  }

  /** Compares on random arguments, within the tolerance of sums of {@code terms} products. */
  public static void check(
      Function<HloInstruction, KernelChoice> kernels, String hlo, long seed, long terms) {
    KernelTester tester = tester(kernels);
    HloModule module = Parser.parse(hlo);
    tester.check(KernelTester.terms(terms), module, tester.arguments(module, seed));
  }

  /** Checks a dot of operands of these shapes. */
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

  /** Checks {@code [m,k] * [k,n]}. */
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
}
