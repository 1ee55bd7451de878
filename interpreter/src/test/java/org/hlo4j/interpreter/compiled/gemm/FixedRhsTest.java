package org.hlo4j.interpreter.compiled.gemm;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.interpreter.compiled.StandaloneContext;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.conv.Convolutions;
import org.hlo4j.interpreter.engine.KeptForms;
import org.hlo4j.interpreter.engine.Kernel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Products whose right side is the same in each run, and is kept packed. */
final class FixedRhsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          few rows           | f32[1,600]    | f32[600,192]  | f32[1,192]   | dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          odd few rows       | f32[6,300]    | f32[300,130]  | f32[6,130]   | dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          packed left side   | f32[40,300]   | f32[300,300]  | f32[40,300]  | dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          many rows          | f32[400,300]  | f32[300,130]  | f32[400,130] | dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          one narrow panel   | f32[400,70]   | f32[70,20]    | f32[400,20]  | dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          many blocks of k   | f32[300,2000] | f32[2000,70]  | f32[300,70]  | dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          contiguous columns | f32[40,300]   | f32[130,300]  | f32[40,130]  | dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}
          both transposed    | f32[300,40]   | f32[130,300]  | f32[40,130]  | dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={1}
          f64                | f64[40,300]   | f64[300,130]  | f64[40,130]  | dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          widened            | bf16[40,300]  | bf16[300,130] | bf16[40,130] | dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          convolution        | f32[1,20,20,8] | f32[3,3,8,40] | f32[1,18,18,40] | convolution(a, b), window={size=3x3}, dim_labels=b01f_01io->b01f
          transposed filter  | f32[1,20,20,8] | f32[40,8,3,3] | f32[1,18,18,40] | convolution(a, b), window={size=3x3}, dim_labels=b01f_oi01->b01f
          """)
  void isReadOnce(String name, String a, String b, String result, String product) {
    assumeTrue(Machine.isVectorApiOn(), "only tiles read packed operands");
    Kernels kernels = new Kernels(a, b, result, product);
    Literal want = kernels.run(kernels.plain, kernels.right);
    Literal first = kernels.run(kernels.fixed, kernels.right);
    Literal second = kernels.run(kernels.fixed, Literal.zeros((Shape.Array) kernels.right.shape()));
    assertThat(first).isEqualTo(want);
    assertWithMessage(name).that(second).isEqualTo(want);
    assertThat(kernels.keptBytes())
        .isAtLeast(kernels.right.elementCount() * Math.max(4L, bytes(kernels.right)));
    assertThat(kernels.plain.describe()).doesNotContain("right constant");
    assertThat(kernels.fixed.describe()).contains(", right constant");
  }

  private static long bytes(Literal literal) {
    return ((Shape.Array) literal.shape()).elementType().bits() / Byte.SIZE;
  }

  /** A padded image needs elements of the filter in each run, beside its packed form. */
  @Test
  void ofPaddedConvolutions() {
    assumeTrue(Machine.isVectorApiOn(), "only tiles read packed operands");
    Kernels kernels =
        new Kernels(
            "f32[1,20,20,8]",
            "f32[3,3,8,40]",
            "f32[1,20,20,40]",
            "convolution(a, b), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f");
    Literal want = kernels.run(kernels.plain, kernels.right);
    assertThat(kernels.run(kernels.fixed, kernels.right)).isEqualTo(want);
    assertThat(kernels.run(kernels.fixed, kernels.right)).isEqualTo(want);
    assertThat(kernels.keptBytes()).isAtLeast(4L * kernels.right.elementCount());
  }

  /** Batches, few rows of a narrow type and small products have no use for it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[2,40,300] | f32[2,300,130] | f32[2,40,130] | dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
          bf16[1,600]   | bf16[600,192]  | bf16[1,192]   | dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          f32[1,300]    | f32[130,300]   | f32[1,130]    | dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}
          f32[300,40]   | f32[4,300]     | f32[40,4]     | dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={1}
          f32[3,3]      | f32[3,3]       | f32[3,3]      | dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          """)
  void isNotKept(String a, String b, String result, String product) {
    Kernels kernels = new Kernels(a, b, result, product);
    assertThat(kernels.fixed).isSameInstanceAs(kernels.plain);
  }

  private static final class Kernels {
    private static final long ROOM = 1L << 30;

    final Literal left;
    final Literal right;
    final Kernel plain;
    final Kernel fixed;
    final KeptForms forms;
    private final AtomicLong room = new AtomicLong(ROOM);

    Kernels(String a, String b, String result, String product) {
      HloInstruction root =
          Parser.parse(
                  """
                  HloModule m
                  ENTRY e {
                    a = %s parameter(0)
                    b = %s parameter(1)
                    ROOT c = %s %s
                  }
                  """
                      .formatted(a, b, result, product))
              .entry()
              .root();
      Random random = new Random(1);
      left = literal(root, 0, random);
      right = literal(root, 1, random);
      plain =
          (root.op() instanceof Dot ? DotKernels.kernel(root) : Convolutions.kernel(root))
              .kernel()
              .orElseThrow();
      forms = new KeptForms(room);
      fixed = plain.withFixedOperand(1, forms);
    }

    long keptBytes() {
      return ROOM - room.get();
    }

    private static Literal literal(HloInstruction root, int operand, Random random) {
      Shape.Array shape = (Shape.Array) root.operands().get(operand).shape().withoutLayout();
      return KernelTester.Values.UP_TO_ONE.literal(shape, random);
    }

    /** Runs a kernel once its tiles are ready. */
    Literal run(Kernel kernel, Literal b) {
      kernel.warmUp();
      MicroKernels.await();
      return new StandaloneContext(2).run(kernel, new Literal[] {left, b});
    }
  }
}
