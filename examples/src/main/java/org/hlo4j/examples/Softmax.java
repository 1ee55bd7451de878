package org.hlo4j.examples;

import static org.hlo4j.hlo.ElementType.F32;

import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.nn.Activations;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Interpreter;

/**
 * Softmax of each row, from the library: exp(x - max) / sum(exp(x - max)). In the HLO printed, a
 * reduction takes dimension 1 away, and a broadcast to dimension 0 puts its result back beside the
 * rows.
 */
public final class Softmax {
  private Softmax() {}

  static HloModule program() {
    XlaBuilder b = new XlaBuilder("softmax");
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
    return b.build(Activations.softmax(x, -1));
  }

  static void main() {
    HloModule module = program();
    Verifier.strict().verify(module);
    IO.println(Printer.print(module, PrintOptions.SHORT));

    Literal x = Literal.of(new float[][] {{1, 2, 3}, {1000, 1000, 1000}});
    IO.println("softmax(" + x + ") = " + Interpreter.reference().run(module, x));
  }
}
