package org.hlo4j.builder.lib.nn;

import static org.hlo4j.builder.XlaOp.broadcastDimensions;
import static org.hlo4j.builder.lib.common.Checks.require;
import static org.hlo4j.builder.lib.nn.Reductions.kept;
import static org.hlo4j.builder.lib.nn.Reductions.requireFloats;
import static org.hlo4j.builder.lib.nn.Reductions.type;

import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.common.Checks;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Gather;

/** The functions of neural network layers, given their weights, and losses. */
public final class Layers {
  private Layers() {}

  /**
   * {@code x · weights + bias}, along the last dimension of x.
   *
   * @param x an array {@code [..., in]}
   * @param weights a matrix {@code [in, out]}
   * @param bias a vector {@code [out]}
   * @return the op, {@code [..., out]}
   * @throws HloException if shapes or element types are incompatible
   */
  public static XlaOp dense(XlaOp x, XlaOp weights, XlaOp bias) {
    int last = Checks.dimension("dense", Checks.array("dense", "x", x), -1);
    XlaOp product =
        x.dotGeneral(weights, Dot.general(Dims.of(), Dims.of(last), Dims.of(), Dims.of(0)));
    return product.add(bias, broadcastDimensions(last));
  }

  /**
   * Normalizes the elements along a dimension to mean 0 and variance 1, then scales and shifts
   * them: {@code (x - mean) * rsqrt(variance + epsilon) * scale + offset}. In f32 for narrower
   * floats.
   *
   * @param x an array of floats
   * @param scale a vector, as long as the dimension
   * @param offset a vector, as long as the dimension
   * @param epsilon what is added to the variance, such as 1e-5
   * @param dimension the dimension, of which -1 is the last
   * @return the op, of the shape of x
   * @throws HloException if x is not an array of floats, shapes or element types are incompatible,
   *     or there is no such dimension
   */
  public static XlaOp layerNorm(XlaOp x, XlaOp scale, XlaOp offset, double epsilon, int dimension) {
    int along = featureDimension("layerNorm", x, dimension);
    requireVector("layerNorm", "scale", scale, x, along);
    requireVector("layerNorm", "offset", offset, x, along);
    return normalized(x, along, epsilon, true, scale, offset);
  }

  /**
   * Normalizes the elements along a dimension to a mean square of 1, then scales them: {@code x *
   * rsqrt(mean(x^2) + epsilon) * scale}. In f32 for narrower floats.
   *
   * @param x an array of floats
   * @param scale a vector, as long as the dimension
   * @param epsilon what is added to the mean square, such as 1e-6
   * @param dimension the dimension, of which -1 is the last
   * @return the op, of the shape of x
   * @throws HloException if x is not an array of floats, shapes or element types are incompatible,
   *     or there is no such dimension
   */
  public static XlaOp rmsNorm(XlaOp x, XlaOp scale, double epsilon, int dimension) {
    int along = featureDimension("rmsNorm", x, dimension);
    requireVector("rmsNorm", "scale", scale, x, along);
    return normalized(x, along, epsilon, false, scale);
  }

  /** Applies the vectors: the first is the scale; the second, if there is one, the offset. */
  private static XlaOp normalized(
      XlaOp x, int along, double epsilon, boolean centred, XlaOp... vectors) {
    Dims reduced = Dims.of(along);
    return Reductions.wide(
        x,
        v -> {
          Dims kept = kept(v, reduced);
          XlaOp rest = centred ? v.sub(Reductions.mean(v, reduced), kept) : v;
          XlaOp square = Reductions.mean(rest.mul(rest), reduced);
          XlaOp scaled =
              rest.mul(square.add(epsilon).rsqrt(), kept)
                  .mul(Reductions.converted(vectors[0], type(v)), reduced);
          return vectors.length == 1
              ? scaled
              : scaled.add(Reductions.converted(vectors[1], type(v)), reduced);
        });
  }

  /**
   * Batch normalization with given statistics: {@code (x - mean) * rsqrt(variance + epsilon) *
   * scale + offset} for each feature; {@link XlaOp#batchNormInference} with the feature dimension
   * counted from either end.
   *
   * @param x an array of floats
   * @param scale a vector, a factor for each feature
   * @param offset a vector, a term for each feature
   * @param mean a vector, the mean of each feature
   * @param variance a vector, the variance of each feature
   * @param epsilon what is added to the variance
   * @param dimension the feature dimension, of which -1 is the last
   * @return the op, of the shape of x
   * @throws HloException if x is not an array of floats, shapes or element types are incompatible,
   *     or there is no such dimension
   */
  public static XlaOp batchNorm(
      XlaOp x,
      XlaOp scale,
      XlaOp offset,
      XlaOp mean,
      XlaOp variance,
      float epsilon,
      int dimension) {
    int along = featureDimension("batchNorm", x, dimension);
    return x.batchNormInference(scale, offset, mean, variance, epsilon, along);
  }

  private static int featureDimension(String function, XlaOp x, int dimension) {
    requireFloats(function, x);
    return Checks.dimension(function, x.arrayShape(), dimension);
  }

  private static void requireVector(
      String function, String name, XlaOp vector, XlaOp x, int along) {
    Shape.Array shape = x.arrayShape();
    Checks.requireShape(function, name, vector, Shape.of(shape.elementType(), shape.size(along)));
  }

  /**
   * Looks up the rows of a table: {@code result[i...] = table[indices[i...]]}. Indices out of
   * bounds are clamped.
   *
   * @param table an array {@code [rows, ...]}
   * @param indices integers of any shape
   * @return the op, {@code [indices..., ...]}
   * @throws HloException if the table is a scalar, or indices are no integers
   */
  public static XlaOp embedding(XlaOp table, XlaOp indices) {
    Shape.Array rows = Checks.array("embedding", "table", table);
    Shape.Array places = Checks.array("embedding", "indices", indices);
    Checks.dimension("embedding", rows, 0);
    return table.gather(indices, Gather.takeRows(rows, places));
  }

  /**
   * Returns for each index a vector that is 1 at the index and 0 elsewhere, or all 0 if the index
   * is out of bounds.
   *
   * @param indices integers
   * @param count the length of the vectors
   * @param type the element type of the result
   * @param dimension the dimension of the result along which the vectors are, where -1 is the last
   * @return the op, of one dimension more than the indices
   * @throws HloException if the indices are no integers, the count is negative, or there is no such
   *     dimension
   */
  public static XlaOp oneHot(XlaOp indices, long count, ElementType type, int dimension) {
    Shape.Array shape = Checks.array("oneHot", "indices", indices);
    Checks.requireIntegers("oneHot", "indices", indices);
    require(count >= 0, "", "oneHot: count got %s, want at least 0", count);
    Shape.Array anyPlace = Shape.of(ElementType.S64, shape.sizes().inserted(0, count));
    int along = Checks.dimension("oneHot", anyPlace, dimension);
    Shape.Array places = Shape.of(ElementType.S64, shape.sizes().inserted(along, count));
    Dims others = Dims.range(0, places.rank()).without(Dims.of(along));
    XlaOp wide = Reductions.converted(indices, ElementType.S64);
    return indices
        .builder()
        .iota(places, along)
        .eq(wide.broadcastInDim(places.sizes(), others))
        .convertElementType(type);
  }

  /**
   * Returns the cross entropy of a softmax: {@code -sum(labels * logSoftmax(logits))} along a
   * dimension.
   *
   * @param logits an array of floats
   * @param labels probabilities of the shape of the logits; or integers of that shape without the
   *     dimension, the classes
   * @param dimension the dimension of the classes, of which -1 is the last
   * @return the op, a loss for each example, of the dimensions left
   * @throws HloException if the logits are no array of floats, shapes are incompatible, or there is
   *     no such dimension
   */
  public static XlaOp crossEntropy(XlaOp logits, XlaOp labels, int dimension) {
    int along = featureDimension("crossEntropy", logits, dimension);
    Shape.Array shape = logits.arrayShape();
    boolean areClasses = Checks.array("crossEntropy", "labels", labels).elementType().isIntegral();
    if (areClasses) {
      Shape.Array classes = Shape.of(type(labels), shape.sizes().without(Dims.of(along)));
      Checks.requireShape("crossEntropy", "labels", labels, classes);
    } else {
      Checks.requireShape("crossEntropy", "labels", labels, shape);
    }
    XlaOp targets =
        areClasses ? oneHot(labels, shape.size(along), shape.elementType(), along) : labels;
    XlaOp logs = Activations.logSoftmax(logits, along);
    // Classes with label 0 do not contribute, even if their logarithm is infinite.
    XlaOp terms = areClasses ? targets.ne(0).select(logs, 0) : targets.mul(logs);
    return Reductions.sum(terms, along).neg();
  }
}
