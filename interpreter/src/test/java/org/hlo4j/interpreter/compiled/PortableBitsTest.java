package org.hlo4j.interpreter.compiled;

import static com.google.common.truth.Truth.assertWithMessage;

import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checksums of the bits of results, which must not depend on the machine: these tests run with the
 * Vector API, with narrower vectors and without vectors, and kernels are chosen by shape. Each row
 * has the shapes of {@code a} and {@code b}, an instruction, and the checksum.
 */
final class PortableBitsTest {
  private static final String COMPUTATIONS =
      """
      add {
        x = f32[] parameter(0)
        y = f32[] parameter(1)
        ROOT s = f32[] add(x, y)
      }
      max {
        x = f32[] parameter(0)
        y = f32[] parameter(1)
        ROOT s = f32[] maximum(x, y)
      }
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[33,65]   | f32[65,20]   | f32[33,20] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} | 3699664261
          f32[70,300]  | f32[300]     | f32[70] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} | 2560871269
          f32[257,300] | f32[300,5]   | f32[257,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} | 3927037145
          f32[5,300]   | f32[257,300] | f32[5,257] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1} | 3475866210
          f32[1,784]   | f32[784,512] | f32[1,512] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} | 2431997583
          f32[128,784] | f32[784,130] | f32[128,130] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} | 1668719090
          f32[300,8]   | f32[300,9]   | f32[8,9] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0} | 546353013
          f32[16,6000] | f32[6000,17] | f32[16,17] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} | 3504209819
          f32[40,4,4]  | f32[40,4,4]  | f32[40,4,4] dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1} | 2125529526
          f64[40,90]   | f64[90,30]   | f64[40,30] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} | 3905657337
          bf16[40,90]  | bf16[90,30]  | bf16[40,30] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} | 3472671593
          f16[90,400]  | f16[400]     | f16[90] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} | 2627273217
          c64[40,30]   | c64[30,20]   | c64[40,20] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} | 20804362
          f32[1,9,30,16] | f32[3,3,16,1]  | f32[1,9,30,1] convolution(a, b), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f | 2634091469
          f32[1,9,30,32] | f32[3,3,32,3]  | f32[1,9,30,3] convolution(a, b), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f | 287696080
          f32[2,14,14,32] | f32[3,3,32,48] | f32[2,14,14,48] convolution(a, b), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f | 1147599869
          f32[2,28,28,1] | f32[5,5,1,6]   | f32[2,24,24,6] convolution(a, b), window={size=5x5}, dim_labels=b01f_01io->b01f | 1036536545
          f32[1,8,20,20] | f32[12,8,3,3]  | f32[1,12,9,9] convolution(a, b), window={size=3x3 stride=2x2}, dim_labels=bf01_oi01->bf01 | 457770485
          f32[2,9,9,24]  | f32[3,3,1,24]  | f32[2,9,9,24] convolution(a, b), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=24 | 3340991275
          f32[1,7,7,16]  | f32[3,3,16,8]  | f32[1,13,13,8] convolution(a, b), window={size=3x3 pad=1_1x1_1 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f | 4017325371
          f32[20,1000] | f32[] | f32[20] reduce(a, b), dimensions={1}, to_apply=add | 3459483074
          f32[20,40]   | f32[] | f32[20] reduce(a, b), dimensions={1}, to_apply=add | 838491381
          f32[1000,20] | f32[] | f32[20] reduce(a, b), dimensions={0}, to_apply=add | 914189538
          f32[50,7,9]  | f32[] | f32[7] reduce(a, b), dimensions={0,2}, to_apply=add | 1323010199
          f32[8,300]   | f32[] | f32[8,298] reduce-window(a, b), window={size=1x3}, to_apply=add | 1239716561
          c64[4,96]    | f32[] | c64[4,96] fft(a), fft_type=FFT, fft_length={96} | 107965357
          f32[3000]    | f32[] | f32[3000] exponential(a) | 3228272407
          f32[3000]    | f32[] | f32[3000] tanh(a) | 120254387
          f32[3000]    | f32[] | f32[3000] erf(a) | 1818327609
          f64[3000]    | f32[] | f64[3000] sine(a) | 2789125524
          f16[3000]    | f32[] | f16[3000] logistic(a) | 986578969
          c64[3000]    | c64[3000] | c64[3000] divide(a, b) | 2961853829
          """)
  void checksum(String a, String b, String root, long want) {
    check("ROOT r = " + root, a, b, want);
  }

  @ParameterizedTest
  @CsvSource({"24, 255062688", "100, 748670259", "1000, 439591598"})
  void softmax(int length, long want) {
    String body =
        """
        low = f32[] constant(-inf)
        zero = f32[] constant(0)
        m = f32[50] reduce(a, low), dimensions={1}, to_apply=max
        n = f32[50,N] broadcast(m), dimensions={0}
        d = f32[50,N] subtract(a, n)
        e = f32[50,N] exponential(d)
        s = f32[50] reduce(e, zero), dimensions={1}, to_apply=add
        t = f32[50,N] broadcast(s), dimensions={0}
        ROOT r = f32[50,N] divide(e, t)
        """;
    String size = String.valueOf(length);
    check(body.replace("N", size), "f32[50,N]".replace("N", size), "f32[]", want);
  }

  private static void check(String body, String a, String b, long want) {
    HloModule module =
        Parser.parse(
            "HloModule bits\n\n%s\nENTRY main {\n  a = %s parameter(0)\n  b = %s parameter(1)\n%s\n}"
                .formatted(COMPUTATIONS, a, b, body));
    Random random = new Random(1);
    Literal[] arguments =
        module.entry().parameters().stream()
            .map(parameter -> normal((Shape.Array) parameter.shape(), random))
            .toArray(Literal[]::new);
    Literal result = Interpreter.compiled().run(module, arguments);
    assertWithMessage("%s", module).that(checksum(result)).isEqualTo(want);
  }

  private static Literal normal(Shape.Array shape, Random random) {
    LiteralBuilder literal = new LiteralBuilder(shape.withLayout(null));
    ElementType part = shape.elementType().componentType();
    int components = (int) shape.elementCount() * (shape.elementType().isComplex() ? 2 : 1);
    for (int i = 0; i < components; i++) {
      literal.setBits(i, part.encode(random.nextGaussian()));
    }
    return literal.build();
  }

  private static long checksum(Literal result) {
    CRC32 sum = new CRC32();
    int components = result.elementCount() * (result.elementType().isComplex() ? 2 : 1);
    for (int i = 0; i < components; i++) {
      long bits = result.bitsAt(i);
      for (int shift : List.of(0, 8, 16, 24, 32, 40, 48, 56)) {
        sum.update((int) (bits >>> shift));
      }
    }
    return sum.getValue();
  }
}
