package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireFitting;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Slides a kernel over an array, and at each window position sums the products of the elements that
 * coincide.
 *
 * <pre>
 *   result[b, o, place] = sum over i, k of lhs[b, i, place * stride + k - pad] * kernel[o, i, k]
 *
 *   dim_labels=bf0_oi0-&gt;bf0 window={size=2}, lhs 1 2 3 4, kernel 10 1   -&gt;   12 23 34
 * </pre>
 *
 * <p>With G feature groups, the features of lhs and of the result are split into G groups, and each
 * group of the result depends only on its group of lhs; if there are as many groups as features,
 * the convolution is depthwise. With G batch groups, the batch of lhs and the features of the
 * result are split, and each group of the result depends only on its part of the batch, as the
 * kernel gradient of a grouped convolution needs it. Floats are summed in double and rounded once;
 * integers wrap.
 *
 * @param window the kernel as a window on the spatial dimensions of lhs
 * @param dimLabels the meaning of the dimensions of operands and result
 * @param featureGroupCount the number of groups that the features are split into
 * @param batchGroupCount the number of groups that the batch is split into
 * @param operandPrecision one for each operand, or any other list that XLA accepts; a hint that
 *     hlo4j does not need
 * @param preferredElementType the element type of the result; if empty, the operand type that holds
 *     more: complex before float before integer, then the larger range
 */
public record Convolution(
    Window window,
    ConvolutionDimensionNumbers dimLabels,
    long featureGroupCount,
    long batchGroupCount,
    ImmutableList<Dot.Precision> operandPrecision,
    Optional<ElementType> preferredElementType)
    implements Contraction {
  private static final Window.Rules RULES =
      new Window.Rules("convolution C2", "", "convolution C3", "convolution C6", "convolution C8");

  /**
   * Returns a convolution with XLA's default dimension numbers, {@code bf01_oi01->bf01}, and one
   * group.
   *
   * @param window the kernel as a window
   * @return the op
   */
  public static Convolution of(Window window) {
    requireNonNull(window, "window");
    return new Convolution(
        window,
        ConvolutionDimensionNumbers.defaults(window.rank()),
        1,
        1,
        ImmutableList.of(),
        Optional.empty());
  }

  /**
   * Returns the same convolution of operands whose dimensions have another order.
   *
   * @param numbers which dimension means what
   * @return the op
   */
  public Convolution withDimensionNumbers(ConvolutionDimensionNumbers numbers) {
    return new Convolution(
        window,
        numbers,
        featureGroupCount,
        batchGroupCount,
        operandPrecision,
        preferredElementType);
  }

  /**
   * Returns the same convolution in groups of features.
   *
   * @param count how many groups
   * @return the op
   */
  public Convolution withFeatureGroupCount(long count) {
    return new Convolution(
        window, dimLabels, count, batchGroupCount, operandPrecision, preferredElementType);
  }

  /**
   * Returns the same convolution in groups of the batch.
   *
   * @param count how many groups
   * @return the op
   */
  public Convolution withBatchGroupCount(long count) {
    return new Convolution(
        window, dimLabels, featureGroupCount, count, operandPrecision, preferredElementType);
  }

  /**
   * Returns the same convolution with a precision hint.
   *
   * @param lhs the hint for lhs
   * @param kernel the hint for the kernel
   * @return the op
   */
  public Convolution withOperandPrecision(Dot.Precision lhs, Dot.Precision kernel) {
    return new Convolution(
        window,
        dimLabels,
        featureGroupCount,
        batchGroupCount,
        ImmutableList.of(lhs, kernel),
        preferredElementType);
  }

  /**
   * Returns the same convolution with a result of another element type.
   *
   * @param elementType the element type of the result
   * @return the op
   */
  public Convolution withPreferredElementType(ElementType elementType) {
    return new Convolution(
        window,
        dimLabels,
        featureGroupCount,
        batchGroupCount,
        operandPrecision,
        Optional.of(elementType));
  }

  /**
   * Describes the convolution in words, a table and a drawing.
   *
   * @return several lines
   */
  public String explain() {
    String groups =
        featureGroupCount == 1 && batchGroupCount == 1
            ? ""
            : "\n" + featureGroupCount + " feature groups, " + batchGroupCount + " batch groups";
    return dimLabels.explain() + groups + "\n" + window.explain();
  }

  @Override
  public String opcode() {
    return "convolution";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(2);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array lhs = in.array(0, "lhs");
    Shape.Array kernel = in.array(1, "kernel");
    require(
        lhs.rank() == kernel.rank(),
        "convolution C1",
        "ranks got %s of lhs %s and %s of kernel %s, want the same",
        lhs.rank(),
        lhs,
        kernel.rank(),
        kernel);
    checkDimensionNumbers(lhs.rank());
    checkGroups(lhs, kernel);
    ElementType type = ProductType.of(lhs, kernel, preferredElementType);
    Shape.Array image = lhs.select(dimLabels.inputSpatialDimensions());
    window.requireRank(image, RULES, () -> WindowText.moving(window, image.rank()));
    Shape.Array taps = kernel.select(dimLabels.kernelSpatialDimensions());
    Shape.Array places = window.slide(image, RULES);
    checkWindowIsKernel(taps);
    int outputs = dimLabels.kernelOutputFeatureDimension();
    require(
        !kernel.isDynamic(outputs),
        "",
        "output features of kernel %s got %s, want a static size",
        kernel,
        kernel.sizeText(outputs));
    Shape.Array all =
        batchOfOneGroup(lhs)
            .append(kernel, Dims.of(outputs))
            .append(
                places.withDynamic(
                    Sets.union(places.dynamicDimensions(), taps.dynamicDimensions())),
                Dims.range(0, places.rank()));
    return all.select(dimLabels.output().inverse()).withElementType(type);
  }

  private void checkDimensionNumbers(int rank) {
    check("input", "convolution C12", "convolution C13", dimLabels.input(), rank);
    check("kernel", "convolution C17", "convolution C18", dimLabels.kernel(), rank);
    check("output", "convolution C19", "convolution C20", dimLabels.output(), rank);
  }

  private void check(String what, String count, String permutation, Dims dimensions, int rank) {
    requireFitting(
        dimensions.count() == rank,
        () -> WindowText.moving(window, rank - 2),
        count,
        "%s spatial dimensions got %s of %s, want %s: rank %s less batch and feature",
        what,
        dimensions.count() - 2,
        dimLabels,
        rank - 2,
        rank);
    require(
        dimensions.isPermutation(),
        permutation,
        "%s dimensions got %s, want each from 0 to %s once",
        what,
        dimensions,
        rank - 1);
  }

  private void checkGroups(Shape.Array lhs, Shape.Array kernel) {
    require(
        featureGroupCount > 0,
        "convolution C21",
        "feature_group_count got %s, want at least 1",
        featureGroupCount);
    require(
        batchGroupCount > 0,
        "convolution C22",
        "batch_group_count got %s, want at least 1",
        batchGroupCount);
    require(
        featureGroupCount == 1 || batchGroupCount == 1,
        "convolution C23",
        "feature_group_count got %s and batch_group_count %s, want one of them 1",
        featureGroupCount,
        batchGroupCount);
    int features = dimLabels.inputFeatureDimension();
    int outputs = dimLabels.kernelOutputFeatureDimension();
    divides("C10", batchGroupCount, "batch", lhs, dimLabels.inputBatchDimension());
    divides("C11", featureGroupCount, "feature", lhs, features);
    divides("C15", batchGroupCount, "output feature", kernel, outputs);
    divides("C16", featureGroupCount, "output feature", kernel, outputs);
    int inputs = dimLabels.kernelInputFeatureDimension();
    require(
        lhs.isUnbounded(features)
            || kernel.isUnbounded(inputs)
            || kernel.size(inputs) == lhs.size(features) / featureGroupCount,
        "convolution C14",
        "input feature dimension %s of kernel %s got size %s, want %s: that of feature dimension"
            + " %s of lhs %s over feature_group_count %s",
        inputs,
        kernel,
        kernel.sizeText(inputs),
        lhs.size(features) / featureGroupCount,
        features,
        lhs,
        featureGroupCount);
  }

  private static void divides(
      String label, long groups, String what, Shape.Array shape, int dimension) {
    require(
        shape.isUnbounded(dimension) || shape.size(dimension) % groups == 0,
        "convolution " + label,
        "%s dimension %s of %s got size %s, want a multiple of the group count %s",
        what,
        dimension,
        shape,
        shape.sizeText(dimension),
        groups);
  }

  private void checkWindowIsKernel(Shape.Array spatial) {
    for (int i = 0; i < spatial.rank(); i++) {
      require(
          spatial.isUnbounded(i) || spatial.size(i) == window.sizes().get(i),
          "",
          "window size of dimension %s got %s, want %s, that of spatial dimension %s of the kernel",
          i,
          window.sizes().get(i),
          spatial.sizeText(i),
          i);
    }
  }

  /** Returns the batch dimension of the result as a list. */
  private Shape.Array batchOfOneGroup(Shape.Array lhs) {
    Shape.Array batch = lhs.select(Dims.of(dimLabels.inputBatchDimension()));
    return batchGroupCount == 1 || batch.hasUnbounded()
        ? batch
        : new Shape.Array(
            batch.elementType(),
            Dims.of(batch.size(0) / batchGroupCount),
            batch.dynamicDimensions(),
            Optional.empty());
  }
}
