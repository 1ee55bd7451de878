package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

class ScatterTest {
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

  /** With a computation of as many scalars as there are inputs and updates. */
  private static Shape infer(Scatter op, Shape... operands) {
    int count = operands.length / 2;
    ImmutableList<Shape> scalars = ImmutableList.copyOf(Collections.nCopies(count, f32()));
    ImmutableList<Shape> parameters =
        ImmutableList.<Shape>builder().addAll(scalars).addAll(scalars).build();
    Shape result = count == 1 ? f32() : new Shape.Tuple(scalars);
    return op.infer(
        new Operands(
            ImmutableList.copyOf(operands),
            ImmutableList.of(new ProgramShape(parameters, result))));
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
  void isOfTheShapesOfTheInputs() {
    shape(
        "f32[5,3]",
        infer(
            new Scatter(Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
            f32(5, 3),
            s32(4, 1),
            f32(4, 3)));
    shape(
        "f32[5,3]",
        infer(
            new Scatter(
                Dims.of(1, 2), Dims.of(), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
            f32(5, 3),
            s32(4, 1),
            f32(4, 2, 3)));
    shape(
        "f32[5]",
        infer(
            new Scatter(Dims.of(), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
            f32(5),
            s32(4),
            f32(4)));
    shape(
        "f32[]",
        infer(
            new Scatter(Dims.of(), Dims.of(), Dims.of(), Dims.of(), Dims.of(), 0, false, false),
            f32(),
            s32(0),
            f32()));
    shape(
        "(f32[5,3], f32[5,3])",
        infer(
            new Scatter(Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
            f32(5, 3),
            f32(5, 3),
            s32(4, 1),
            f32(4, 3),
            f32(4, 3)));
    shape(
        "f32[4,5,3]",
        infer(
            new Scatter(
                Dims.of(2), Dims.of(1), Dims.of(1), Dims.of(0), Dims.of(0), 2, false, false),
            f32(4, 5, 3),
            s32(4, 2, 1),
            f32(4, 2, 3)));
  }

  @Test
  void dynamicInputsStaySo() {
    shape(
        "f32[<=5,3]",
        infer(
            new Scatter(Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
            dynamic(0),
            s32(4, 1),
            f32(4, 3)));
    shape(
        "f32[?,3]",
        infer(
            new Scatter(Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
            unbounded(),
            s32(4, 1),
            f32(4, 3)));
    shape(
        "f32[5,3]",
        infer(
            new Scatter(Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
            f32(5, 3),
            s32(4, 1),
            f32(4, 3).withDynamic(List.of(0))));
  }

  @Test
  void presets() {
    shape(
        "f32[5,3]", infer(Scatter.rows(f32(5, 3), s32(4, 2)), f32(5, 3), s32(4, 2), f32(4, 2, 3)));
    shape(
        "f32[5,3]",
        infer(Scatter.alongDimension(f32(5, 3), s32(4), 1), f32(5, 3), s32(4), f32(5, 4)));
    shape("f32[5,3]", infer(Scatter.points(f32(5, 3), s32(4, 2)), f32(5, 3), s32(4, 2), f32(4)));
  }

  @Test
  void indicesMustBeIntegers() {
    refused(
        "",
        "scatter: scatter_indices got f32[4,1], want integers",
        () ->
            infer(
                new Scatter(
                    Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
                f32(5, 3),
                f32(4, 1),
                f32(4, 3)));
  }

  @Test
  void inputsMustBeOfTheSameSizes() {
    refused(
        "scatter C1",
        "scatter: sizes of input 1 got f32[5,4], want those of input 0, f32[5,3]",
        () ->
            infer(
                new Scatter(
                    Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
                f32(5, 3),
                f32(5, 4),
                s32(4, 1),
                f32(4, 3),
                f32(4, 3)));
  }

  @Test
  void windowDimsAddUpToTheRank() {
    refused(
        "scatter C2",
        "scatter: update_window_dims (1), inserted_window_dims () and input_batching_dims () got 1"
            + " dimensions together, want 2 as f32[5,3] has",
        () ->
            infer(
                new Scatter(
                    Dims.of(1), Dims.of(), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
                f32(5, 3),
                s32(4, 1),
                f32(4, 3)));
  }

  @Test
  void updatesMustBeOfTheSameSizes() {
    refused(
        "scatter C3",
        "scatter: sizes of updates 1 got f32[4,2], want those of updates 0, f32[4,3]",
        () ->
            infer(
                new Scatter(
                    Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
                f32(5, 3),
                f32(5, 3),
                s32(4, 1),
                f32(4, 3),
                f32(4, 2)));
  }

  @Test
  void updatesMustBeOfTheRightRank() {
    refused(
        "scatter C4",
        "scatter: updates 0 got f32[4,3,1], want rank 2: 1 to count the vectors of s32[4,1], 1 of a"
            + " window",
        () ->
            infer(
                new Scatter(
                    Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
                f32(5, 3),
                s32(4, 1),
                f32(4, 3, 1)));
  }

  @Test
  void updatesMustCountTheVectors() {
    refused(
        "scatter C4",
        "scatter: size of dimension 0 of updates 0 got 3, want 4 as dimension 0 of scatter_indices"
            + " s32[4,1]",
        () ->
            infer(
                new Scatter(
                    Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
                f32(5, 3),
                s32(4, 1),
                f32(3, 3)));
  }

  @Test
  void windowsMustFitIn() {
    refused(
        "scatter C4",
        "scatter: size of dimension 1 of updates 0 got 4, want at most 3 as dimension 1 of input"
            + " f32[5,3]",
        () ->
            infer(
                new Scatter(
                    Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
                f32(5, 3),
                s32(4, 1),
                f32(4, 4)));
  }

  @Test
  void updatesMustBeAsManyAsInputs() {
    refused(
        "scatter C5",
        "scatter: operand count got 4, want as many updates as inputs and one array of indices",
        () ->
            infer(
                new Scatter(
                    Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
                f32(5, 3),
                f32(5, 3),
                s32(4, 1),
                f32(4, 3)));
  }

  @Test
  void updatesMustBeOfTheSameType() {
    refused(
        "scatter C6",
        "scatter: element type of updates 0 got s32, want f32 as input 0",
        () ->
            infer(
                new Scatter(
                    Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
                f32(5, 3),
                s32(4, 1),
                s32(4, 3)));
  }

  @Test
  void updateWindowDimsIncrease() {
    refused(
        "scatter C7",
        "scatter: update_window_dims got (1, 0), want them increasing",
        () ->
            infer(
                new Scatter(
                    Dims.of(1, 0), Dims.of(), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
                f32(5, 3),
                s32(4, 1),
                f32(4, 2, 3)));
  }

  @Test
  void updateWindowDimsAreInRange() {
    refused(
        "scatter C8",
        "scatter: update_window_dims[0] got 2, want a dimension of updates f32[4,3]",
        () ->
            infer(
                new Scatter(
                    Dims.of(2), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
                f32(5, 3),
                s32(4, 1),
                f32(4, 3)));
  }

  @Test
  void insertedDimsAreNoBatchingDims() {
    refused(
        "scatter C9",
        "scatter: inserted_window_dims got (0), want none that is in input_batching_dims, (0)",
        () ->
            infer(
                new Scatter(
                    Dims.of(2), Dims.of(0), Dims.of(1), Dims.of(0), Dims.of(0), 2, false, false),
                f32(4, 5, 3),
                s32(4, 2, 1),
                f32(4, 2, 3)));
  }

  @Test
  void insertedDimsIncrease() {
    refused(
        "scatter C10",
        "scatter: inserted_window_dims got (1, 0), want them increasing",
        () ->
            infer(
                new Scatter(
                    Dims.of(), Dims.of(1, 0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
                f32(5, 3),
                s32(4, 1),
                f32(4)));
  }

  @Test
  void insertedDimsAreInRange() {
    refused(
        "scatter C11",
        "scatter: inserted_window_dims[0] got 2, want a dimension of input f32[5,3]",
        () ->
            infer(
                new Scatter(
                    Dims.of(1), Dims.of(2), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
                f32(5, 3),
                s32(4, 1),
                f32(4, 3)));
  }

  @Test
  void inputBatchingDimsIncrease() {
    refused(
        "scatter C12",
        "scatter: input_batching_dims got (1, 0), want them increasing",
        () ->
            infer(
                new Scatter(
                    Dims.of(2),
                    Dims.of(),
                    Dims.of(2),
                    Dims.of(1, 0),
                    Dims.of(0, 1),
                    2,
                    false,
                    false),
                f32(4, 5, 3),
                s32(4, 2, 1),
                f32(4, 2, 3)));
  }

  @Test
  void inputBatchingDimsAreInRange() {
    refused(
        "scatter C13",
        "scatter: input_batching_dims[0] got 3, want a dimension of input f32[4,5,3]",
        () ->
            infer(
                new Scatter(
                    Dims.of(2), Dims.of(1), Dims.of(1), Dims.of(3), Dims.of(0), 2, false, false),
                f32(4, 5, 3),
                s32(4, 2, 1),
                f32(4, 2, 3)));
  }

  @Test
  void indicesBatchingDimsAreDistinct() {
    refused(
        "scatter C14",
        "scatter: scatter_indices_batching_dims got (0, 0), want no dimension twice",
        () ->
            infer(
                new Scatter(
                    Dims.of(2),
                    Dims.of(),
                    Dims.of(2),
                    Dims.of(0, 1),
                    Dims.of(0, 0),
                    2,
                    false,
                    false),
                f32(4, 4, 3),
                s32(4, 4, 1),
                f32(4, 4, 3)));
  }

  @Test
  void indicesBatchingDimsAreInRange() {
    refused(
        "scatter C15",
        "scatter: scatter_indices_batching_dims[0] got 3, want a dimension of scatter_indices"
            + " s32[4,2,1]",
        () ->
            infer(
                new Scatter(
                    Dims.of(2), Dims.of(1), Dims.of(1), Dims.of(0), Dims.of(3), 2, false, false),
                f32(4, 5, 3),
                s32(4, 2, 1),
                f32(4, 2, 3)));
  }

  @Test
  void indexVectorDimIsNoBatchingDim() {
    refused(
        "scatter C16",
        "scatter: scatter_indices_batching_dims got (2), want none that is in index_vector_dim,"
            + " (2)",
        () ->
            infer(
                new Scatter(
                    Dims.of(2), Dims.of(1), Dims.of(1), Dims.of(0), Dims.of(2), 2, false, false),
                f32(4, 5, 3),
                s32(4, 2, 1),
                f32(4, 2, 3)));
  }

  @Test
  void batchingDimsAreAsMany() {
    refused(
        "scatter C17",
        "scatter: input_batching_dims got (0), want as many as scatter_indices_batching_dims, ()",
        () ->
            infer(
                new Scatter(
                    Dims.of(2), Dims.of(1), Dims.of(1), Dims.of(0), Dims.of(), 2, false, false),
                f32(4, 5, 3),
                s32(4, 2, 1),
                f32(4, 2, 3)));
  }

  @Test
  void batchingDimsAreOfTheSameSize() {
    refused(
        "scatter C18",
        "scatter: size of batching dimension 0 of f32[4,5,3] got 4, want 2 as dimension 1 of"
            + " scatter_indices s32[4,2,1]",
        () ->
            infer(
                new Scatter(
                    Dims.of(2), Dims.of(1), Dims.of(1), Dims.of(0), Dims.of(1), 2, false, false),
                f32(4, 5, 3),
                s32(4, 2, 1),
                f32(4, 2, 3)));
  }

  @Test
  void mapIsAsLongAsAVector() {
    refused(
        "scatter C19",
        "scatter: scatter_dims_to_operand_dims got (0, 1), want 1 of them as dimension 1 of"
            + " scatter_indices s32[4,1]",
        () ->
            infer(
                new Scatter(
                    Dims.of(1), Dims.of(0), Dims.of(0, 1), Dims.of(), Dims.of(), 1, false, false),
                f32(5, 3),
                s32(4, 1),
                f32(4, 3)));
  }

  @Test
  void mapIsDistinct() {
    refused(
        "scatter C20",
        "scatter: scatter_dims_to_operand_dims got (0, 0), want no dimension twice",
        () ->
            infer(
                new Scatter(
                    Dims.of(0), Dims.of(1), Dims.of(0, 0), Dims.of(), Dims.of(), 0, false, false),
                f32(5, 3),
                s32(2),
                f32(1)));
  }

  @Test
  void mapHasNoBatchingDim() {
    refused(
        "scatter C20",
        "scatter: scatter_dims_to_operand_dims got (0), want none that is in input_batching_dims,"
            + " (0)",
        () ->
            infer(
                new Scatter(
                    Dims.of(2), Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(0), 2, false, false),
                f32(4, 5, 3),
                s32(4, 2, 1),
                f32(4, 2, 3)));
  }

  @Test
  void mapIsInRange() {
    refused(
        "scatter C21",
        "scatter: scatter_dims_to_operand_dims[0] got 2, want a dimension of input f32[5,3]",
        () ->
            infer(
                new Scatter(
                    Dims.of(1), Dims.of(0), Dims.of(2), Dims.of(), Dims.of(), 1, false, false),
                f32(5, 3),
                s32(4, 1),
                f32(4, 3)));
  }

  @Test
  void indexVectorDimIsAtMostTheRank() {
    refused(
        "scatter C22",
        "scatter: index_vector_dim got 3, want from 0 to the rank of scatter_indices s32[4,1]",
        () ->
            infer(
                new Scatter(
                    Dims.of(1), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 3, false, false),
                f32(5, 3),
                s32(4, 1),
                f32(4, 3)));
  }
}
