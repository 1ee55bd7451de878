package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.op.ShapeRules.f32;
import static org.hlo4j.hlo.op.ShapeRules.refused;
import static org.hlo4j.hlo.op.ShapeRules.s32;

import org.hlo4j.hlo.Dims;
import org.junit.jupiter.api.Test;

/** What a gather refuses of its indices and of what they are mapped to. */
class GatherIndicesTest {
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
}
