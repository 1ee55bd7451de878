package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.interpreter.engine.SizeClass.Place;
import org.hlo4j.interpreter.engine.SizeClass.Rule;

/**
 * Which dimensions of the operands of each op have the same size. Source of the rules: the shapes
 * that XLA infers, and what its {@code DynamicPadder} puts in place of elements that do not exist.
 */
final class SizeClasses {
  private final List<SizeClass> classes = new ArrayList<>();
  private final List<Shape.Array> operands;

  private SizeClasses(List<Shape.Array> operands) {
    this.operands = operands;
  }

  /** Returns the classes of the dimensions of operands that are declared like this. */
  static List<SizeClass> of(Op op, List<Shape.Array> operands) {
    SizeClasses all = new SizeClasses(operands);
    all.addAll(op);
    return all.classes;
  }

  private void addAll(Op op) {
    int half = operands.size() / 2;
    switch (op) {
      case Compare _, Elementwise _, Select _, Sort _, StochasticConvert _ ->
          addAlike(Rule.CUT, all(), Dims.of());
      case Concatenate concatenate -> addAlike(Rule.CUT, all(), concatenate.dimensions());
      case Clamp _ -> addAlike(Rule.LED, Dims.of(1, 0, 2), Dims.of());
      case Map _ -> addAlike(Rule.LED, all(), Dims.of());
      case Reduce reduce -> {
        addAlike(Rule.LED, Dims.range(0, half), reduce.dimensions());
        addAlike(Rule.FILLED, Dims.range(0, half), reduce.kept(operands.get(0).rank()));
      }
      case ReduceWindow _ -> addAlike(Rule.FILLED, Dims.range(0, half), Dims.of());
      case Scatter scatter -> addScatter(scatter);
      case Dot dot -> {
        addPairs(Rule.LED, 0, dot.lhsBatchDims(), 1, dot.rhsBatchDims());
        addPairs(Rule.CUT, 0, dot.lhsContractingDims(), 1, dot.rhsContractingDims());
      }
      case Convolution convolution when convolution.featureGroupCount() == 1 ->
          add(
              Rule.CUT,
              new Place(0, convolution.dimLabels().inputFeatureDimension()),
              new Place(1, convolution.dimLabels().kernelInputFeatureDimension()));
      case Gather gather ->
          addPairs(Rule.LED, 1, gather.startIndicesBatchingDims(), 0, gather.operandBatchingDims());
      case TriangularSolve solve -> addSolve(solve);
      case BatchNormTraining norm -> addFeatures(norm.featureIndex(), 0, Dims.of(1, 2));
      case BatchNormInference norm -> addFeatures(norm.featureIndex(), 0, Dims.of(1, 2, 3, 4));
      case BatchNormGrad norm -> {
        addFeatures(norm.featureIndex(), 4, Dims.of(1, 2, 3));
        addAlike(Rule.LED, Dims.of(0, 4), Dims.of(norm.featureIndex()));
      }
      // these take one array, or have rules of their own that reject sizes that do not match
      default -> {}
    }
  }

  private Dims all() {
    return Dims.range(0, operands.size());
  }

  private void add(Rule rule, Place... places) {
    classes.add(SizeClass.of(rule, places));
  }

  /** Adds a class for each dimension that some operands, or those that are no scalars, share. */
  private void addAlike(Rule rule, Dims some, Dims except) {
    int rank = (int) some.stream().map(k -> operands.get((int) k).rank()).max().orElse(0);
    for (long dimension : Dims.range(0, rank).without(except).toArray()) {
      add(
          rule,
          some.stream()
              .filter(k -> operands.get((int) k).rank() == rank)
              .mapToObj(k -> new Place((int) k, (int) dimension))
              .toArray(Place[]::new));
    }
  }

  private void addPairs(Rule rule, int first, Dims dimensions, int second, Dims others) {
    for (int i = 0; i < dimensions.count(); i++) {
      add(rule, new Place(first, dimensions.getInt(i)), new Place(second, others.getInt(i)));
    }
  }

  /** Adds the features of the operand, of its gradient if it is not the same, and of vectors. */
  private void addFeatures(int feature, int gradient, Dims vectors) {
    List<Place> places = new ArrayList<>(List.of(new Place(0, feature)));
    if (gradient > 0) {
      places.add(new Place(gradient, feature));
    }
    vectors.stream().mapToObj(k -> new Place((int) k, 0)).forEach(places::add);
    classes.add(new SizeClass(Rule.LED, ImmutableList.copyOf(places)));
  }

  private void addSolve(TriangularSolve solve) {
    int rank = operands.get(0).rank();
    Dims batch = Dims.range(0, rank - 2L);
    addPairs(Rule.LED, 1, batch, 0, batch);
    add(
        Rule.LED,
        new Place(1, solve.leftSide() ? rank - 2 : rank - 1),
        new Place(0, rank - 2),
        new Place(0, rank - 1));
  }

  /**
   * The index vectors are as many as the windows, and those along batching dimensions as the parts
   * of the inputs; a window that is as large as the inputs is so at run time.
   */
  private void addScatter(Scatter scatter) {
    int inputs = operands.size() / 2;
    Dims updates = Dims.range(inputs + 1L, operands.size());
    Dims vectors =
        Dims.range(0, operands.get(inputs).rank()).without(Dims.of(scatter.indexVectorDim()));
    Dims counting = scatter.updateScatterDims(operands.get(inputs + 1).rank());
    for (int i = 0; i < vectors.count(); i++) {
      int batch = scatter.scatterIndicesBatchingDims().indexOf(vectors.get(i));
      List<Place> places = new ArrayList<>(List.of(new Place(inputs, vectors.getInt(i))));
      places.addAll(places(updates, counting.getInt(i)));
      if (batch >= 0) {
        places.addAll(places(Dims.range(0, inputs), scatter.inputBatchingDims().getInt(batch)));
      }
      classes.add(new SizeClass(Rule.CUT, ImmutableList.copyOf(places)));
    }
    int rank = operands.get(0).rank();
    for (long i : Dims.range(0, rank).without(scatter.inputBatchingDims()).toArray()) {
      addInputs(scatter, (int) i, inputs, updates);
    }
  }

  private void addInputs(Scatter scatter, int dimension, int inputs, Dims updates) {
    Shape.Array input = operands.get(0);
    List<Place> places = new ArrayList<>(places(Dims.range(0, inputs), dimension));
    boolean areAlike =
        places.stream()
            .allMatch(place ->
                operands.get(place.operand()).isDynamic(dimension) == input.isDynamic(dimension));
    int window = scatter.windowDims(input.rank()).indexOf(dimension);
    if (areAlike && window >= 0) {
      int own = scatter.updateWindowDims().getInt(window);
      Shape.Array update = operands.get(inputs + 1);
      boolean isWhole = update.size(own) == input.size(dimension) && !update.isDynamic(own);
      places.addAll(isWhole ? places(updates, own) : List.of());
    }
    classes.add(new SizeClass(areAlike ? Rule.LED : Rule.FILLED, ImmutableList.copyOf(places)));
  }

  private static List<Place> places(Dims operands, int dimension) {
    return IntStream.range(0, operands.count())
        .mapToObj(i -> new Place(operands.getInt(i), dimension))
        .toList();
  }
}
