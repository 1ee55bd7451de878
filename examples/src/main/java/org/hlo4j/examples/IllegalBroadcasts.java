package org.hlo4j.examples;

import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.U32;

import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * What XLA's broadcasting document forbids, and the rest of its rules: each is refused at the call,
 * with the operands, where they were made, how they would lie over each other, and what would fit.
 */
public final class IllegalBroadcasts {
  private IllegalBroadcasts() {}

  static void add(Shape xShape, Shape vShape, Dims broadcastDimensions) {
    XlaBuilder b = new XlaBuilder("illegal");
    XlaOp x = b.parameter(0, xShape, "x");
    XlaOp v = b.parameter(1, vShape, "v");
    x.add(v, broadcastDimensions);
  }

  static void main() {
    IO.println("# Forbidden by XLA's document\n");
    refuse("ranks differ, and nothing says how", f32(2, 3), f32(3));
    refuse("a vector of 3 along a dimension of 2", f32(2, 3), f32(3), 0);
    refuse("T unlike the dimension it is matched to", f32(2, 3, 4, 5), f32(7), 1);
    refuse("V to N and T to P: the order must increase", f32(2, 3, 4, 5), f32(4, 3), 2, 1);
    refuse("the same, of other sizes", f32(5, 6, 7, 8), f32(8, 6), 3, 1);
    refuse("T and V to one dimension", f32(2, 3, 3, 5), f32(3, 3), 1, 1);
    refuse("the same, in the last dimension", f32(5, 6, 7, 8), f32(8, 8), 3, 3);
    refuse("V to both P and N", f32(2, 3, 3, 5), f32(2, 3), 0, 1, 2);
    refuse("equal ranks, 5 is not 6", f32(7, 2, 5), f32(7, 2, 6));

    IO.println("# Forbidden by the comments of XLA's source and by its tests\n");
    refuse("a vector of 3 along a dimension of 4", f32(4, 3), f32(3), 0);
    refuse("only size 1 is stretched", f32(2, 3, 4), f32(2, 1), 1, 2);
    refuse("size 1 of the other does not help elsewhere", f32(2, 3, 1), f32(2, 2), 1, 2);
    refuse("equal ranks, 2 is not 3", f32(2, 3), f32(1, 2));
    refuse(
        "ranks differ, and nothing says how, for integers",
        Shape.of(U32, 2, 4, 6),
        Shape.of(U32, 2, 4));

    IO.println("# What follows from the rules\n");
    refuse("equal ranks take all dimensions in order or none", f32(2, 3), f32(2, 3), 1, 0);
    refuse("not some", f32(2, 3), f32(2, 3), 0);
    refuse("a scalar takes none", f32(2, 3), f32(), 0);
    refuse("one entry for each dimension", f32(2, 3), f32(3), 0, 1);
    refuse("there is no dimension 2", f32(2, 3), f32(3), 2);
    refuse("nor do they count from the end", f32(2, 3), f32(3), -1);
    refuse("size 0 is no size 1", f32(0, 3), f32(2, 3));
    refuse("types are not converted", f32(2), Shape.of(S32, 2));
  }

  private static Shape f32(long... sizes) {
    return Shape.of(F32, sizes);
  }

  private static void refuse(String title, Shape x, Shape v, long... broadcastDimensions) {
    Dims dimensions = Dims.of(broadcastDimensions);
    String how = dimensions.isEmpty() ? "" : ", broadcast_dimensions " + dimensions;
    IO.println("- " + title + ": " + x + " + " + v + how + "\n");
    try {
      add(x, v, dimensions);
      throw new AssertionError("not refused");
    } catch (HloException refusal) {
      IO.println(refusal.getMessage() + "\n");
    }
  }
}
