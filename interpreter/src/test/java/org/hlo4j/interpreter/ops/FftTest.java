package org.hlo4j.interpreter.ops;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.hlo.op.Fft.FftType.FFT;
import static org.hlo4j.hlo.op.Fft.FftType.IFFT;
import static org.hlo4j.hlo.op.Fft.FftType.IRFFT;
import static org.hlo4j.hlo.op.Fft.FftType.RFFT;

import java.util.Random;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Fft.FftType;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;

final class FftTest {
  private static Literal fft(FftType type, Literal operand, long... lengths) {
    XlaBuilder b = new XlaBuilder("fft");
    b.parameter(0, operand.shape(), "x").fft(type, lengths);
    return Evaluators.both().run(b.build(), operand);
  }

  private static Literal random(Shape.Array shape) {
    Random random = new Random(shape.elementCount());
    LiteralBuilder builder = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      if (shape.elementType().isComplex()) {
        builder.setComplex(i, random.nextGaussian(), random.nextGaussian());
      } else {
        builder.setDouble(i, random.nextGaussian());
      }
    }
    return builder.build();
  }

  private static double im(Literal literal, int i) {
    return literal.elementType().isComplex() ? literal.imaginaryAt(i) : 0;
  }

  private static double re(Literal literal, int i) {
    return literal.elementType().isComplex() ? literal.realAt(i) : literal.doubleAt(i);
  }

  /** The sum as it is written, over the last dimension: real and imaginary part. */
  private static double[] naive(Literal x, int start, int n, int k, int sign) {
    double re = 0;
    double im = 0;
    for (int j = 0; j < n; j++) {
      double angle = sign * 2 * Math.PI * ((long) j * k % n) / n;
      double cos = StrictMath.cos(angle);
      double sin = StrictMath.sin(angle);
      re += re(x, start + j) * cos - im(x, start + j) * sin;
      im += re(x, start + j) * sin + im(x, start + j) * cos;
    }
    return new double[] {re, im};
  }

  private static void closeToSum(FftType type, Literal x, Literal result, int n, double epsilon) {
    int rows = x.elementCount() / n;
    int width = result.elementCount() / rows;
    double tolerance = epsilon * Math.sqrt(n) * 8;
    for (int i = 0; i < rows * width; i++) {
      double[] want = naive(x, i / width * n, n, i % width, type.isInverse() ? 1 : -1);
      double scale = type.isInverse() ? 1.0 / n : 1;
      assertWithMessage("%s of %s, element %s", type, n, i)
          .that(re(result, i))
          .isWithin(tolerance)
          .of(want[0] * scale);
      assertWithMessage("%s of %s, element %s", type, n, i)
          .that(im(result, i))
          .isWithin(tolerance)
          .of(want[1] * scale);
    }
  }

  @Test
  void anyLengthIsTheSumOfTheFormula() {
    for (int n :
        new int[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 30, 31, 64, 97, 100, 128, 211}) {
      Literal complex = random(Shape.of(ElementType.C128, 2, n));
      closeToSum(FFT, complex, fft(FFT, complex, n), n, 1e-15);
      closeToSum(IFFT, complex, fft(IFFT, complex, n), n, 1e-15);
      Literal real = random(Shape.of(ElementType.F64, 2, n));
      closeToSum(RFFT, real, fft(RFFT, real, n), n, 1e-15);
      Literal single = random(Shape.of(ElementType.C64, 2, n));
      closeToSum(FFT, single, fft(FFT, single, n), n, 1e-6);
    }
  }

  @Test
  void realInverseUndoesTheRealTransform() {
    for (int n : new int[] {1, 2, 3, 4, 5, 6, 9, 16}) {
      for (ElementType type : new ElementType[] {ElementType.F32, ElementType.F64}) {
        Literal x = random(Shape.of(type, 3, 2, n));
        Literal back = fft(IRFFT, fft(RFFT, x, 2, n), 2, n);
        assertThat(back.shape()).isEqualTo(x.shape());
        for (int i = 0; i < x.elementCount(); i++) {
          assertThat(back.doubleAt(i))
              .isWithin(type == ElementType.F32 ? 1e-6 : 1e-14)
              .of(x.doubleAt(i));
        }
      }
    }
  }

  @Test
  void threeDimensionsAreOneAfterTheOther() {
    Literal x = random(Shape.of(ElementType.C128, 2, 3, 4, 5));
    Literal all = fft(FFT, x, 3, 4, 5);
    XlaBuilder b = new XlaBuilder("steps");
    b.parameter(0, x.shape(), "x")
        .fft(FFT, 5)
        .transpose(0, 1, 3, 2)
        .fft(FFT, 4)
        .transpose(0, 3, 2, 1)
        .fft(FFT, 3)
        .transpose(0, 3, 1, 2);
    Literal steps = Evaluators.both().run(b.build(), x);
    for (int i = 0; i < x.elementCount(); i++) {
      assertThat(all.realAt(i)).isWithin(1e-12).of(steps.realAt(i));
      assertThat(all.imaginaryAt(i)).isWithin(1e-12).of(steps.imaginaryAt(i));
    }
  }

  private static Literal complex(ElementType type, double[]... pairs) {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(type, pairs.length));
    for (int i = 0; i < pairs.length; i++) {
      builder.setComplex(i, pairs[i][0], pairs[i][1]);
    }
    return builder.build();
  }

  @Test
  void small() {
    Literal x = complex(ElementType.C64, new double[][] {{1, 0}, {2, 0}, {3, 0}, {4, 0}});
    assertThat(fft(FFT, x, 4))
        .isEqualTo(complex(ElementType.C64, new double[][] {{10, 0}, {-2, 2}, {-2, 0}, {-2, -2}}));
    assertThat(fft(RFFT, Literal.of(new float[] {1, 2, 3, 4}), 4))
        .isEqualTo(complex(ElementType.C64, new double[][] {{10, 0}, {-2, 2}, {-2, 0}}));
  }

  @Test
  void imaginaryPartsThatCannotBeAreNotRead() {
    // As XLA: those of the first and the middle frequency.
    Literal x = complex(ElementType.C64, new double[][] {{1, 5}, {2, 1}, {3, 7}});
    assertThat(fft(IRFFT, x, 4)).isEqualTo(Literal.of(new float[] {2, -1, 0, 0}));
  }

  @Test
  void realInverseOfTwoDimensions() {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(ElementType.C64, 3, 3));
    int[][] parts = {{1, 5, 2, 1, 3, 7}, {1, 2, 2, 5, 3, 9}, {1, 4, 2, 2, 3, 1}};
    for (int i = 0; i < 9; i++) {
      builder.setComplex(i, parts[i / 3][2 * (i % 3)], parts[i / 3][2 * (i % 3) + 1]);
    }
    // What XLA:CPU gives.
    float[] want = {
      2,
      -1.8333334f,
      0,
      0.8333334f,
      -0.8660254f,
      1.1383545f,
      0,
      0.30502114f,
      0.8660254f,
      -0.30502114f,
      0,
      -1.1383545f
    };
    float[] got = fft(IRFFT, builder.build(), 3, 4).toFloats();
    assertThat(got).usingTolerance(1e-6).containsExactly(want).inOrder();
  }

  @Test
  void zeroSizes() {
    Literal none = Literal.zeros(Shape.of(ElementType.C64, 2, 0));
    assertThat(fft(FFT, none, 0)).isEqualTo(none);
    assertThat(fft(IRFFT, none, 0).shape()).isEqualTo(Shape.of(ElementType.F32, 2, 0));
    assertThat(fft(RFFT, Literal.zeros(Shape.of(ElementType.F32, 2, 0)), 2, 0)).isEqualTo(none);
    Literal noRows = Literal.zeros(Shape.of(ElementType.C128, 0, 3));
    assertThat(fft(IFFT, noRows, 3)).isEqualTo(noRows);
  }

  @Test
  void manyRowsOfLargeLength() {
    Literal x = random(Shape.of(ElementType.C128, 5040));
    Literal back = fft(IFFT, fft(FFT, x, 5040), 5040);
    for (int i = 0; i < 5040; i++) {
      assertThat(back.realAt(i)).isWithin(1e-13).of(x.realAt(i));
      assertThat(back.imaginaryAt(i)).isWithin(1e-13).of(x.imaginaryAt(i));
    }
  }
}
