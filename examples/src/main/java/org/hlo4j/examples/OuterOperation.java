package org.hlo4j.examples;

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
 * A column and a row. Both are matrices, so no broadcast_dimensions are needed: each is stretched
 * in the dimension where its size is 1.
 */
public final class OuterOperation {
  private OuterOperation() {}

  static HloModule program() {
    XlaBuilder b = new XlaBuilder("outer");
    XlaOp column = b.parameter(0, Shape.of(F32, 2, 1), "column");
    XlaOp row = b.parameter(1, Shape.of(F32, 1, 3), "row");
    return b.build(column.add(row));
  }

  static void main() {
    HloModule module = program();
    Verifier.strict().verify(module);
    IO.println(Printer.print(module, PrintOptions.SHORT));

    Literal column = Literal.of(new float[][] {{10}, {20}});
    Literal row = Literal.of(new float[][] {{1, 2, 3}});
    IO.println("column + row = " + Interpreter.reference().run(module, column, row));
  }
}
