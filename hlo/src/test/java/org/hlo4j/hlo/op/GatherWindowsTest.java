package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.op.ShapeRules.f32;
import static org.hlo4j.hlo.op.ShapeRules.refused;
import static org.hlo4j.hlo.op.ShapeRules.s32;

import org.hlo4j.hlo.Dims;
import org.junit.jupiter.api.Test;

/** What a gather refuses of its windows. */
class GatherWindowsTest {
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
