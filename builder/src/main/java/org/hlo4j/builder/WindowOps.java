package org.hlo4j.builder;

import java.util.Arrays;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.BatchNormGrad;
import org.hlo4j.hlo.op.BatchNormInference;
import org.hlo4j.hlo.op.BatchNormTraining;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Window;

/**
 * The ops of a handle that slide a {@link Window}, and batch normalization.
 *
 * <p>XLA's builder has further functions with separate parameters for padding, dilation and
 * dimension numbers; here these are part of {@link Window} and {@link Convolution}.
 */
abstract class WindowOps extends LinalgOps {
  private XlaOp self() {
    return (XlaOp) this;
  }

  /**
   * Reduces the elements under a window, at each of its positions: {@code x.reduceWindow(zero, (a,
   * b) -> a.add(b), Window.of(2, 2).withStrides(2, 2))}.
   *
   * @param initValue a scalar of this one's element type, with which the reduction begins
   * @param body from accumulator and element to accumulator; it should be associative
   * @param window the window, of this one's rank
   * @return the op, with one element for each window position
   * @throws HloException if shapes, window or the body's result are incompatible
   */
  public XlaOp reduceWindow(XlaOp initValue, BinaryOperator<XlaOp> body, Window window) {
    ComputationBody region = (inner, p) -> body.apply(p.get(0), p.get(1));
    return owner().reduceWindow(Arrays.asList(self()), Arrays.asList(initValue), region, window);
  }

  /**
   * Reduces the elements under a window with an existing computation of two scalars.
   *
   * @param initValue a scalar of this one's element type, with which the reduction begins
   * @param body from accumulator and element to accumulator
   * @param window the window, of this one's rank
   * @return the op, with one element for each window position
   * @throws HloException if shapes, window or the body's signature are incompatible
   */
  public XlaOp reduceWindow(XlaOp initValue, HloComputation body, Window window) {
    return owner().reduceWindow(Arrays.asList(self()), Arrays.asList(initValue), body, window);
  }

  /**
   * Selects one element at each window position, and scatters the source to the selected indices:
   * {@code x.selectAndScatter((a, b) -> a.ge(b), window, source, zero, (a, b) -> a.add(b))}.
   *
   * @param select from the element selected so far and the next to whether to keep the former
   * @param window the window, of this one's rank
   * @param source one element for each window position
   * @param initValue a scalar, what the result holds where nothing is scattered to
   * @param scatter from an element of the source and what is there to what is put there
   * @return the op, of this one's shape
   * @throws HloException if shapes, window or results of the functions are incompatible
   */
  public XlaOp selectAndScatter(
      BinaryOperator<XlaOp> select,
      Window window,
      XlaOp source,
      XlaOp initValue,
      BinaryOperator<XlaOp> scatter) {
    return owner()
        .guarded(
            "select-and-scatter",
            Arrays.asList(self(), source, initValue),
            () ->
                selectAndScatter(
                    ofScalars("select", select),
                    window,
                    source,
                    initValue,
                    ofScalars("scatter", scatter)));
  }

  private HloComputation ofScalars(String name, BinaryOperator<XlaOp> body) {
    Shape scalar = Shape.of(elementTypeFor("select-and-scatter"));
    return owner()
        .computation(
            name,
            List.of(scalar, scalar),
            (inner, p) -> body.apply(p.get(0), p.get(1)),
            OpFactory.HAND_IN);
  }

  /**
   * Selects and scatters with existing computations of two scalars.
   *
   * @param select from the element selected so far and the next to whether to keep the former
   * @param window the window, of this one's rank
   * @param source one element for each window position
   * @param initValue a scalar, what the result holds where nothing is scattered to
   * @param scatter from an element of the source and what is there to what is put there
   * @return the op, of this one's shape
   * @throws HloException if shapes, window or signatures are incompatible
   */
  public XlaOp selectAndScatter(
      HloComputation select, Window window, XlaOp source, XlaOp initValue, HloComputation scatter) {
    return owner()
        .apply(
            new SelectAndScatter(window),
            Arrays.asList(self(), source, initValue),
            Arrays.asList(select, scatter));
  }

  /**
   * Slides a kernel over this, with XLA's default order of dimensions, NCHW: this batch, feature,
   * spatial …; kernel output feature, input feature, spatial …; result batch, feature, spatial ….
   * See {@link #conv(XlaOp, Window, String)} for others.
   *
   * @param kernel the kernel
   * @param window strides, padding and dilations; its sizes are the kernel's spatial ones
   * @return the op
   * @throws HloException if ranks, sizes or element types are incompatible
   */
  public XlaOp conv(XlaOp kernel, Window window) {
    return convGeneralDilated(kernel, Convolution.of(window));
  }

  /**
   * Slides a kernel over this, with dimensions in any order: {@code x.conv(k, Window.of(3, 3),
   * "b01f_01io->b01f")} is that of NHWC images and HWIO kernels.
   *
   * @param kernel the kernel
   * @param window strides, padding and dilations; its sizes are the kernel's spatial ones
   * @param dimLabels what each dimension of this, the kernel and the result is, as HLO text spells
   *     it; see {@link ConvolutionDimensionNumbers}
   * @return the op
   * @throws HloException if the labels are none, or ranks, sizes or element types are incompatible
   */
  public XlaOp conv(XlaOp kernel, Window window, String dimLabels) {
    return owner()
        .guarded(
            "convolution",
            Arrays.asList(self(), kernel),
            () ->
                convGeneralDilated(
                    kernel,
                    Convolution.of(window)
                        .withDimensionNumbers(ConvolutionDimensionNumbers.parse(dimLabels))));
  }

  /**
   * Slides a kernel over this: {@code x.convGeneralDilated(k, Convolution.of(Window.of(3, 3))
   * .withDimensionNumbers(ConvolutionDimensionNumbers.parse("b01f_01io->b01f")))}.
   *
   * @param kernel the kernel
   * @param convolution window, dimension numbers, groups, and the result's element type
   * @return the op
   * @throws HloException if dimension numbers, ranks, sizes or element types are incompatible
   */
  public XlaOp convGeneralDilated(XlaOp kernel, Convolution convolution) {
    List<XlaOp> operands = Arrays.asList(self(), kernel);
    return owner()
        .guarded(
            operands,
            () -> {
              try {
                return owner().apply(convolution, operands);
              } catch (HloException refusal) {
                throw ConvolutionLayouts.told(refusal, convolution, self().shape(), kernel.shape());
              }
            });
  }

  /**
   * Brings each feature to mean 0 and variance 1, then scales and shifts it; see {@link
   * BatchNormTraining}.
   *
   * @param scale a factor for each feature
   * @param offset a term for each feature
   * @param epsilon what is added to the variance
   * @param featureIndex the feature dimension
   * @return the op, a tuple of the output, the mean and the variance of each feature
   * @throws HloException if this is not a float array, or shapes are incompatible
   */
  public XlaOp batchNormTraining(XlaOp scale, XlaOp offset, float epsilon, int featureIndex) {
    return owner()
        .apply(new BatchNormTraining(epsilon, featureIndex), Arrays.asList(self(), scale, offset));
  }

  /**
   * Brings each feature to mean 0 and variance 1, both given, then scales and shifts it; see {@link
   * BatchNormInference}.
   *
   * @param scale a factor for each feature
   * @param offset a term for each feature
   * @param mean the mean of each feature
   * @param variance the variance of each feature
   * @param epsilon what is added to the variance
   * @param featureIndex the feature dimension
   * @return the op, of this one's shape
   * @throws HloException if this is not a float array, or shapes are incompatible
   */
  public XlaOp batchNormInference(
      XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance, float epsilon, int featureIndex) {
    return owner()
        .apply(
            new BatchNormInference(epsilon, featureIndex),
            Arrays.asList(self(), scale, offset, mean, variance));
  }

  /**
   * Returns the gradients of {@link #batchNormTraining}; see {@link BatchNormGrad}.
   *
   * @param scale the factor of each feature
   * @param mean the mean of each feature
   * @param variance the variance of each feature
   * @param gradOutput the gradient of the output, of this one's shape
   * @param epsilon what is added to the variance
   * @param featureIndex the feature dimension
   * @return the op, a tuple of the gradients of operand, scale and offset
   * @throws HloException if this is not a float array, or shapes are incompatible
   */
  public XlaOp batchNormGrad(
      XlaOp scale, XlaOp mean, XlaOp variance, XlaOp gradOutput, float epsilon, int featureIndex) {
    return owner()
        .apply(
            new BatchNormGrad(epsilon, featureIndex),
            Arrays.asList(self(), scale, mean, variance, gradOutput));
  }

  /**
   * Applies a function of a scalar to each element.
   *
   * @param body from element to element; the element type may change
   * @return the op, of this one's sizes
   * @throws HloException if the body makes a mistake, or does not give a scalar
   */
  public XlaOp map(UnaryOperator<XlaOp> body) {
    return owner().map(Arrays.asList(self()), (inner, p) -> body.apply(p.get(0)));
  }
}
