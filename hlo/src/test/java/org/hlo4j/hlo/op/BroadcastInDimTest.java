package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.dims;
import static org.hlo4j.hlo.Shapes.shape;

import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Broadcasting.Operand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The shape rules of {@code broadcast_in_dim}. */
final class BroadcastInDimTest {
  private static Shape.Array broadcastInDim(String operand, String sizes, String dimensions) {
    return Broadcasting.broadcastInDim(
        new Operand("v", shape(operand)), dims(sizes), dims(dimensions));
  }

  private static void assertInDimRefused(
      String operand, String sizes, String dimensions, String message) {
    assertRefused(message, () -> broadcastInDim(operand, sizes, dimensions));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          f32[3]      ; 2 3    ; 1    ; f32[2,3]
          f32[]       ; 2 3    ; ''   ; f32[2,3]
          f32[1]      ; 2 3    ; 0    ; f32[2,3]
          f32[2,1]    ; 2 3    ; 0 1  ; f32[2,3]
          f32[2,1]    ; 2 5 3  ; 0 2  ; f32[2,5,3]
          f32[0]      ; 0 3    ; 0    ; f32[0,3]
          f32[1]      ; 0      ; 0    ; f32[0]
          """)
  void broadcastInDimShapes(String operand, String sizes, String dimensions, String result) {
    assertThat(broadcastInDim(operand, sizes, dimensions)).isEqualTo(shape(result));
  }

  @Test
  void broadcastInDimC2OneEntryPerDimension() {
    assertInDimRefused(
        "f32[3]",
        "2 3",
        "",
        """
        cannot broadcast v onto the result: broadcast_dimensions got (), want 1 of them, one for\
         each dimension of v [broadcast_in_dim C2]
                       dim 0   dim 1
          the result       2       3
          v                        3   with broadcast_dimensions (1)
          fits: broadcast_dimensions (1)\
        """);
  }

  @Test
  void broadcastInDimC3DimensionsExist() {
    assertInDimRefused(
        "f32[3]",
        "2 3",
        "2",
        """
        cannot broadcast v onto the result: broadcast_dimensions[0] got 2, want a dimension of\
         f32[2,3] [broadcast_in_dim C3]
          fits: broadcast_dimensions (1)\
        """);
    assertInDimRefused(
        "f32[3]",
        "2 3",
        "-1",
        """
        cannot broadcast v onto the result: broadcast_dimensions[0] got -1, want a dimension of\
         f32[2,3] [broadcast_in_dim C3]
          fits: broadcast_dimensions (1)\
        """);
  }

  @Test
  void broadcastInDimC4DimensionsIncrease() {
    assertInDimRefused(
        "f32[3,2]",
        "2 3",
        "1 0",
        "cannot broadcast v onto the result: broadcast_dimensions got (1, 0), want strictly"
            + " increasing: 0 comes after 1 [broadcast_in_dim C4]\n"
            + "               dim 0   dim 1\n"
            + "  the result       2       3\n"
            + "  v                2       3\n"
            + "                   ^\n"
            + "  fits: transpose v by (1, 0), then broadcast_dimensions (0, 1)");
    assertInDimRefused(
        "f32[3,3]",
        "3 3",
        "1 1",
        "cannot broadcast v onto the result: broadcast_dimensions got (1, 1), want strictly"
            + " increasing: 1 comes after 1 [broadcast_in_dim C4]");
  }

  @Test
  void broadcastInDimC5OnlySizeOneIsStretched() {
    assertInDimRefused(
        "f32[2]",
        "1 3",
        "0",
        """
        cannot broadcast v onto the result: dimension 0 of v has size 2, dimension 0 of the result\
         has size 1, want equal sizes, or 1 to be stretched [broadcast_in_dim C5]
                       dim 0   dim 1
          the result       1       3
          v                2           broadcast_dimensions (0)
                           ^
          no broadcast_dimensions fit\
        """);
    // A size that may be 0 at run time is not stretched.
    assertInDimRefused(
        "f32[<=1]",
        "2 3",
        "0",
        """
        cannot broadcast v onto the result: dimension 0 of v has size <=1, dimension 0 of the\
         result has size 2, want equal sizes, or 1 to be stretched [broadcast_in_dim C5]
                       dim 0   dim 1
          the result       2       3
          v              <=1           broadcast_dimensions (0)
                           ^
          no broadcast_dimensions fit\
        """);
  }
}
