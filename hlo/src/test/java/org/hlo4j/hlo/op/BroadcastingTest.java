package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.dims;
import static org.hlo4j.hlo.Shapes.shape;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Broadcasting.Operand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests named after a rule, such as B1, follow XLA's documentation, comments and unit tests. */
final class BroadcastingTest {
  private static Shape.Array binary(String lhs, String rhs, String dimensions) {
    return Broadcasting.binary(
        new Operand("x", shape(lhs)), new Operand("v", shape(rhs)), dims(dimensions));
  }

  private static void assertBinaryRefused(
      String lhs, String rhs, String dimensions, String message) {
    assertRefused(message, () -> binary(lhs, rhs, dimensions));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          # lhs        ; rhs          ; dimensions ; result
          # a scalar goes with all
          f32[2,3]     ; f32[]        ; ''         ; f32[2,3]
          f32[]        ; f32[2,3]     ; ''         ; f32[2,3]
          f32[]        ; f32[]        ; ''         ; f32[]
          f32[?]       ; f32[]        ; ''         ; f32[?]
          # equal ranks: none or the identity
          f32[2,3]     ; f32[2,3]     ; ''         ; f32[2,3]
          f32[2,3]     ; f32[2,3]     ; 0 1        ; f32[2,3]
          # lower rank: dimensions say where
          f32[2,3]     ; f32[3]       ; 1          ; f32[2,3]
          f32[2,3]     ; f32[2]       ; 0          ; f32[2,3]
          f32[3]       ; f32[2,3]     ; 1          ; f32[2,3]
          f32[3,3]     ; f32[3]       ; 0          ; f32[3,3]
          f32[2,3,4]   ; f32[3,4]     ; 1 2        ; f32[2,3,4]
          f32[2,3,4,5] ; f32[4,5]     ; 2 3        ; f32[2,3,4,5]
          f32[2,3,4,5] ; f32[3,4]     ; 1 2        ; f32[2,3,4,5]
          f32[2,3,4,5] ; f32[2,5]     ; 0 3        ; f32[2,3,4,5]
          s32[2,4,6]   ; s32[2,4]     ; 0 1        ; s32[2,4,6]
          # size 1 stretches
          f32[2,1]     ; f32[2,3]     ; ''         ; f32[2,3]
          f32[1,2,5]   ; f32[7,2,5]   ; ''         ; f32[7,2,5]
          f32[7,2,5]   ; f32[7,1,5]   ; ''         ; f32[7,2,5]
          f32[2,1]     ; f32[1,3]     ; ''         ; f32[2,3]
          f32[1,2,3]   ; f32[1,2,1]   ; ''         ; f32[1,2,3]
          # both at once
          f32[4]       ; f32[1,2]     ; 0          ; f32[4,2]
          f32[1,2]     ; f32[4,3,1]   ; 1 2        ; f32[4,3,2]
          f32[2,3,4]   ; f32[2,1]     ; 0 2        ; f32[2,3,4]
          f32[2,1,4]   ; f32[2,3]     ; 0 1        ; f32[2,3,4]
          f32[1]       ; f32[2,2]     ; 1          ; f32[2,2]
          # the size that is not 1, never the greater
          f32[0,3]     ; f32[1,3]     ; ''         ; f32[0,3]
          f32[0,3]     ; f32[1]       ; 0          ; f32[0,3]
          f32[0]       ; f32[]        ; ''         ; f32[0]
          # dynamic sizes
          f32[1]       ; f32[?]       ; ''         ; f32[?]
          f32[2]       ; f32[?]       ; ''         ; f32[2]
          f32[<=2]     ; f32[?]       ; ''         ; f32[<=2]
          f32[?]       ; f32[?]       ; ''         ; f32[?]
          f32[1]       ; f32[<=2]     ; ''         ; f32[<=2]
          f32[2]       ; f32[<=2]     ; ''         ; f32[<=2]
          f32[1]       ; f32[?,3]     ; 0          ; f32[?,3]
          f32[1]       ; f32[<=2,<=2] ; 1          ; f32[<=2,<=2]
          f32[<=2]     ; f32[<=2,3]   ; 0          ; f32[<=2,3]
          """)
  void binaryShapes(String lhs, String rhs, String dimensions, String result) {
    assertThat(binary(lhs, rhs, dimensions)).isEqualTo(shape(result));
  }

  @Test
  void elementTypesMustMatch() {
    assertBinaryRefused(
        "f32[2]",
        "s32[2]",
        "",
        """
        element types of x and v got f32 and s32, want the same
          fits: v.convertElementType(F32) or x.convertElementType(S32)\
        """);
  }

  @ParameterizedTest
  @CsvSource({"'1 0', '(1, 0)'", "0, (0)", "'0 0', '(0, 0)'"})
  void b1EqualRanksRequireTheIdentity(String dimensions, String tuple) {
    assertBinaryRefused(
        "f32[2,3]",
        "f32[2,3]",
        dimensions,
        "cannot broadcast v onto x: both have rank 2, broadcast_dimensions got "
            + tuple
            + ", want none or (0, 1) [broadcast B1]");
  }

  @Test
  void b2LowerRankNeedsDimensions() {
    assertBinaryRefused(
        "f32[2,3]",
        "f32[3]",
        "",
        """
        cannot broadcast v onto x: ranks got 1 and 2, want equal ranks or broadcast_dimensions\
         [broadcast B2]
              dim 0   dim 1
          x       2       3
          v               3   with broadcast_dimensions (1)
          fits: broadcast_dimensions (1)\
        """);
    assertBinaryRefused(
        "u32[2,4]",
        "u32[2,4,6]",
        "",
        """
        cannot broadcast x onto v: ranks got 2 and 3, want equal ranks or broadcast_dimensions\
         [broadcast B2]
              dim 0   dim 1   dim 2
          v       2       4       6
          x       2       4           with broadcast_dimensions (0, 1)
          fits: broadcast_dimensions (0, 1)\
        """);
  }

  @Test
  void b3OneEntryPerDimension() {
    assertBinaryRefused(
        "f32[2,3]",
        "f32[3]",
        "0 1",
        """
        cannot broadcast v onto x: broadcast_dimensions got (0, 1), want 1 of them, one for each\
         dimension of v [broadcast B3]
          fits: broadcast_dimensions (1)\
        """);
    assertBinaryRefused(
        "f32[2,3]",
        "f32[]",
        "0",
        """
        cannot broadcast v onto x: broadcast_dimensions got (0), want none: v is a scalar [broadcast B3]
          fits: broadcast_dimensions ()\
        """);
    assertBinaryRefused(
        "f32[2,3,4]",
        "f32[3,4]",
        "1",
        """
        cannot broadcast v onto x: broadcast_dimensions got (1), want 2 of them, one for each\
         dimension of v [broadcast B3]
          fits: broadcast_dimensions (1, 2)\
        """);
  }

  @Test
  void b4NoNegativeDimension() {
    assertBinaryRefused(
        "f32[2,3]",
        "f32[3]",
        "-1",
        """
        cannot broadcast v onto x: broadcast_dimensions[0] got -1, want at least 0 [broadcast B4]
          fits: broadcast_dimensions (1)\
        """);
  }

  @Test
  void b5NoDimensionBeyondTheRank() {
    assertBinaryRefused(
        "f32[2,3]",
        "f32[3]",
        "2",
        """
        cannot broadcast v onto x: broadcast_dimensions[0] got 2, want below 2, the rank of x\
         [broadcast B5]
          fits: broadcast_dimensions (1)\
        """);
    assertBinaryRefused(
        "f32[2,3]",
        "f32[3]",
        "4294967297",
        """
        cannot broadcast v onto x: broadcast_dimensions[0] got 4294967297, want below 2, the rank\
         of x [broadcast B5]
          fits: broadcast_dimensions (1)\
        """);
  }

  @Test
  void b6SizesAreEqualOrOne() {
    assertBinaryRefused(
        "f32[2,3]",
        "f32[3]",
        "0",
        """
        cannot broadcast v onto x: dimension 0 of v has size 3, dimension 0 of x has size 2,\
         want equal sizes or 1 [broadcast B6]
              dim 0   dim 1
          x       2       3
          v       3           broadcast_dimensions (0)
                  ^
          fits: broadcast_dimensions (1)\
        """);
    // A size mismatch is reported with every choice of broadcast_dimensions that fits.
    assertBinaryRefused(
        "f32[2,3,4]",
        "f32[2,1]",
        "1 2",
        """
        cannot broadcast v onto x: dimension 0 of v has size 2, dimension 1 of x has size 3,\
         want equal sizes or 1 [broadcast B6]
              dim 0   dim 1   dim 2
          x       2       3       4
          v               2       1   broadcast_dimensions (1, 2)
                          ^
          fits: broadcast_dimensions (0, 1) or (0, 2)\
        """);
    assertBinaryRefused(
        "f32[2]",
        "f32[?,3]",
        "0",
        """
        cannot broadcast x onto v: dimension 0 of x has size 2, dimension 0 of v has size ?,\
         want equal sizes or 1 [broadcast B6]
              dim 0   dim 1
          v       ?       3
          x       2           broadcast_dimensions (0)
                  ^
          no broadcast_dimensions fit\
        """);
  }

  @Test
  void b7DynamicSizeOneIsNotStretched() {
    assertBinaryRefused(
        "f32[2,3]",
        "f32[<=1]",
        "0",
        """
        cannot broadcast v onto x: dimension 0 of v has size <=1, dimension 0 of x has size 2,\
         want both static or both dynamic [broadcast B7]
              dim 0   dim 1
          x       2       3
          v     <=1           broadcast_dimensions (0)
                  ^
          no broadcast_dimensions fit\
        """);
  }

  @Test
  void b8DimensionsIncrease() {
    assertBinaryRefused(
        "f32[5,6,7,8]",
        "f32[8,6]",
        "3 1",
        """
        cannot broadcast v onto x: broadcast_dimensions got (3, 1), want strictly increasing: 1\
         comes after 3 [broadcast B8]
              dim 0   dim 1   dim 2   dim 3
          x       5       6       7       8
          v               6               8   broadcast_dimensions (3, 1)
                          ^
          fits: transpose v by (1, 0), then broadcast_dimensions (1, 3)\
        """);
    assertBinaryRefused(
        "f32[5,6,7,8]",
        "f32[8,8]",
        "3 3",
        """
        cannot broadcast v onto x: broadcast_dimensions got (3, 3), want strictly increasing: 3\
         comes after 3 [broadcast B8]
          no broadcast_dimensions fit\
        """);
  }

  @Test
  void b9SizesAreEqualOrOneForEqualRanks() {
    assertBinaryRefused(
        "f32[7,2,5]",
        "f32[7,2,6]",
        "",
        """
        cannot broadcast v onto x: dimension 2 of v has size 6, dimension 2 of x has size 5, want\
         equal sizes or 1 [broadcast B9]
              dim 0   dim 1   dim 2
          x       7       2       5
          v       7       2       6
                                  ^\
        """);
    assertBinaryRefused(
        "f32[0,3]",
        "f32[2,3]",
        "",
        """
        cannot broadcast v onto x: dimension 0 of v has size 2, dimension 0 of x has size 0, want\
         equal sizes or 1 [broadcast B9]
              dim 0   dim 1
          x       0       3
          v       2       3
                  ^\
        """);
    assertBinaryRefused(
        "f32[<=2]",
        "f32[<=3]",
        "",
        """
        cannot broadcast v onto x: dimension 0 of v has size <=3, dimension 0 of x has size <=2,\
         want equal sizes or 1 [broadcast B9]
              dim 0
          x     <=2
          v     <=3
                  ^\
        """);
  }

  @Test
  void drawingHasRoomForLongNamesAndSizes() {
    Operand larger = new Operand("activations", shape("f32[1000000000,3]"));
    assertRefused(
        """
        cannot broadcast b onto activations: dimension 0 of b has size 2, dimension 0 of\
         activations has size 1000000000,\
         want equal sizes or 1 [broadcast B6]
                             dim 0   dim 1
          activations   1000000000       3
          b                      2           broadcast_dimensions (0)
                                 ^
          no broadcast_dimensions fit\
        """,
        () -> Broadcasting.binary(larger, new Operand("b", shape("f32[2]")), Dims.of(0)));
  }

  @Test
  void atMostThreeFitsAreSuggested() {
    assertBinaryRefused(
        "f32[2,2,2,2]",
        "f32[2]",
        "",
        """
        cannot broadcast v onto x: ranks got 1 and 4, want equal ranks or broadcast_dimensions\
         [broadcast B2]
              dim 0   dim 1   dim 2   dim 3
          x       2       2       2       2
          v       2                           with broadcast_dimensions (0)
          fits: broadcast_dimensions (0) or (1) or (2) or others\
        """);
  }

  @Test
  void threeFitsAreAllThereAre() {
    assertBinaryRefused(
        "f32[2,2,2]",
        "f32[2]",
        "",
        """
        cannot broadcast v onto x: ranks got 1 and 3, want equal ranks or broadcast_dimensions\
         [broadcast B2]
              dim 0   dim 1   dim 2
          x       2       2       2
          v       2                   with broadcast_dimensions (0)
          fits: broadcast_dimensions (0) or (1) or (2)\
        """);
  }

  @Test
  void equalSizesFitBeforeSizesThatAreStretched() {
    assertBinaryRefused(
        "f32[3,1]",
        "f32[1]",
        "",
        """
        cannot broadcast v onto x: ranks got 1 and 2, want equal ranks or broadcast_dimensions\
         [broadcast B2]
              dim 0   dim 1
          x       3       1
          v               1   with broadcast_dimensions (1)
          fits: broadcast_dimensions (1)\
        """);
  }

  @Test
  void noTransposeFitsOtherSizes() {
    assertBinaryRefused(
        "f32[5,6,7]",
        "f32[7,4]",
        "2 1",
        """
        cannot broadcast v onto x: dimension 1 of v has size 4, dimension 1 of x has size 6, want\
         equal sizes or 1 [broadcast B6]
              dim 0   dim 1   dim 2
          x       5       6       7
          v               4       7   broadcast_dimensions (2, 1)
                          ^
          no broadcast_dimensions fit\
        """);
  }

  @Test
  void sixteenDimensionsAreDrawn() {
    String wide = "f32[" + "2,".repeat(15) + "2]";
    for (String dimensions : List.of("", "0")) {
      HloException refusal =
          assertThrows(HloException.class, () -> binary(wide, "f32[3]", dimensions));
      assertThat(refusal).hasMessageThat().contains("   dim 15\n");
    }
  }

  @Test
  void searchForFitsIsBounded() {
    String wide = "f32[" + "2,".repeat(59) + "2]";
    String half = "f32[" + "2,".repeat(29) + "3]";
    assertBinaryRefused(
        wide,
        half,
        "",
        """
        cannot broadcast v onto x: ranks got 30 and 60, want equal ranks or broadcast_dimensions\
         [broadcast B2]
          no broadcast_dimensions fit\
        """);
  }
}
