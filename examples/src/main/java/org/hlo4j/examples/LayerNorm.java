package org.hlo4j.examples;

import static org.hlo4j.hlo.ElementType.F32;

import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.nn.Layers;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Interpreter;

/**
 * Layer norm of each row, from the library: (x - mean) * rsqrt(variance + epsilon) * scale +
 * offset. In the HLO printed, a vector per row lies along dimension 0, a vector per feature along
 * dimension 1, a scalar everywhere.
 */
public final class LayerNorm {
  private LayerNorm() {}

  static HloModule program() {
    XlaBuilder b = new XlaBuilder("layer_norm");
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 4), "x");
    XlaOp scale = b.parameter(1, Shape.of(F32, 4), "scale");
    XlaOp offset = b.parameter(2, Shape.of(F32, 4), "offset");

    return b.build(Layers.layerNorm(x, scale, offset, 1e-5, -1));
  }

  static void main() {
    HloModule module = program();
    Verifier.strict().verify(module);
    IO.println(Printer.print(module, PrintOptions.SHORT));

    Literal x = Literal.of(new float[][] {{1, 2, 3, 4}, {-10, 10, -10, 10}});
    Literal scale = Literal.of(new float[] {1, 1, 1, 2});
    Literal offset = Literal.of(new float[] {0, 0, 0, 100});
    IO.println("layer_norm(" + x + ")\n= " + Interpreter.reference().run(module, x, scale, offset));
  }
}
