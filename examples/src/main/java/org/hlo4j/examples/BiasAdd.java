package org.hlo4j.examples;

import static org.hlo4j.builder.XlaOp.broadcastDimensions;
import static org.hlo4j.hlo.ElementType.F32;

import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Interpreter;

/**
 * A matrix and a vector. Nothing is guessed from the sizes: broadcast_dimensions name the dimension
 * of the matrix that the vector lies along.
 */
public final class BiasAdd {
  private BiasAdd() {}

  static HloModule program() {
    XlaBuilder b = new XlaBuilder("bias_add");
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
    XlaOp v = b.parameter(1, Shape.of(F32, 3), "v");
    XlaOp w = b.parameter(2, Shape.of(F32, 2), "w");
    XlaOp alongRows = x.add(v, broadcastDimensions(1));
    XlaOp alongColumns = x.add(w, broadcastDimensions(0));
    return b.build(b.tuple(alongRows, alongColumns));
  }

  static void main() {
    HloModule module = program();
    Verifier.strict().verify(module);
    IO.println(Printer.print(module, PrintOptions.SHORT));

    Literal x = Literal.of(new float[][] {{1, 2, 3}, {4, 5, 6}});
    Literal v = Literal.of(new float[] {7, 8, 9});
    Literal w = Literal.of(new float[] {10, 20});
    Literal result = Interpreter.reference().run(module, x, v, w);
    IO.println("x + v = " + result.element(0));
    IO.println("x + w = " + result.element(1));
  }
}
