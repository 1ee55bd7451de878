package org.hlo4j.builder.lib;

import static org.hlo4j.builder.lib.common.Checks.require;

import com.google.common.math.LongMath;
import java.math.RoundingMode;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.hlo4j.builder.ComputationBody;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.common.Checks;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * An approximate top-k: the best elements along a dimension, of which some may be missed.
 *
 * <p>On a TPU XLA emits a custom call {@code PartialReduce}; elsewhere it sorts, which misses none.
 * Here it always emits the sort, in plain HLO, with results of the same sizes as on the TPU.
 */
public final class ApproxTopK {
  /**
   * The number of contiguous elements that a TPU holds, for arrays of rank 1 and of higher rank.
   */
  private static final long CHUNK_TILING = 1024;

  private static final long LANE_TILING = 128;

  private ApproxTopK() {}

  /**
   * The options of the search.
   *
   * @param topK how many elements, 1 at least
   * @param reductionDim the dimension to search along
   * @param recallTarget the fraction of them that must be found, above 0 and at most 1
   * @param aggregateToTopk whether the result has exactly topK elements; else it has all candidates
   *     of the partial reduction
   * @param reductionInputSizeOverride the size of the whole input, if this one is a part of it;
   *     else empty
   */
  public record Options(
      long topK,
      int reductionDim,
      double recallTarget,
      boolean aggregateToTopk,
      OptionalLong reductionInputSizeOverride) {
    /**
     * XLA's defaults: recall 0.9, aggregated, no other size.
     *
     * @param topK how many elements
     * @param reductionDim the dimension to search along
     * @return the options
     */
    public static Options of(long topK, int reductionDim) {
      return new Options(topK, reductionDim, 0.9, true, OptionalLong.empty());
    }

    /**
     * Returns the same options with another recall.
     *
     * @param target the fraction that must be found
     * @return the options
     */
    public Options withRecallTarget(double target) {
      return new Options(topK, reductionDim, target, aggregateToTopk, reductionInputSizeOverride);
    }

    /**
     * Returns the same options with a result that is not cut down to topK elements.
     *
     * @return the options
     */
    public Options withoutAggregation() {
      return new Options(topK, reductionDim, recallTarget, false, reductionInputSizeOverride);
    }

    /**
     * Returns the same options for an input that is part of a larger one.
     *
     * @param size the size of the whole
     * @return the options
     */
    public Options withReductionInputSizeOverride(long size) {
      return new Options(topK, reductionDim, recallTarget, aggregateToTopk, OptionalLong.of(size));
    }
  }

  /**
   * The extent to which a partial reduction shrinks an input.
   *
   * @param outputSize the size after it
   * @param log2Reduction how often the input is halved; -1, as in XLA, if it is cut down to topK
   */
  public record ReductionOutputSize(long outputSize, int log2Reduction) {}

  /**
   * Returns the size of the result of a partial reduction.
   *
   * @param inputSize the size of the dimension
   * @param rank the rank of the input
   * @param options the options of the search
   * @return the size
   * @throws HloException if a number is out of range
   */
  public static ReductionOutputSize approxTopKReductionOutputSize(
      long inputSize, int rank, Options options) {
    requireOptions(options);
    long tiling = rank == 1 ? CHUNK_TILING : LANE_TILING;
    return options.aggregateToTopk
        ? new ReductionOutputSize(options.topK, -1)
        : partial(inputSize, tiling, options);
  }

  private static ReductionOutputSize partial(long inputSize, long tiling, Options options) {
    ReductionOutputSize whole = new ReductionOutputSize(inputSize, 0);
    if (inputSize <= tiling || (options.recallTarget == 1 && options.topK > 1)) {
      return whole;
    }
    long tiles = LongMath.divide(inputSize, tiling, RoundingMode.CEILING);
    if (options.topK == 1) {
      return new ReductionOutputSize(tiling, LongMath.log2(tiles, RoundingMode.CEILING));
    }
    long logicalSize = options.reductionInputSizeOverride.orElse(inputSize);
    // If k elements fall into m bins, a fraction (1 - 1/m)^(k-1) of them is alone in its bin: m =
    // (1 - k) / ln(recall).
    double bins = (1.0 - options.topK) / Math.log((float) options.recallTarget);
    long most = Math.min(Math.max((long) bins, tiling), logicalSize);
    int halvings =
        Math.min(
            LongMath.log2(Math.max(1, logicalSize / most), RoundingMode.FLOOR),
            LongMath.log2(tiles, RoundingMode.CEILING));
    return halvings == 0
        ? whole
        : new ReductionOutputSize(
            LongMath.divide(tiles, 1L << halvings, RoundingMode.CEILING) * tiling, halvings);
  }

  private static void requireOptions(Options options) {
    require(
        options.recallTarget > 0 && options.recallTarget <= 1,
        "",
        "approxTopK: recall target got %s, want above 0 and at most 1",
        options.recallTarget);
    require(options.topK >= 1, "", "approxTopK: k got %s, want at least 1", options.topK);
  }

  /**
   * Returns the best elements along a dimension, best first, and the elements of other arrays at
   * the same positions.
   *
   * @param builder the builder
   * @param operands arrays of the same sizes, one at least
   * @param initValues for each a scalar that no element is worse than
   * @param options the options of the search
   * @param comparator from two elements of each array, {@code (a0, b0, a1, b1, ...)}, to whether
   *     the a's come before the b's
   * @return the tuple of as many arrays
   * @throws HloException if shapes are incompatible, or there are fewer elements than wanted
   */
  public static XlaOp approxTopK(
      XlaBuilder builder,
      List<XlaOp> operands,
      List<XlaOp> initValues,
      Options options,
      ComputationBody comparator) {
    return approxTopKFallback(builder, operands, initValues, options, comparator);
  }

  /**
   * The same as {@link #approxTopK}, under the name of XLA's function for platforms other than
   * TPUs.
   *
   * @param builder the builder
   * @param operands arrays of the same sizes, one at least
   * @param initValues for each a scalar that no element is worse than
   * @param options the options of the search
   * @param comparator whether elements come before others
   * @return the tuple of as many arrays
   * @throws HloException if shapes are incompatible, or there are fewer elements than wanted
   */
  public static XlaOp approxTopKFallback(
      XlaBuilder builder,
      List<XlaOp> operands,
      List<XlaOp> initValues,
      Options options,
      ComputationBody comparator) {
    Shape.Array shape = requireOperands(operands, initValues);
    int dimension = options.reductionDim;
    Checks.requireDimension("approxTopK", shape, dimension);
    long size = shape.size(dimension);
    long left = approxTopKReductionOutputSize(size, shape.rank(), options).outputSize;
    require(
        options.topK <= size && left <= size,
        "",
        "approxTopK: k got %s, want at most size %s of dimension %s",
        options.topK,
        size,
        dimension);
    XlaOp sorted = builder.sort(operands, comparator, dimension, true);
    return builder.tuple(
        IntStream.range(0, operands.size())
            .mapToObj(i -> operands.size() == 1 ? sorted : sorted.getTupleElement(i))
            .map(operand -> operand.sliceInDim(0, left, 1, dimension))
            .toList());
  }

  private static Shape.Array requireOperands(List<XlaOp> operands, List<XlaOp> initValues) {
    require(
        !operands.isEmpty() && operands.size() == initValues.size(),
        "",
        "approxTopK: got %s operands and %s init values, want one at least and as many",
        operands.size(),
        initValues.size());
    Shape.Array first = Checks.array("approxTopK", "operand 0", operands.get(0));
    for (int i = 0; i < operands.size(); i++) {
      Shape.Array shape = Checks.array("approxTopK", "operand " + i, operands.get(i));
      Checks.requireShape(
          "approxTopK", "operand " + i, operands.get(i), shape.withSizes(first.sizes()));
      Shape.Array scalar = Shape.of(shape.elementType());
      Checks.requireShape("approxTopK", "init value " + i, initValues.get(i), scalar);
    }
    return first;
  }
}
