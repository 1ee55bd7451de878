package org.hlo4j.examples;

import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;

import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Interpreter;

/**
 * Rows of a table taken by index, which is an embedding, and how often each row was asked for. A
 * gather reads where indices say; a scatter combines with what is there, so that a row named twice
 * is counted twice. An index out of range: the gather moves it to the nearest row, the scatter
 * leaves it out.
 */
public final class GatherScatter {
  private GatherScatter() {}

  static HloModule program() {
    XlaBuilder b = new XlaBuilder("gather_scatter");
    XlaOp table = b.parameter(0, Shape.of(F32, 4, 2), "table");
    XlaOp ids = b.parameter(1, Shape.of(S32, 5), "ids");
    XlaOp rows = table.gather(ids, Gather.takeRows(table.arrayShape(), ids.arrayShape()));
    XlaOp counts = b.zeros(Shape.of(S32, 4));
    XlaOp ones = b.constant(1).broadcast(5);
    Scatter atRows = Scatter.rows(counts.arrayShape(), ids.arrayShape());
    return b.build(b.tuple(rows, counts.scatter(ids, ones, XlaOp::add, atRows)));
  }

  static void main() {
    HloModule module = program();
    Verifier.strict().verify(module);
    IO.println(Printer.print(module, PrintOptions.SHORT));

    Literal table = Literal.of(new float[][] {{0, 0.5f}, {1, 1.5f}, {2, 2.5f}, {3, 3.5f}});
    Literal ids = Literal.of(new int[] {2, 0, 2, 1, 9});
    Literal result = Interpreter.reference().run(module, table, ids);
    IO.println("rows   = " + result.element(0));
    IO.println("counts = " + result.element(1));
  }
}
