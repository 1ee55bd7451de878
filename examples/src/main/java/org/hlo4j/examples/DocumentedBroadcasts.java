package org.hlo4j.examples;

import static java.util.stream.Collectors.joining;
import static org.hlo4j.builder.XlaOp.broadcastDimensions;
import static org.hlo4j.hlo.ElementType.F32;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Interpreter;

/**
 * Every example of XLA's broadcasting document, in its order. The left operand counts 1, 2, 3 and
 * so on, the right one goes on counting. M, N, P and Q are 2, 3, 4 and 5; there T and TxV count in
 * thousands, so that the sums tell which of their elements went where.
 */
public final class DocumentedBroadcasts {
  private static final int MAX_SHOWN = 24;

  private DocumentedBroadcasts() {}

  static HloModule add(Shape.Array lhs, Shape.Array rhs, Dims broadcastDimensions) {
    XlaBuilder b = new XlaBuilder("add");
    XlaOp left = b.parameter(0, lhs, "lhs");
    XlaOp right = b.parameter(1, rhs, "rhs");
    return b.build(left.add(right, broadcastDimensions));
  }

  static HloModule broadcastInDim(Shape.Array shape, Dims outSizes, Dims broadcastDimensions) {
    XlaBuilder b = new XlaBuilder("broadcast_in_dim");
    XlaOp operand = b.parameter(0, shape, "operand");
    return b.build(operand.broadcastInDim(outSizes, broadcastDimensions));
  }

  static void main() {
    IO.println("# A lower rank to a higher one\n");
    add("a vector to each row of a matrix", f32(2, 3), f32(3), 1);
    add("a scalar, which needs no dimensions", f32(2, 3), f32());
    broadcastInDim("the vector alone, made a matrix", counting(f32(3), 7, 1), Dims.of(2, 3), 1);
    broadcastInDim("each element a column", counting(f32(3), 7, 1), Dims.of(3, 3), 1);
    broadcastInDim("each element a row", counting(f32(3), 7, 1), Dims.of(3, 3), 0);
    add("a matrix to a cuboid", f32(2, 3, 4), f32(3, 4), 1, 2);

    IO.println("# T to MxNxPxQ\n");
    match("dim 3", f32(5), 3);
    match("dim 2", f32(4), 2);
    match("dim 1", f32(3), 1);
    match("dim 0", f32(2), 0);

    IO.println("# TxV to MxNxPxQ\n");
    match("dim 2,3", f32(4, 5), 2, 3);
    match("dim 1,2", f32(3, 4), 1, 2);
    match("dim 0,3", f32(2, 5), 0, 3);
    match("dim 0,1", f32(2, 3), 0, 1);
    match("dim 0,2", f32(2, 4), 0, 2);
    match("dim 1,3", f32(3, 5), 1, 3);

    IO.println("# Equal ranks, dimensions of size 1\n");
    add("a column to a matrix", f32(2, 1), f32(2, 3));
    add("size 1 on the left", f32(1, 2, 5), f32(7, 2, 5));
    add("size 1 on the right", f32(7, 2, 5), f32(7, 1, 5));
    add("size 1 on either side: an outer operation", f32(2, 1), f32(1, 3));

    IO.println("# Composition\n");
    add("a vector and a 1x2 matrix", f32(4), f32(1, 2), 0);
    broadcastInDim("its first step", counting(f32(4), 1, 1), Dims.of(4, 2), 0);
    add("a 1x2 matrix and a 4x3x1 array", f32(1, 2), f32(4, 3, 1), 1, 2);
  }

  private static Shape.Array f32(long... sizes) {
    return Shape.of(F32, sizes);
  }

  private static void add(String title, Shape.Array lhs, Shape.Array rhs, long... dimensions) {
    Literal left = counting(lhs, 1, 1);
    add(title, left, counting(rhs, 1 + left.elementCount(), 1), broadcastDimensions(dimensions));
  }

  private static void match(String title, Shape.Array shape, long... dimensions) {
    Literal array = counting(f32(2, 3, 4, 5), 1, 1);
    add(title, array, counting(shape, 1000, 1000), broadcastDimensions(dimensions));
  }

  private static void add(String title, Literal lhs, Literal rhs, Dims broadcastDimensions) {
    title(title + ": " + lhs.shape() + " + " + rhs.shape(), broadcastDimensions);
    show(add(lhs.arrayShape(), rhs.arrayShape(), broadcastDimensions), lhs, rhs);
  }

  private static void broadcastInDim(
      String title, Literal operand, Dims outSizes, long... dimensions) {
    Dims broadcastDimensions = broadcastDimensions(dimensions);
    Shape.Array shape = operand.arrayShape();
    title(title + ": " + shape + " to sizes " + outSizes, broadcastDimensions);
    show(broadcastInDim(shape, outSizes, broadcastDimensions), operand);
  }

  private static void title(String title, Dims dimensions) {
    String how = dimensions.isEmpty() ? "" : ", broadcast_dimensions " + dimensions;
    IO.println("- " + title + how + "\n");
  }

  private static void show(HloModule module, Literal... arguments) {
    Verifier.strict().verify(module);
    IO.println(Printer.print(module, PrintOptions.SHORT));
    String operands = Arrays.stream(arguments).map(a -> text(a)).collect(joining("\n+ "));
    Literal result = Interpreter.reference().run(module, arguments);
    IO.println("  " + operands + "\n= " + text(result) + "\n");
  }

  /** All of a small array; of a large one the first elements and the last. */
  private static String text(Literal literal) {
    int count = literal.elementCount();
    if (count <= MAX_SHOWN) {
      return literal.toHloText();
    }
    return IntStream.range(0, count)
        .filter(i -> i < 6 || i >= count - 3)
        .mapToObj(i -> (i == count - 3 ? "..., " : "") + Math.round(literal.doubleAt(i)))
        .collect(joining(", ", "", " (" + count + " elements)"));
  }

  private static Literal counting(Shape.Array shape, int from, int step) {
    float[] values = new float[Math.toIntExact(shape.elementCount())];
    for (int i = 0; i < values.length; i++) {
      values[i] = from + i * step;
    }
    return Literal.of(values).withShape(shape);
  }
}
