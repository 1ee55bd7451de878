package org.hlo4j.examples;

import static org.hlo4j.hlo.ElementType.F32;

import java.util.Locale;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Interpreter;

/**
 * A convolution of NHWC images with an HWIO kernel, as TensorFlow and Flax lay them out. Its labels
 * have a letter for each dimension of images, kernel and result: b for batch, f for feature, i and
 * o for input and output features of the kernel, digits for the spatial dimensions. The kernel is
 * Sobel's: its two output features are the slopes along a row, which is printed, and down a column.
 */
public final class ConvolutionNhwc {
  private ConvolutionNhwc() {}

  static HloModule program() {
    XlaBuilder b = new XlaBuilder("conv_nhwc");
    XlaOp images = b.parameter(0, Shape.of(F32, 1, 4, 4, 1), "images");
    XlaOp kernel = b.parameter(1, Shape.of(F32, 3, 3, 1, 2), "kernel");
    Window window = Window.of(3, 3).withSamePadding(Dims.of(4, 4));
    return b.build(images.conv(kernel, window, "b01f_01io->b01f"));
  }

  static void main() {
    HloModule module = program();
    Verifier.strict().verify(module);
    IO.println(Printer.print(module, PrintOptions.SHORT));

    float[] image = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
    float[] kernel = {-1, -1, 0, -2, 1, -1, -2, 0, 0, 0, 2, 0, -1, 1, 0, 2, 1, 1};
    Literal slopes =
        Interpreter.reference()
            .run(
                module,
                Literal.of(Shape.of(F32, 1, 4, 4, 1), image),
                Literal.of(Shape.of(F32, 3, 3, 1, 2), kernel));
    for (int row = 0; row < 4; row++) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < 4; column++) {
        line.append(String.format(Locale.ROOT, "%5.0f", slopes.getDouble(0, row, column, 0)));
      }
      IO.println(line);
    }
  }
}
