package org.hlo4j.examples;

import static org.hlo4j.builder.XlaOp.broadcastDimensions;
import static org.hlo4j.hlo.ElementType.F32;

import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;

/**
 * A module as HLO text: in full, with layouts and the line of Java that made each instruction; as
 * short as XLA still reads it without loss; and for the eye, large constants cut.
 */
public final class DumpModule {
  private DumpModule() {}

  static HloModule program() {
    XlaBuilder b = new XlaBuilder("dense");
    XlaOp x = b.parameter(0, Shape.of(F32, 5, 4), "x");
    XlaOp weights = b.constant(new float[][] {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}});
    XlaOp bias = b.constant(new float[] {0.5f, -0.5f, 0});
    XlaOp sum = x.dot(weights).add(bias, broadcastDimensions(1));
    return b.build(sum.max(b.constant(0f)));
  }

  static void main() {
    HloModule module = program();
    IO.println("PrintOptions.FULL\n");
    IO.println(Printer.print(module));
    IO.println("PrintOptions.SHORT_PARSABLE\n");
    IO.println(Printer.print(module, PrintOptions.SHORT_PARSABLE));
    IO.println("PrintOptions.SHORT\n");
    IO.println(Printer.print(module, PrintOptions.SHORT));
  }
}
