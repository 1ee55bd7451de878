package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.op.ShapeRules.f32;
import static org.hlo4j.hlo.op.ShapeRules.infer;
import static org.hlo4j.hlo.op.ShapeRules.refused;
import static org.hlo4j.hlo.op.ShapeRules.s32;

import org.hlo4j.hlo.Dims;
import org.junit.jupiter.api.Test;

/** What a scatter refuses of its indices and of what they are mapped to. */
class ScatterIndicesTest {
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
