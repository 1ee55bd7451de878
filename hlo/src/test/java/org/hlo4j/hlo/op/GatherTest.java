package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableSortedSet;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

class GatherTest {
  private static Shape.Array f32(long... sizes) {
    return Shape.of(F32, sizes);
  }

  private static Shape.Array s32(long... sizes) {
    return Shape.of(ElementType.S32, sizes);
  }

  private static Shape.Array dynamic(Integer... dimensions) {
    return f32(5, 3).withDynamic(List.of(dimensions));
  }

  private static Shape.Array unbounded() {
    return new Shape.Array(
        F32, Dims.of(Shape.UNBOUNDED, 3), ImmutableSortedSet.of(0), Optional.empty());
  }

  private static void shape(String want, Shape got) {
    assertThat(got.toString()).isEqualTo(want);
  }

  private static void refused(String label, String message, Runnable call) {
    HloException refusal = assertThrows(HloException.class, call::run);
    assertThat(refusal.label()).isEqualTo(label);
    assertThat(refusal.summary()).isEqualTo(message);
  }

  @Test
  void putsWindowsAtOffsetDims() {
    shape(
        "f32[4,3]",
        new Gather(
                Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, Dims.of(1, 3), false)
            .infer(f32(5, 3), s32(4, 1)));
    shape(
        "f32[3,4]",
        new Gather(
                Dims.of(0), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, Dims.of(1, 3), false)
            .infer(f32(5, 3), s32(4, 1)));
    shape(
        "f32[4,2,3]",
        new Gather(
                Dims.of(1, 2), Dims.of(), Dims.of(0), Dims.of(), Dims.of(), 1, Dims.of(2, 3), false)
            .infer(f32(5, 3), s32(4, 1)));
    shape(
        "f32[7]",
        new Gather(
                Dims.of(),
                Dims.of(0, 1),
                Dims.of(1, 0),
                Dims.of(),
                Dims.of(),
                0,
                Dims.of(1, 1),
                false)
            .infer(f32(5, 3), s32(2, 7)));
    shape(
        "f32[2]",
        new Gather(Dims.of(0), Dims.of(), Dims.of(0), Dims.of(), Dims.of(), 0, Dims.of(2), false)
            .infer(f32(5), s32(1)));
    shape(
        "f32[2,3]",
        new Gather(Dims.of(), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 2, Dims.of(1), false)
            .infer(f32(5), s32(2, 3)));
    shape(
        "f32[0,3]",
        new Gather(
                Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, Dims.of(1, 3), false)
            .infer(f32(5, 3), s32(0, 1)));
    shape(
        "f32[]",
        new Gather(Dims.of(), Dims.of(), Dims.of(), Dims.of(), Dims.of(), 0, Dims.of(), false)
            .infer(f32(), s32(0)));
  }

  @Test
  void batchingDimsRunAlong() {
    shape(
        "f32[4,2,3]",
        new Gather(
                Dims.of(2),
                Dims.of(1),
                Dims.of(1),
                Dims.of(0),
                Dims.of(0),
                2,
                Dims.of(1, 1, 3),
                false)
            .infer(f32(4, 5, 3), s32(4, 2, 1)));
    shape(
        "f32[3,2,4]",
        new Gather(
                Dims.of(0),
                Dims.of(1),
                Dims.of(1),
                Dims.of(0),
                Dims.of(2),
                0,
                Dims.of(1, 1, 3),
                false)
            .infer(f32(4, 5, 3), s32(1, 2, 4)));
  }

  @Test
  void dynamicDimensionsOfIndicesAndWholeWindowsStaySo() {
    shape(
        "f32[4,3]",
        new Gather(
                Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, Dims.of(1, 3), false)
            .infer(dynamic(0), s32(4, 1)));
    shape(
        "f32[4,<=5,3]",
        new Gather(
                Dims.of(1, 2), Dims.of(), Dims.of(0), Dims.of(), Dims.of(), 1, Dims.of(5, 3), false)
            .infer(dynamic(0), s32(4, 1)));
    shape(
        "f32[4,4,3]",
        new Gather(
                Dims.of(1, 2), Dims.of(), Dims.of(0), Dims.of(), Dims.of(), 1, Dims.of(4, 3), false)
            .infer(dynamic(0), s32(4, 1)));
    shape(
        "f32[<=4,3]",
        new Gather(
                Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, Dims.of(1, 3), false)
            .infer(f32(5, 3), s32(4, 1).withDynamic(List.of(0))));
    shape(
        "f32[4,9,3]",
        new Gather(
                Dims.of(1, 2), Dims.of(), Dims.of(0), Dims.of(), Dims.of(), 1, Dims.of(9, 3), false)
            .infer(unbounded(), s32(4, 1)));
  }

  @Test
  void presets() {
    shape("f32[4,2,3]", Gather.takeRows(f32(5, 3), s32(4, 2)).infer(f32(5, 3), s32(4, 2)));
    shape(
        "f32[5,4,2,7]",
        Gather.alongDimension(f32(5, 3, 7), s32(4, 2), 1).infer(f32(5, 3, 7), s32(4, 2)));
    shape("f32[5]", Gather.alongDimension(f32(5, 3), s32(), 1).infer(f32(5, 3), s32()));
    shape("f32[4]", Gather.points(f32(5, 3), s32(4, 2)).infer(f32(5, 3), s32(4, 2)));
  }

  @Test
  void indicesMustBeIntegers() {
    refused(
        "",
        "gather: start_indices got f32[4,1], want integers",
        () ->
            new Gather(
                    Dims.of(1),
                    Dims.of(0),
                    Dims.of(0),
                    Dims.of(),
                    Dims.of(),
                    1,
                    Dims.of(1, 3),
                    false)
                .infer(f32(5, 3), f32(4, 1)));
  }

  @Test
  void windowDimsAddUpToTheRank() {
    refused(
        "gather C1",
        "gather: offset_dims (1), collapsed_slice_dims () and operand_batching_dims () got 1"
            + " dimensions together, want 2 as f32[5,3] has",
        () ->
            new Gather(
                    Dims.of(1),
                    Dims.of(),
                    Dims.of(0),
                    Dims.of(),
                    Dims.of(),
                    1,
                    Dims.of(1, 3),
                    false)
                .infer(f32(5, 3), s32(4, 1)));
  }

  @Test
  void indexVectorDimIsAtMostTheRank() {
    refused(
        "gather C2",
        "gather: index_vector_dim got 3, want from 0 to the rank of start_indices s32[4,1]",
        () ->
            new Gather(
                    Dims.of(1),
                    Dims.of(0),
                    Dims.of(0),
                    Dims.of(),
                    Dims.of(),
                    3,
                    Dims.of(1, 3),
                    false)
                .infer(f32(5, 3), s32(4, 1)));
  }

  @Test
  void indexVectorDimIsNotNegative() {
    refused(
        "gather C2",
        "gather: index_vector_dim got -1, want from 0 to the rank of start_indices s32[4,1]",
        () ->
            new Gather(
                    Dims.of(1),
                    Dims.of(0),
                    Dims.of(0),
                    Dims.of(),
                    Dims.of(),
                    -1,
                    Dims.of(1, 3),
                    false)
                .infer(f32(5, 3), s32(4, 1)));
  }

  @Test
  void mapIsAsLongAsAVector() {
    refused(
        "gather C3",
        "gather: start_index_map got (0, 1), want 1 of them as dimension 1 of start_indices"
            + " s32[4,1]",
        () ->
            new Gather(
                    Dims.of(1),
                    Dims.of(0),
                    Dims.of(0, 1),
                    Dims.of(),
                    Dims.of(),
                    1,
                    Dims.of(1, 3),
                    false)
                .infer(f32(5, 3), s32(4, 1)));
  }

  @Test
  void mapOfImpliedVectorsHasOneDimension() {
    refused(
        "gather C3",
        "gather: start_index_map got (0, 1), want 1 of them as index_vector_dim is the rank of"
            + " start_indices s32[4,1]",
        () ->
            new Gather(
                    Dims.of(1),
                    Dims.of(0),
                    Dims.of(0, 1),
                    Dims.of(),
                    Dims.of(),
                    2,
                    Dims.of(1, 3),
                    false)
                .infer(f32(5, 3), s32(4, 1)));
  }

  @Test
  void offsetDimsIncrease() {
    refused(
        "gather C4",
        "gather: offset_dims got (1, 0), want them increasing",
        () ->
            new Gather(
                    Dims.of(1, 0),
                    Dims.of(),
                    Dims.of(0),
                    Dims.of(),
                    Dims.of(),
                    1,
                    Dims.of(1, 3),
                    false)
                .infer(f32(5, 3), s32(4, 1)));
  }

  @Test
  void offsetDimsAreDistinct() {
    refused(
        "gather C4",
        "gather: offset_dims got (1, 1), want them increasing",
        () ->
            new Gather(
                    Dims.of(1, 1),
                    Dims.of(),
                    Dims.of(0),
                    Dims.of(),
                    Dims.of(),
                    1,
                    Dims.of(1, 3),
                    false)
                .infer(f32(5, 3), s32(4, 1)));
  }

  @Test
  void offsetDimsAreInRange() {
    refused(
        "gather C5",
        "gather: offset_dims[0] got 2, want a dimension of the result, of rank 2",
        () ->
            new Gather(
                    Dims.of(2),
                    Dims.of(0),
                    Dims.of(0),
                    Dims.of(),
                    Dims.of(),
                    1,
                    Dims.of(1, 3),
                    false)
                .infer(f32(5, 3), s32(4, 1)));
  }

  @Test
  void collapsedDimsAreNoBatchingDims() {
    refused(
        "gather C6",
        "gather: collapsed_slice_dims got (0), want none that is in operand_batching_dims, (0)",
        () ->
            new Gather(
                    Dims.of(2),
                    Dims.of(0),
                    Dims.of(1),
                    Dims.of(0),
                    Dims.of(0),
                    2,
                    Dims.of(1, 1, 3),
                    false)
                .infer(f32(4, 5, 3), s32(4, 2, 1)));
  }

  @Test
  void collapsedDimsIncrease() {
    refused(
        "gather C7",
        "gather: collapsed_slice_dims got (1, 0), want them increasing",
        () ->
            new Gather(
                    Dims.of(),
                    Dims.of(1, 0),
                    Dims.of(0),
                    Dims.of(),
                    Dims.of(),
                    1,
                    Dims.of(1, 1),
                    false)
                .infer(f32(5, 3), s32(4, 1)));
  }

  @Test
  void collapsedDimsAreInRange() {
    refused(
        "gather C8",
        "gather: collapsed_slice_dims[0] got 2, want a dimension of operand f32[5,3]",
        () ->
            new Gather(
                    Dims.of(1),
                    Dims.of(2),
                    Dims.of(0),
                    Dims.of(),
                    Dims.of(),
                    1,
                    Dims.of(1, 3),
                    false)
                .infer(f32(5, 3), s32(4, 1)));
  }

  @Test
  void collapsedDimsHaveSliceSizeOne() {
    refused(
        "gather C9",
        "gather: slice_sizes[0] got 2, want at most 1: dimension 0 is in collapsed_slice_dims",
        () ->
            new Gather(
                    Dims.of(1),
                    Dims.of(0),
                    Dims.of(0),
                    Dims.of(),
                    Dims.of(),
                    1,
                    Dims.of(2, 3),
                    false)
                .infer(f32(5, 3), s32(4, 1)));
  }

  @Test
  void operandBatchingDimsIncrease() {
    refused(
        "gather C10",
        "gather: operand_batching_dims got (1, 0), want them increasing",
        () ->
            new Gather(
                    Dims.of(2),
                    Dims.of(),
                    Dims.of(2),
                    Dims.of(1, 0),
                    Dims.of(0, 1),
                    2,
                    Dims.of(1, 1, 3),
                    false)
                .infer(f32(4, 5, 3), s32(4, 2, 1)));
  }

  @Test
  void operandBatchingDimsAreInRange() {
    refused(
        "gather C11",
        "gather: operand_batching_dims[0] got 3, want a dimension of operand f32[4,5,3]",
        () ->
            new Gather(
                    Dims.of(2),
                    Dims.of(1),
                    Dims.of(1),
                    Dims.of(3),
                    Dims.of(0),
                    2,
                    Dims.of(1, 1, 3),
                    false)
                .infer(f32(4, 5, 3), s32(4, 2, 1)));
  }

  @Test
  void operandBatchingDimsHaveSliceSizeOne() {
    refused(
        "gather C12",
        "gather: slice_sizes[0] got 2, want at most 1: dimension 0 is in operand_batching_dims",
        () ->
            new Gather(
                    Dims.of(2),
                    Dims.of(1),
                    Dims.of(1),
                    Dims.of(0),
                    Dims.of(0),
                    2,
                    Dims.of(2, 1, 3),
                    false)
                .infer(f32(4, 5, 3), s32(4, 2, 1)));
  }

  @Test
  void indicesBatchingDimsAreDistinct() {
    refused(
        "gather C13",
        "gather: start_indices_batching_dims got (0, 0), want no dimension twice",
        () ->
            new Gather(
                    Dims.of(2),
                    Dims.of(),
                    Dims.of(2),
                    Dims.of(0, 1),
                    Dims.of(0, 0),
                    2,
                    Dims.of(1, 1, 3),
                    false)
                .infer(f32(4, 4, 3), s32(4, 4, 1)));
  }

  @Test
  void indicesBatchingDimsAreInRange() {
    refused(
        "gather C14",
        "gather: start_indices_batching_dims[0] got 3, want a dimension of start_indices"
            + " s32[4,2,1]",
        () ->
            new Gather(
                    Dims.of(2),
                    Dims.of(1),
                    Dims.of(1),
                    Dims.of(0),
                    Dims.of(3),
                    2,
                    Dims.of(1, 1, 3),
                    false)
                .infer(f32(4, 5, 3), s32(4, 2, 1)));
  }

  @Test
  void indexVectorDimIsNoBatchingDim() {
    refused(
        "gather C15",
        "gather: start_indices_batching_dims got (2), want none that is in index_vector_dim, (2)",
        () ->
            new Gather(
                    Dims.of(2),
                    Dims.of(1),
                    Dims.of(1),
                    Dims.of(0),
                    Dims.of(2),
                    2,
                    Dims.of(1, 1, 3),
                    false)
                .infer(f32(4, 5, 3), s32(4, 2, 1)));
  }

  @Test
  void batchingDimsAreAsMany() {
    refused(
        "gather C16",
        "gather: operand_batching_dims got (0), want as many as start_indices_batching_dims, ()",
        () ->
            new Gather(
                    Dims.of(2),
                    Dims.of(1),
                    Dims.of(1),
                    Dims.of(0),
                    Dims.of(),
                    2,
                    Dims.of(1, 1, 3),
                    false)
                .infer(f32(4, 5, 3), s32(4, 2, 1)));
  }

  @Test
  void batchingDimsAreOfTheSameSize() {
    refused(
        "gather C17",
        "gather: size of batching dimension 0 of f32[4,5,3] got 4, want 2 as dimension 1 of"
            + " start_indices s32[4,2,1]",
        () ->
            new Gather(
                    Dims.of(2),
                    Dims.of(1),
                    Dims.of(1),
                    Dims.of(0),
                    Dims.of(1),
                    2,
                    Dims.of(1, 1, 3),
                    false)
                .infer(f32(4, 5, 3), s32(4, 2, 1)));
  }

  @Test
  void mapIsDistinct() {
    refused(
        "gather C18",
        "gather: start_index_map got (0, 0), want no dimension twice",
        () ->
            new Gather(
                    Dims.of(0),
                    Dims.of(1),
                    Dims.of(0, 0),
                    Dims.of(),
                    Dims.of(),
                    0,
                    Dims.of(1, 1),
                    false)
                .infer(f32(5, 3), s32(2)));
  }

  @Test
  void mapHasNoBatchingDim() {
    refused(
        "gather C18",
        "gather: start_index_map got (0), want none that is in operand_batching_dims, (0)",
        () ->
            new Gather(
                    Dims.of(2),
                    Dims.of(1),
                    Dims.of(0),
                    Dims.of(0),
                    Dims.of(0),
                    2,
                    Dims.of(1, 1, 3),
                    false)
                .infer(f32(4, 5, 3), s32(4, 2, 1)));
  }

  @Test
  void mapIsInRange() {
    refused(
        "gather C19",
        "gather: start_index_map[0] got 2, want a dimension of operand f32[5,3]",
        () ->
            new Gather(
                    Dims.of(1),
                    Dims.of(0),
                    Dims.of(2),
                    Dims.of(),
                    Dims.of(),
                    1,
                    Dims.of(1, 3),
                    false)
                .infer(f32(5, 3), s32(4, 1)));
  }

  @Test
  void sliceSizesAreAsManyAsDimensions() {
    refused(
        "gather C20",
        "gather: slice_sizes got (1), want one for each of the 2 dimensions of f32[5,3]",
        () ->
            new Gather(
                    Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, Dims.of(1), false)
                .infer(f32(5, 3), s32(4, 1)));
  }

  @Test
  void sliceSizesAreInBounds() {
    refused(
        "gather C21",
        "gather: slice_sizes[1] got 4, want from 0 to 3, the size of dimension 1 of f32[5,3]",
        () ->
            new Gather(
                    Dims.of(1),
                    Dims.of(0),
                    Dims.of(0),
                    Dims.of(),
                    Dims.of(),
                    1,
                    Dims.of(1, 4),
                    false)
                .infer(f32(5, 3), s32(4, 1)));
  }

  @Test
  void sliceSizesAreNotNegative() {
    refused(
        "gather C21",
        "gather: slice_sizes[0] got -1, want from 0 to 5, the size of dimension 0 of f32[5,3]",
        () ->
            new Gather(
                    Dims.of(1),
                    Dims.of(0),
                    Dims.of(0),
                    Dims.of(),
                    Dims.of(),
                    1,
                    Dims.of(-1, 3),
                    false)
                .infer(f32(5, 3), s32(4, 1)));
  }
}
