package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.builder.broadcast.BroadcastMode.BIDIRECTIONAL;
import static org.hlo4j.builder.broadcast.BroadcastMode.EXPLICIT;
import static org.hlo4j.builder.broadcast.BroadcastMode.NUMPY;
import static org.hlo4j.hlo.ElementType.F32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.broadcast.BroadcastMode;
import org.hlo4j.builder.broadcast.Broadcasts;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Errors of broadcasts to a target shape. */
final class TargetRefusalsTest {
  private final XlaBuilder b = new XlaBuilder("t");
  private final XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
  private final XlaOp v = b.parameter(1, Shape.of(F32, 2), "v");
  private final XlaOp s = b.parameter(7, Shape.of(F32), "s");

  private static void refused(Executable call, String message) {
    HloException refusal = assertThrows(HloException.class, call);
    String told = refusal.getMessage().replaceAll("TargetRefusalsTest.java:\\d+", "LINE");
    assertThat(told + "\n").isEqualTo(message);
  }

  @Test
  void targetByNumpy() {
    refused(
        () -> Broadcasts.broadcast1(v, Dims.of(2, 3)),
        """
        broadcast: cannot broadcast v to (2, 3) by broadcast1 in mode numpy: dimension 0 of v has size 2, target_shape[1] is 3, want equal sizes, or 1 in v to be stretched [broadcast-to T4]
          v   f32[2]   parameter 1   LINE
                         dim 0   dim 1
          target_shape       2       3
          v                          2   from the right
                                     ^
          fits: mode explicit with axes_mapping (0)
          at LINE
        """);
  }

  @Test
  void targetOfLowerRank() {
    refused(
        () -> Broadcasts.broadcast1(x, Dims.of(3)),
        """
        broadcast: cannot broadcast x to (3) by broadcast1 in mode numpy: rank of x got 2, want at most 1 as target_shape (3) [broadcast-to T3]
          x   f32[2,3]   parameter 0   LINE
                         dim 0   dim 1
          target_shape               3   from the right
          x                  2       3
          fits: mode bidirectional (broadcast3, expand)
          at LINE
        """);
  }

  @Test
  void targetNegative() {
    refused(
        () -> Broadcasts.broadcastTo(x, 3, -1),
        """
        broadcast: target_shape[1] got -1, want at least 0: no size is inferred [broadcast-to T1]
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void targetBidirectionalInBroadcast1() {
    refused(
        () -> Broadcasts.broadcast1(x, Dims.of(3, 3), BIDIRECTIONAL),
        """
        broadcast: mode got bidirectional, want numpy or explicit: only Broadcast-3 is bidirectional [broadcast-to T2]
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void targetAxesWithoutExplicit() {
    refused(
        () -> Broadcasts.broadcast1(x, Dims.of(3, 3), NUMPY, Dims.of(1)),
        """
        broadcast: axes_mapping got (1) in mode numpy, want none, or mode explicit [broadcast-to T2]
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void targetExplicitWithoutAxes() {
    refused(
        () -> Broadcasts.broadcast3(x, Dims.of(3, 3), EXPLICIT),
        """
        broadcast: axes_mapping got none in mode explicit, want an entry for each dimension of the data [broadcast-to T2]
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void targetAxesCount() {
    refused(
        () -> Broadcasts.broadcast3(x, Dims.of(3, 3), EXPLICIT, Dims.of(1)),
        """
        broadcast: axes_mapping got (1), want 2 entries, one for each dimension of x [broadcast-to T5]
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void targetAxesUnsorted() {
    refused(
        () -> Broadcasts.broadcast3(x, Dims.of(3, 3), EXPLICIT, Dims.of(1, 0)),
        """
        broadcast: axes_mapping got (1, 0), want strictly increasing: 0 comes after 1 [broadcast-to T7]
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void targetAxesTwice() {
    refused(
        () -> Broadcasts.broadcast3(x, Dims.of(3, 3), EXPLICIT, Dims.of(1, 1)),
        """
        broadcast: axes_mapping got (1, 1), want strictly increasing: 1 comes after 1 [broadcast-to T7]
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void targetAxisTooLarge() {
    refused(
        () -> Broadcasts.broadcast3(x, Dims.of(3, 2, 3), EXPLICIT, Dims.of(1, 3)),
        """
        broadcast: axes_mapping[1] got 3, want a dimension of target_shape (3, 2, 3) [broadcast-to T6]
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void targetAxisNegative() {
    refused(
        () -> Broadcasts.broadcast3(x, Dims.of(3, 2, 3), EXPLICIT, Dims.of(-2, 2)),
        """
        broadcast: axes_mapping[0] got -2, want a dimension of target_shape (3, 2, 3) [broadcast-to T6]
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void targetExplicitMismatch() {
    refused(
        () -> Broadcasts.broadcast3(x, Dims.of(2, 4, 3), EXPLICIT, Dims.of(1, 2)),
        """
        broadcast: cannot broadcast x to (2, 4, 3) by broadcast3 in mode explicit: dimension 0 of x has size 2, target_shape[1] is 4, want equal sizes, or 1 in x to be stretched [broadcast-to T4]
          x   f32[2,3]   parameter 0   LINE
                         dim 0   dim 1   dim 2
          target_shape       2       4       3
          x                          2       3   axes_mapping (1, 2)
                                     ^
          fits: mode explicit with axes_mapping (0, 2)
          at LINE
        """);
  }

  @Test
  void targetScalarAxis() {
    refused(
        () -> Broadcasts.broadcast3(s, Dims.of(2, 1), EXPLICIT, Dims.of(0)),
        """
        broadcast: axes_mapping got (0) for s, a scalar, want none, or a dimension where target_shape (2, 1) has size 1 [broadcast-to T5]
          s   f32[]   parameter 7   LINE
          at LINE
        """);
  }

  @Test
  void targetScalarAxisBeyondTheTarget() {
    refused(
        () -> Broadcasts.broadcast3(s, Dims.of(2, 1), EXPLICIT, Dims.of(2)),
        """
        broadcast: axes_mapping got (2) for s, a scalar, want none, or a dimension where target_shape (2, 1) has size 1 [broadcast-to T5]
          s   f32[]   parameter 7   LINE
          at LINE
        """);
  }

  @Test
  void nulls() {
    refused(
        () -> Broadcasts.broadcast1(v, Refusals.nullOf(Dims.class)),
        """
        broadcast: target_shape is null, want sizes
          v   f32[2]   parameter 1   LINE
          at LINE
        """);
    refused(
        () -> Broadcasts.broadcast1(v, Dims.of(2), Refusals.nullOf(BroadcastMode.class)),
        """
        broadcast: mode is null
          v   f32[2]   parameter 1   LINE
          at LINE
        """);
  }

  @Test
  void expandMismatch() {
    refused(
        () -> Broadcasts.expand(x, 4, 3, 4),
        """
        broadcast: cannot broadcast target_shape with x by expand in mode bidirectional: dimension 0 of x has size 2, dimension 1 of target_shape has size 3, want equal sizes or 1 [broadcast-to T4]
          x   f32[2,3]   parameter 0   LINE
                         dim 0   dim 1   dim 2
          target_shape       4       3       4
          x                          2       3   from the right
                                     ^
          no mode fits
          at LINE
        """);
  }
}
