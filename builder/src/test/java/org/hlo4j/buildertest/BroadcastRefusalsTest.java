package org.hlo4j.buildertest;

import static org.hlo4j.builder.XlaOp.broadcastDimensions;
import static org.hlo4j.buildertest.Refusals.assertRefused;
import static org.hlo4j.buildertest.Refusals.here;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;

import com.google.common.collect.ImmutableList;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

/** Every broadcasting rule, B1 to B9, as a user sees it broken. */
final class BroadcastRefusalsTest {
  private final XlaBuilder b = new XlaBuilder("test");

  @Test
  void b1IdentityForEqualRanks() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
    XlaOp y = b.parameter(1, Shape.of(F32, 2, 3), "y");
    assertRefused(
        line,
        """
        add: cannot broadcast y onto x: both have rank 2, broadcast_dimensions got (1, 0), want\
         none or (0, 1) [broadcast B1]
          x   f32[2,3]   parameter 0   BroadcastRefusalsTest.java:+1
          y   f32[2,3]   parameter 1   BroadcastRefusalsTest.java:+2
          at BroadcastRefusalsTest.java:@\
        """,
        () -> x.add(y, broadcastDimensions(1, 0)));
  }

  @Test
  void b2DimensionsForLowerRank() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
    XlaOp v = b.parameter(1, Shape.of(F32, 3), "v");
    assertRefused(
        line,
        """
        add: cannot broadcast v onto x: ranks got 1 and 2, want equal ranks or\
         broadcast_dimensions [broadcast B2]
          x   f32[2,3]   parameter 0   BroadcastRefusalsTest.java:+1
          v   f32[3]     parameter 1   BroadcastRefusalsTest.java:+2
          fits: broadcast_dimensions (1)
          at BroadcastRefusalsTest.java:@\
        """,
        () -> x.add(v));
  }

  @Test
  void b3OneDimensionForEach() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
    XlaOp v = b.parameter(1, Shape.of(F32, 3), "v");
    assertRefused(
        line,
        """
        subtract: cannot broadcast v onto x: broadcast_dimensions got (0, 1), want 1 entry, one\
         for each dimension of v [broadcast B3]
          x   f32[2,3]   parameter 0   BroadcastRefusalsTest.java:+1
          v   f32[3]     parameter 1   BroadcastRefusalsTest.java:+2
          fits: broadcast_dimensions (1)
          at BroadcastRefusalsTest.java:@\
        """,
        () -> x.sub(v, broadcastDimensions(0, 1)));
  }

  @Test
  void b4NoNegativeDimension() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
    XlaOp v = b.parameter(1, Shape.of(F32, 3), "v");
    assertRefused(
        line,
        """
        add: cannot broadcast v onto x: broadcast_dimensions[0] got -1, want at least 0 [broadcast\
         B4]
          x   f32[2,3]   parameter 0   BroadcastRefusalsTest.java:+1
          v   f32[3]     parameter 1   BroadcastRefusalsTest.java:+2
          fits: broadcast_dimensions (1)
          at BroadcastRefusalsTest.java:@\
        """,
        () -> x.add(v, broadcastDimensions(-1)));
  }

  @Test
  void b5NoDimensionBeyondTheRank() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
    XlaOp v = b.parameter(1, Shape.of(F32, 3), "v");
    assertRefused(
        line,
        """
        compare: cannot broadcast v onto x: broadcast_dimensions[0] got 2, want below 2, the rank\
         of x [broadcast B5]
          x   f32[2,3]   parameter 0   BroadcastRefusalsTest.java:+1
          v   f32[3]     parameter 1   BroadcastRefusalsTest.java:+2
          fits: broadcast_dimensions (1)
          at BroadcastRefusalsTest.java:@\
        """,
        () -> x.lt(v, broadcastDimensions(2)));
  }

  @Test
  void b6EqualSizesOrOne() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
    XlaOp v = b.parameter(1, Shape.of(F32, 2), "v");
    assertRefused(
        line,
        """
        add: cannot broadcast v onto x: dimension 0 of v has size 2, dimension 1 of x has size 3\
         [broadcast B6]
          x   f32[2,3]   parameter 0   BroadcastRefusalsTest.java:+1
          v   f32[2]     parameter 1   BroadcastRefusalsTest.java:+2
              dim 0   dim 1
          x       2       3
          v               2   broadcast_dimensions (1)
                          ^
          fits: broadcast_dimensions (0)
          at BroadcastRefusalsTest.java:@\
        """,
        () -> x.add(v, broadcastDimensions(1)));
  }

  @Test
  void b7OneThatMayGrowDoesNotStretch() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
    XlaOp v = b.parameter(1, Shape.of(F32, 1).withDynamic(ImmutableList.of(0)), "v");
    assertRefused(
        line,
        """
        add: cannot broadcast v onto x: dimension 0 of v has size <=1, dimension 0 of x has size 2,\
         want both static or both dynamic [broadcast B7]
          x   f32[2,3]   parameter 0   BroadcastRefusalsTest.java:+1
          v   f32[<=1]   parameter 1   BroadcastRefusalsTest.java:+2
              dim 0   dim 1
          x       2       3
          v     <=1           broadcast_dimensions (0)
                  ^
          fits: no broadcast_dimensions
          at BroadcastRefusalsTest.java:@\
        """,
        () -> x.add(v, broadcastDimensions(0)));
  }

  @Test
  void b8IncreasingDimensions() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 5, 6, 7, 8), "x");
    XlaOp m = b.parameter(1, Shape.of(F32, 8, 6), "m");
    assertRefused(
        line,
        """
        add: cannot broadcast m onto x: broadcast_dimensions got (3, 1), want strictly increasing:\
         1 comes after 3 [broadcast B8]
          x   f32[5,6,7,8]   parameter 0   BroadcastRefusalsTest.java:+1
          m   f32[8,6]       parameter 1   BroadcastRefusalsTest.java:+2
              dim 0   dim 1   dim 2   dim 3
          x       5       6       7       8
          m               6               8   broadcast_dimensions (3, 1)
                          ^
          fits: transpose m by (1, 0), then broadcast_dimensions (1, 3)
          at BroadcastRefusalsTest.java:@\
        """,
        () -> x.add(m, broadcastDimensions(3, 1)));
  }

  @Test
  void b9CompatibleSizes() {
    int line = here();
    XlaOp x = b.parameter(0, Shape.of(F32, 7, 2, 5), "x");
    XlaOp sum = x.transpose(0, 1, 2).reshape(7, 1, 10);
    assertRefused(
        line,
        """
        multiply: cannot broadcast reshape onto x: dimension 2 of reshape has size 10, dimension 2\
         of x has size 5, want equal sizes or 1 [broadcast B9]
          x         f32[7,2,5]    parameter 0   BroadcastRefusalsTest.java:+1
          reshape   f32[7,1,10]   reshape       BroadcastRefusalsTest.java:+2
                    dim 0   dim 1   dim 2
          x             7       2       5
          reshape       7       1      10
                                        ^
          at BroadcastRefusalsTest.java:@\
        """,
        () -> x.mul(sum));
  }

  @Test
  void selectAndClampDoNotBroadcastArrays() {
    int line = here();
    XlaOp p = b.parameter(0, Shape.of(PRED, 2, 1), "p");
    XlaOp x = b.parameter(1, Shape.of(F32, 2, 3), "x");
    XlaOp v = b.parameter(2, Shape.of(F32, 3), "v");
    assertRefused(
        line,
        """
        select: pred got pred[2,1] and on_true got pred[2,3], want the same shape [select C1]
          p   pred[2,1]   parameter 0   BroadcastRefusalsTest.java:+1
          x   f32[2,3]    parameter 1   BroadcastRefusalsTest.java:+2
          at BroadcastRefusalsTest.java:@\
        """,
        () -> p.select(x, x));
    assertRefused(
        line,
        """
        clamp: min got f32[3] and operand got f32[2,3], want the same shape [clamp C1]
          v   f32[3]     parameter 2   BroadcastRefusalsTest.java:+3
          x   f32[2,3]   parameter 1   BroadcastRefusalsTest.java:+2
          at BroadcastRefusalsTest.java:@\
        """,
        () -> x.clamp(v, v));
  }

  @Test
  void broadcastInDim() {
    int line = here();
    XlaOp v = b.parameter(0, Shape.of(F32, 2), "v");
    assertRefused(
        line,
        """
        broadcast: cannot broadcast v onto the result: dimension 0 of v has size 2, dimension 1 of\
         the result has size 3, want equal sizes, or 1 to be stretched [broadcast_in_dim C5]
          v   f32[2]   parameter 0   BroadcastRefusalsTest.java:+1
                       dim 0   dim 1
          the result       2       3
          v                        2   broadcast_dimensions (1)
                                   ^
          fits: broadcast_dimensions (0)
          at BroadcastRefusalsTest.java:@\
        """,
        () -> v.broadcastInDim(Dims.of(2, 3), broadcastDimensions(1)));
  }
}
