package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.builder.XlaOp.broadcastDimensions;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * The complete messages of broadcasting errors: the actual and expected values, the operands and
 * where they were created, their alignment, valid alternatives, and the line of the call. Line
 * numbers of this file are replaced by {@code LINE}.
 */
final class BroadcastRefusalsTest {
  private final XlaBuilder b = new XlaBuilder("t");
  private final XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
  private final XlaOp v = b.parameter(1, Shape.of(F32, 3), "v");
  private final XlaOp s = b.parameter(2, Shape.of(F32), "s");
  private final XlaOp big = b.parameter(3, Shape.of(F32, 5, 6, 7, 8), "big");

  private static void refused(Executable call, String message) {
    HloException refusal = assertThrows(HloException.class, call);
    String told = refusal.getMessage().replaceAll("BroadcastRefusalsTest.java:\\d+", "LINE");
    assertThat(told + "\n").isEqualTo(message);
  }

  @Test
  void errorNamesLineOfCall() {
    int line =
        StackWalker.getInstance().walk(frames -> frames.findFirst().orElseThrow()).getLineNumber();
    HloException refusal = assertThrows(HloException.class, () -> x.add(v));
    assertThat(refusal).hasMessageThat().endsWith("at BroadcastRefusalsTest.java:" + (line + 1));
  }

  @Test
  void b1IdentityForEqualRanks() {
    refused(
        () -> x.add(x, broadcastDimensions(1, 0)),
        """
        add: cannot broadcast x onto x: both have rank 2, broadcast_dimensions got (1, 0), want none or (0, 1) [broadcast B1]
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void b2DifferentRanksNeedBroadcastDimensions() {
    refused(
        () -> x.add(v),
        """
        add: cannot broadcast v onto x: ranks got 1 and 2, want equal ranks or broadcast_dimensions [broadcast B2]
          x   f32[2,3]   parameter 0   LINE
          v   f32[3]     parameter 1   LINE
              dim 0   dim 1
          x       2       3
          v               3   with broadcast_dimensions (1)
          fits: broadcast_dimensions (1)
          at LINE
        """);
  }

  @Test
  void b2WithoutSuggestion() {
    refused(
        () -> big.add(v),
        """
        add: cannot broadcast v onto big: ranks got 1 and 4, want equal ranks or broadcast_dimensions [broadcast B2]
          big   f32[5,6,7,8]   parameter 3   LINE
          v     f32[3]         parameter 1   LINE
                dim 0   dim 1   dim 2   dim 3
          big       5       6       7       8
          v                                     nowhere: f32[3]
          no broadcast_dimensions fit
          at LINE
        """);
  }

  @Test
  void b2SuggestsEveryFit() {
    XlaOp square = b.parameter(4, Shape.of(F32, 3, 3), "square");
    refused(
        () -> v.sub(square),
        """
        subtract: cannot broadcast v onto square: ranks got 1 and 2, want equal ranks or broadcast_dimensions [broadcast B2]
          v        f32[3]     parameter 1   LINE
          square   f32[3,3]   parameter 4   LINE
                   dim 0   dim 1
          square       3       3
          v            3           with broadcast_dimensions (0)
          fits: broadcast_dimensions (0) or (1)
          at LINE
        """);
  }

  @Test
  void b3OneEntryPerDimension() {
    refused(
        () -> x.add(v, broadcastDimensions(0, 1)),
        """
        add: cannot broadcast v onto x: broadcast_dimensions got (0, 1), want 1 of them, one for each dimension of v [broadcast B3]
          x   f32[2,3]   parameter 0   LINE
          v   f32[3]     parameter 1   LINE
          fits: broadcast_dimensions (1)
          at LINE
        """);
  }

  @Test
  void b3NoDimensionsForScalar() {
    refused(
        () -> x.add(s, broadcastDimensions(0)),
        """
        add: cannot broadcast s onto x: broadcast_dimensions got (0), want none: s is a scalar [broadcast B3]
          x   f32[2,3]   parameter 0   LINE
          s   f32[]      parameter 2   LINE
          fits: broadcast_dimensions ()
          at LINE
        """);
  }

  @Test
  void b4NegativeDimension() {
    refused(
        () -> x.add(v, broadcastDimensions(-1)),
        """
        add: cannot broadcast v onto x: broadcast_dimensions[0] got -1, want at least 0 [broadcast B4]
          x   f32[2,3]   parameter 0   LINE
          v   f32[3]     parameter 1   LINE
          fits: broadcast_dimensions (1)
          at LINE
        """);
  }

  @Test
  void b5DimensionOutOfRange() {
    refused(
        () -> x.add(v, broadcastDimensions(2)),
        """
        add: cannot broadcast v onto x: broadcast_dimensions[0] got 2, want below 2, the rank of x [broadcast B5]
          x   f32[2,3]   parameter 0   LINE
          v   f32[3]     parameter 1   LINE
          fits: broadcast_dimensions (1)
          at LINE
        """);
  }

  @Test
  void b6SizesEqualOrOne() {
    refused(
        () -> x.add(v, broadcastDimensions(0)),
        """
        add: cannot broadcast v onto x: dimension 0 of v has size 3, dimension 0 of x has size 2, want equal sizes or 1 [broadcast B6]
          x   f32[2,3]   parameter 0   LINE
          v   f32[3]     parameter 1   LINE
              dim 0   dim 1
          x       2       3
          v       3           broadcast_dimensions (0)
                  ^
          fits: broadcast_dimensions (1)
          at LINE
        """);
  }

  @Test
  void b7DynamismMismatch() {
    XlaOp bounded = b.parameter(4, Shape.of(F32, 2, 1).withDynamic(List.of(1)), "bounded");
    refused(
        () -> bounded.add(v, broadcastDimensions(1)),
        """
        add: cannot broadcast v onto bounded: dimension 0 of v has size 3, dimension 1 of bounded has size <=1, want both static or both dynamic [broadcast B7]
          bounded   f32[2,<=1]   parameter 4   LINE
          v         f32[3]       parameter 1   LINE
                    dim 0   dim 1
          bounded       2     <=1
          v                     3   broadcast_dimensions (1)
                                ^
          no broadcast_dimensions fit
          at LINE
        """);
  }

  @Test
  void b8StrictlyIncreasing() {
    XlaOp w = b.parameter(4, Shape.of(F32, 8, 6), "w");
    refused(
        () -> big.add(w, broadcastDimensions(3, 1)),
        """
        add: cannot broadcast w onto big: broadcast_dimensions got (3, 1), want strictly increasing: 1 comes after 3 [broadcast B8]
          big   f32[5,6,7,8]   parameter 3   LINE
          w     f32[8,6]       parameter 4   LINE
                dim 0   dim 1   dim 2   dim 3
          big       5       6       7       8
          w                 6               8   broadcast_dimensions (3, 1)
                            ^
          fits: transpose w by (1, 0), then broadcast_dimensions (1, 3)
          at LINE
        """);
  }

  @Test
  void b8DuplicateDimension() {
    XlaOp w = b.parameter(4, Shape.of(F32, 8, 8), "w");
    refused(
        () -> big.add(w, broadcastDimensions(3, 3)),
        """
        add: cannot broadcast w onto big: broadcast_dimensions got (3, 3), want strictly increasing: 3 comes after 3 [broadcast B8]
          big   f32[5,6,7,8]   parameter 3   LINE
          w     f32[8,8]       parameter 4   LINE
          no broadcast_dimensions fit
          at LINE
        """);
  }

  @Test
  void b9SameRankIncompatible() {
    XlaOp y = b.parameter(4, Shape.of(F32, 2, 6), "y");
    refused(
        () -> x.mul(y),
        """
        multiply: cannot broadcast y onto x: dimension 1 of y has size 6, dimension 1 of x has size 3, want equal sizes or 1 [broadcast B9]
          x   f32[2,3]   parameter 0   LINE
          y   f32[2,6]   parameter 4   LINE
              dim 0   dim 1
          x       2       3
          y       2       6
                          ^
          at LINE
        """);
  }

  @Test
  void elementTypeMismatch() {
    XlaOp i = b.parameter(4, Shape.of(S32, 2, 3), "i");
    refused(
        () -> x.add(i),
        """
        add: element types of x and i got f32 and s32, want the same
          x   f32[2,3]   parameter 0   LINE
          i   s32[2,3]   parameter 4   LINE
          fits: i.convertElementType(F32) or x.convertElementType(S32)
          at LINE
        """);
    refused(
        () -> x.shiftLeft(x),
        """
        shift-left: element type of x got f32, want signed integer, unsigned integer
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void broadcastInDim() {
    refused(
        () -> v.broadcastInDim(Dims.of(2, 3), Dims.of(0)),
        """
        broadcast: cannot broadcast v onto the result: dimension 0 of v has size 3, dimension 0 of the result has size 2, want equal sizes, or 1 to be stretched [broadcast_in_dim C5]
          v   f32[3]   parameter 1   LINE
                       dim 0   dim 1
          the result       2       3
          v                3           broadcast_dimensions (0)
                           ^
          fits: broadcast_dimensions (1)
          at LINE
        """);
    refused(
        () -> v.broadcastInDim(Dims.of(2, 3), Dims.of(2)),
        """
        broadcast: cannot broadcast v onto the result: broadcast_dimensions[0] got 2, want a dimension of f32[2,3] [broadcast_in_dim C3]
          v   f32[3]   parameter 1   LINE
          fits: broadcast_dimensions (1)
          at LINE
        """);
    refused(
        () -> v.broadcastInDim(Dims.of(2, 3), Dims.of()),
        """
        broadcast: cannot broadcast v onto the result: broadcast_dimensions got (), want 1 of them, one for each dimension of v [broadcast_in_dim C2]
          v   f32[3]   parameter 1   LINE
                       dim 0   dim 1
          the result       2       3
          v                        3   with broadcast_dimensions (1)
          fits: broadcast_dimensions (1)
          at LINE
        """);
    XlaOp w = b.parameter(4, Shape.of(F32, 3, 2), "w");
    refused(
        () -> w.broadcastInDim(Dims.of(2, 3), Dims.of(1, 0)),
        """
        broadcast: cannot broadcast w onto the result: broadcast_dimensions got (1, 0), want strictly increasing: 0 comes after 1 [broadcast_in_dim C4]
          w   f32[3,2]   parameter 4   LINE
                       dim 0   dim 1
          the result       2       3
          w                2       3
                           ^
          fits: transpose w by (1, 0), then broadcast_dimensions (0, 1)
          at LINE
        """);
  }

  @Test
  void selectAndClampBroadcastScalarsOnly() {
    XlaOp p = b.parameter(4, Shape.of(PRED, 2), "p");
    refused(
        () -> p.select(x, x),
        """
        select: pred got pred[2] and on_true got pred[2,3], want the same shape [select C1]
          p   pred[2]    parameter 4   LINE
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
    refused(
        () -> x.clamp(v, s),
        """
        clamp: min got f32[3] and operand got f32[2,3], want the same shape [clamp C1]
          v   f32[3]     parameter 1   LINE
          x   f32[2,3]   parameter 0   LINE
          s   f32[]      parameter 2   LINE
          at LINE
        """);
  }
}
