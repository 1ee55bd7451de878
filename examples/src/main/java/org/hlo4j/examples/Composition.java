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
 * Both kinds of broadcasting in one op: broadcast_dimensions place the operand of lower rank, then
 * whatever has size 1 is stretched, on either side.
 */
public final class Composition {
  private Composition() {}

  static HloModule vectorAndRow() {
    XlaBuilder b = new XlaBuilder("vector_and_row");
    XlaOp vector = b.parameter(0, Shape.of(F32, 4), "vector");
    XlaOp row = b.parameter(1, Shape.of(F32, 1, 2), "row");
    return b.build(vector.add(row, broadcastDimensions(0)));
  }

  static HloModule matrixAndCuboid() {
    XlaBuilder b = new XlaBuilder("matrix_and_cuboid");
    XlaOp matrix = b.parameter(0, Shape.of(F32, 1, 2), "matrix");
    XlaOp cuboid = b.parameter(1, Shape.of(F32, 4, 3, 1), "cuboid");
    return b.build(matrix.add(cuboid, broadcastDimensions(1, 2)));
  }

  static void main() {
    run(vectorAndRow(), Literal.of(new float[] {1, 2, 3, 4}), Literal.of(new float[][] {{5, 6}}));
    run(
        matrixAndCuboid(),
        Literal.of(new float[][] {{100, 200}}),
        Literal.of(
            new float[][][] {
              {{1}, {2}, {3}}, {{4}, {5}, {6}}, {{7}, {8}, {9}}, {{10}, {11}, {12}}
            }));
  }

  private static void run(HloModule module, Literal lhs, Literal rhs) {
    Verifier.strict().verify(module);
    IO.println(Printer.print(module, PrintOptions.SHORT));
    Literal sum = Interpreter.reference().run(module, lhs, rhs);
    IO.println("  " + lhs + "\n+ " + rhs + "\n= " + sum + "\n");
  }
}
