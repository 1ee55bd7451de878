package org.hlo4j.interpreter.compiled.fft;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Random;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.compiled.StandaloneContext;
import org.hlo4j.interpreter.engine.Kernel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Transforms of all kinds: close to the reference evaluator, and the same bits in each form. */
class FftKernelTest {
  private static HloModule module(String shape, String type, String length, String operand) {
    return Parser.parse(
        String.format(
            """
            HloModule m

            ENTRY e {
              p = %s parameter(0)
              ROOT r = %s fft(p), fft_type=%s, fft_length={%s}
            }
            """,
            operand, shape, type, length));
  }

  private static Literal random(Shape.Array shape) {
    Random random = new Random(7);
    LiteralBuilder values = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      if (shape.elementType().isComplex()) {
        values.setComplex(i, random.nextGaussian(), random.nextGaussian());
      } else {
        values.setDouble(i, random.nextGaussian());
      }
    }
    return values.build();
  }

  private static double part(Literal literal, int i, boolean imaginary) {
    if (!literal.elementType().isComplex()) {
      return imaginary ? 0 : literal.doubleAt(i);
    }
    return imaginary ? literal.imaginaryAt(i) : literal.realAt(i);
  }

  /** Asserts that parts are within a few roundings of the root mean square, and one of the type. */
  private static void assertNear(Literal got, Literal want) {
    double squares = 0;
    for (int i = 0; i < want.elementCount(); i++) {
      squares += Math.pow(part(want, i, false), 2) + Math.pow(part(want, i, true), 2);
    }
    double mean = Math.sqrt(squares / Math.max(1, want.elementCount()));
    boolean isSingle = want.elementType().componentType().bits() == Float.SIZE;
    assertThat(got.shape()).isEqualTo(want.shape());
    for (int i = 0; i < want.elementCount(); i++) {
      for (boolean imaginary : new boolean[] {false, true}) {
        double value = part(want, i, imaginary);
        double rounding = isSingle ? Math.ulp((float) value) : 0;
        assertWithMessage("element %s", i)
            .that(part(got, i, imaginary))
            .isWithin(40 * 0x1p-53 * mean + rounding)
            .of(value);
      }
    }
  }

  private static Kernel kernel(HloModule module) {
    return FftKernel.of(
            (Fft) module.entry().root().op(),
            (Shape.Array) module.entry().root().operands().get(0).shape(),
            (Shape.Array) module.entry().root().shape())
        .kernel()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Contiguous lines: a single one, fewer and more than a vector has lanes.
        "c64[8]         | FFT   | 8      | c64[8]",
        "c128[3,7]      | FFT   | 7      | c128[3,7]",
        "c64[7,12]      | FFT   | 12     | c64[7,12]",
        "c128[40,63]    | FFT   | 63     | c128[40,63]",
        "c64[9,343]     | IFFT  | 343    | c64[9,343]",
        // Each radix alone, twice, and with others.
        "c128[8,11]     | FFT   | 11     | c128[8,11]",
        "c128[8,26]     | FFT   | 26     | c128[8,26]",
        "c128[8,169]    | IFFT  | 169    | c128[8,169]",
        // Four-step transforms: square or not, with sides that do not fill vectors.
        "c64[64]        | FFT   | 64     | c64[64]",
        "c128[7,128]    | IFFT  | 128    | c128[7,128]",
        "c64[2,1000]    | IFFT  | 1000   | c64[2,1000]",
        // By Bluestein's algorithm: interleaved lines, and contiguous ones.
        "c64[20,17]     | FFT   | 17     | c64[20,17]",
        "c128[61]       | IFFT  | 61     | c128[61]",
        "c64[3,257]     | FFT   | 257    | c64[3,257]",
        // Shared by threads: few long lines, with parts of unequal size.
        "c64[4096]      | FFT   | 4096   | c64[4096]",
        "c128[2,5000]   | IFFT  | 5000   | c128[2,5000]",
        "c64[4097]      | RFFT  | 8192   | f32[8192]",
        "f32[8192]      | IRFFT | 8192   | c64[4097]",
        "c64[4095]      | RFFT  | 8189   | f32[8189]",
        // Of real numbers: even lengths as pairs, and odd lengths.
        "c64[2,1]       | RFFT  | 1      | f32[2,1]",
        "c128[5]        | RFFT  | 9      | f64[9]",
        "c64[20,38]     | RFFT  | 74     | f32[20,74]",
        "f32[2,8]       | IRFFT | 8      | c64[2,5]",
        "f64[1]         | IRFFT | 1      | c128[1]",
        "f64[20,74]     | IRFFT | 74     | c128[20,38]",
        // Several dimensions: columns that fill vectors or not, many groups of few columns.
        "c64[3,13]      | IFFT  | 3,13   | c64[3,13]",
        "c64[2,4,6]     | IFFT  | 2,4,6  | c64[2,4,6]",
        "c64[4,1]       | FFT   | 4,1    | c64[4,1]",
        "c64[3,8,64]    | IFFT  | 8,64   | c64[3,8,64]",
        "c64[64,80]     | FFT   | 64,80  | c64[64,80]",
        "c64[300,4,8]   | FFT   | 4,8    | c64[300,4,8]",
        "c64[4,4]       | RFFT  | 4,7    | f32[4,7]",
        "c64[64,33]     | RFFT  | 64,64  | f32[64,64]",
        "f32[3,7]       | IRFFT | 3,7    | c64[3,4]",
        "f64[9,70,9]    | IRFFT | 9,70,9 | c128[9,70,5]",
        // No elements.
        "c64[2,0]       | RFFT  | 2,0    | f32[2,0]"
      })
  void closeToTheReference(String shape, String type, String length, String operand) {
    HloModule module = module(shape, type, length, operand);
    Literal[] arguments = {
      random((Shape.Array) module.entry().parameters().get(0).shape().withoutLayout())
    };
    Kernel kernel = kernel(module);
    Literal alone = kernel.run(arguments, new StandaloneContext(1));
    assertNear(alone, Interpreter.reference().run(module, arguments));
    FftKernel.prepare();
    assertWithMessage("vectors")
        .that(kernel.run(arguments, new StandaloneContext(1)))
        .isEqualTo(alone);
    assertWithMessage("two threads")
        .that(kernel.run(arguments, new StandaloneContext(2)))
        .isEqualTo(alone);
    assertThat(kernel.describe()).matches("fft " + type + " of \\(.*\\) to .*");
  }

  /** What {@link #closeToTheReference} leaves to the night. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "c64[1]         | FFT   | 1      | c64[1]",
        "c64[35,16]     | IFFT  | 16     | c64[35,16]",
        "c64[300,2]     | FFT   | 2      | c64[300,2]",
        "c64[2,360]     | FFT   | 360    | c64[2,360]",
        "c64[9,512]     | FFT   | 512    | c64[9,512]",
        "c64[2,514]     | FFT   | 514    | c64[2,514]",
        "c64[20001]     | RFFT  | 40000  | f32[40000]",
        "f32[40000]     | IRFFT | 40000  | c64[20001]",
        "c64[9,2]       | RFFT  | 2      | f32[9,2]",
        "c64[2,5]       | RFFT  | 8      | f32[2,8]",
        "c64[9,9]       | RFFT  | 16     | f32[9,16]",
        "c64[40,10]     | RFFT  | 18     | f32[40,18]",
        "c64[3,244]     | RFFT  | 486    | f32[3,486]",
        "f64[2]         | IRFFT | 2      | c128[2]",
        "f32[9,15]      | IRFFT | 15     | c64[9,8]",
        "c64[17,100]    | FFT   | 17,100 | c64[17,100]",
        "c64[1024,20]   | FFT   | 1024,20 | c64[1024,20]",
        "c64[0]         | FFT   | 0      | c64[0]",
        "c64[0,4]       | FFT   | 4      | c64[0,4]",
        "c64[8,12]      | IFFT  | 12     | c64[8,12]",
        "c128[9,511]    | FFT   | 511    | c128[9,511]",
        "c64[9,75]      | FFT   | 75     | c64[9,75]",
        "c128[8,210]    | IFFT  | 210    | c128[8,210]",
        "c128[1053]     | FFT   | 1053   | c128[1053]",
        "c64[9,67]      | IFFT  | 67     | c64[9,67]",
        "c128[2,4501]   | RFFT  | 9000   | f64[2,9000]",
        "f64[2,9000]    | IRFFT | 9000   | c128[2,4501]",
        "c64[3,513]     | RFFT  | 1024   | f32[3,1024]",
        "f32[3,1024]    | IRFFT | 1024   | c64[3,513]",
        "c64[20,9]      | IFFT  | 20,9   | c64[20,9]",
        "c128[32,64]    | IFFT  | 32,64  | c128[32,64]",
        "c64[6,16,12]   | FFT   | 6,16,12 | c64[6,16,12]",
        "f32[64,64]     | IRFFT | 64,64  | c64[64,33]",
        "c64[9,40,8]    | RFFT  | 9,40,15 | f32[9,40,15]"
      })
  void closeToTheReferenceAtNight(String shape, String type, String length, String operand) {
    closeToTheReference(shape, type, length, operand);
  }

  @Test
  void nanStaysInItsTransform() {
    HloModule module = module("c64[3,24]", "FFT", "24", "c64[3,24]");
    LiteralBuilder values = LiteralBuilder.zeros(Shape.of(ElementType.C64, 3, 24));
    values.setComplex(30, Double.NaN, 0);
    Literal result = kernel(module).run(new Literal[] {values.build()}, new StandaloneContext(1));
    for (int i = 0; i < 72; i++) {
      boolean isNaN = Double.isNaN(result.realAt(i));
      assertWithMessage("element %s", i).that(isNaN).isEqualTo(i / 24 == 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8, 16, 32, 64, 3, 9, 30, 77, 1001, 13})
  void productOfRadicesIsTheLength(int length) {
    assertThat(Lengths.radices(length).stream().reduce(1, (a, b) -> a * b)).isEqualTo(length);
    assertThat(Lengths.isSmooth(length)).isTrue();
  }

  @Test
  void lengthsWithOtherPrimesAreNotSmooth() {
    assertThat(Lengths.isSmooth(17)).isFalse();
    assertThat(Lengths.isSmooth(2 * 1009)).isFalse();
  }

  @Test
  void fourStepRowsAreNearTheSquareRoot() {
    assertThat(Lengths.rows(64)).isEqualTo(8);
    assertThat(Lengths.rows(1 << 20)).isEqualTo(512);
    assertThat(Lengths.rows(98)).isEqualTo(0);
    assertThat(Lengths.rows(1009)).isEqualTo(0);
  }

  /** Threads without a line of their own need little memory, so that it does not grow with them. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "c64[1048576]    | FFT   | 1048576 | 2    | 80",
        "c64[1048576]    | FFT   | 1048576 | 1024 | 80",
        "c64[524289]     | RFFT  | 1048576 | 1024 | 144",
        "f32[1048576]    | IRFFT | 1048576 | 1024 | 80",
        "c64[1000003]    | FFT   | 1000003 | 1    | 272",
        "c64[1000003]    | FFT   | 1000003 | 1024 | 272",
        "c64[4,1000003]  | FFT   | 1000003 | 2    | 144",
        "c64[4,1000003]  | FFT   | 1000003 | 1024 | 272",
        "c64[1024,8192]  | FFT   | 1024,8192 | 1024 | 80"
      })
  void memoryForEachElement(
      String result, Fft.FftType type, String length, int threads, int bytes) {
    Shape.Array shape = (Shape.Array) Shape.parse(result);
    Dims lengths = Dims.of(Arrays.stream(length.split(",")).mapToLong(Long::parseLong).toArray());
    double each = FftStages.bytes(new Fft(type, lengths), shape, threads);
    assertThat(Math.round(each / shape.elementCount())).isEqualTo(bytes);
  }

  /** The tables of a long transform count as memory of the run, which is when they are made. */
  @Test
  void tablesCountAsMemory() {
    HloModule module = module("c64[50021]", "FFT", "50021", "c64[50021]");
    Literal operand = random(Shape.of(ElementType.C64, 50021));
    EvaluatorOptions.Builder options = EvaluatorOptions.builder().threads(1);
    Executable program = Interpreter.compiled(options.maxBytes(1_000_000).build()).compile(module);
    assertThat(program.explain()).contains("fft FFT of (50021)");
    HloException refusal = assertThrows(HloException.class, () -> program.run(operand));
    assertThat(refusal.summary())
        .isEqualTo(
            "run: tables of an fft FFT of (50021) to c64[50021] of 13605712 bytes beside the 800336"
                + " alive, want at most 1000000 together");
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.LIMIT);
    Evaluator enough = Interpreter.compiled(options.maxBytes(15_000_000).build());
    assertThat(enough.run(module, operand)).isEqualTo(Interpreter.compiled().run(module, operand));
  }

  /** Long columns need memory for a few lines only, however many there are: 5 times the operand. */
  @Tag("nightly")
  @Test
  void longColumnsTakeLittleMemory() {
    HloModule module = module("c64[262147,10]", "FFT", "262147,10", "c64[262147,10]");
    Literal operand = Literal.zeros(Shape.of(ElementType.C64, 262_147, 10));
    EvaluatorOptions.Builder options = EvaluatorOptions.builder().threads(1);
    long tables = 109_053_152;
    long arrays = 2 * 8 * 2_621_470L;
    Interpreter.compiled(options.maxBytes(tables + arrays).build()).run(module, operand);
    HloException refusal =
        assertThrows(
            HloException.class,
            () ->
                Interpreter.compiled(options.maxBytes(tables + arrays - 1).build())
                    .run(module, operand));
    assertThat(refusal.summary()).contains("tables of an fft");
  }

  @Test
  void longColumnsAreTransformedAsLines() {
    HloModule module = module("c64[262147,2]", "IFFT", "262147,2", "c64[262147,2]");
    Literal operand = random(Shape.of(ElementType.C64, 262_147, 2));
    Literal got = kernel(module).run(new Literal[] {operand}, new StandaloneContext(1));
    assertNear(got, Interpreter.reference().run(module, operand));
  }
}
