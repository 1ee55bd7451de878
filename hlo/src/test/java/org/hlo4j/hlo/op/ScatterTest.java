package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.op.ShapeRules.dynamic;
import static org.hlo4j.hlo.op.ShapeRules.f32;
import static org.hlo4j.hlo.op.ShapeRules.infer;
import static org.hlo4j.hlo.op.ShapeRules.refused;
import static org.hlo4j.hlo.op.ShapeRules.s32;
import static org.hlo4j.hlo.op.ShapeRules.shape;
import static org.hlo4j.hlo.op.ShapeRules.unbounded;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.junit.jupiter.api.Test;

class ScatterTest {
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
}
