package org.hlo4j.builder;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireDimension;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.DynamicReshape;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.SetDimensionSize;

/** The ops of a handle that return or set sizes, or that keep the elements under another shape. */
abstract class SizeOps extends ControlFlowOps {
  final XlaOp me() {
    return (XlaOp) this;
  }

  final List<XlaOp> alone() {
    return Collections.singletonList(me());
  }

  final List<XlaOp> with(XlaOp... others) {
    List<XlaOp> all = new ArrayList<>(alone());
    all.addAll(Arrays.asList(others));
    return all;
  }

  final Shape.Array shapeWith(String opcode, int dimension) {
    Shape.Array shape = me().arrayShape(opcode);
    requireDimension(
        dimension,
        shape.rank(),
        "",
        "%s: dimension got %s, want one of %s",
        opcode,
        dimension,
        shape);
    return shape;
  }

  /**
   * Returns how long a dimension is. Of a static dimension it is a constant.
   *
   * @param dimension the dimension
   * @return the op, s32[]
   * @throws HloException if there is no such dimension
   */
  public XlaOp getDimensionSize(int dimension) {
    return owner()
        .guarded(
            alone(),
            () -> {
              Shape.Array shape = shapeWith("get-dimension-size", dimension);
              return shape.isDynamic(dimension)
                  ? owner().apply(GetDimensionSize.of(dimension), alone())
                  : staticSize("get-dimension-size", shape, dimension);
            });
  }

  private XlaOp staticSize(String opcode, Shape.Array shape, int dimension) {
    long size = shape.size(dimension);
    require(
        size >= 0 && size <= Integer.MAX_VALUE,
        "",
        "%s: size of dimension %s of %s, want one that s32 can hold",
        opcode,
        dimension,
        shape);
    return owner().constant((int) size);
  }

  /**
   * Makes a dimension dynamic and gives it a size. A constant that is the static size already
   * changes nothing.
   *
   * <p>A size may grow again up to that of the array which was cut: the elements are kept while
   * sizes are set, slices updated, and values handed on by tuples, calls and loops. What another op
   * computes has no elements beyond its size, and a run that asks for them is refused.
   *
   * @param size the size, s32[], at most the size so far, or that of the array which was cut
   * @param dimension the dimension
   * @return the op, the dimension being dynamic
   * @throws HloException if there is no such dimension, or the size is no s32 scalar
   */
  public XlaOp setDimensionSize(XlaOp size, int dimension) {
    return owner()
        .guarded(
            "set-dimension-size",
            with(size),
            () -> {
              Shape.Array shape = shapeWith("set-dimension-size", dimension);
              boolean same =
                  !shape.isDynamic(dimension)
                      && size.instruction().op() instanceof Constant constant
                      && constant.literal().equals(Literal.of((int) shape.size(dimension)));
              return same
                  ? me()
                  : owner().apply(SetDimensionSize.dynamic(shape, dimension), with(size));
            });
  }

  /**
   * Makes a dimension static, its bound being its size.
   *
   * @param dimension the dimension
   * @return the op, the dimension being static
   * @throws HloException if there is no such dimension, or it has no bound
   */
  public XlaOp removeDynamicDimension(int dimension) {
    return owner()
        .guarded(
            alone(),
            () -> {
              Shape.Array shape = shapeWith("set-dimension-size", dimension);
              SetDimensionSize op = SetDimensionSize.fixed(shape, dimension);
              return owner().apply(op, with(staticSize("set-dimension-size", shape, dimension)));
            });
  }

  /**
   * Reshapes to sizes that are known at run time; the elements keep their row-major order.
   *
   * @param dimSizes the sizes, s32 scalars
   * @param shape the shape of the result, dynamic dimensions with their bounds
   * @return the op
   * @throws HloException if types, counts or sizes are incompatible
   */
  public XlaOp dynamicReshape(List<XlaOp> dimSizes, Shape.Array shape) {
    return owner().apply(new DynamicReshape(shape), with(dimSizes.toArray(XlaOp[]::new)));
  }

  /**
   * Reshapes to a shape with dynamic dimensions; the elements keep their row-major order.
   *
   * @param shape the shape, of this one's element type and count
   * @return the op
   * @throws HloException if element types or counts differ, or a size has no bound
   */
  public XlaOp reshape(Shape.Array shape) {
    return owner().apply(new Reshape((Shape.Array) shape.withoutLayout()), alone());
  }

  /**
   * Reshapes to other sizes, one of which follows from the run-time size of this array; the
   * elements keep their row-major order.
   *
   * @param newSizes the sizes, of dynamic dimensions the bounds; their product that of this one's
   * @param inferredDimension the dimension that is dynamic if it might be several
   * @return the op
   * @throws HloException if the element counts differ, or there is no such dimension
   */
  public XlaOp reshapeWithInferredDimension(Dims newSizes, int inferredDimension) {
    return owner()
        .guarded(
            alone(),
            () -> {
              Shape.Array shape = me().arrayShape("reshape");
              requireDimension(
                  inferredDimension,
                  newSizes.count(),
                  "",
                  "reshape: inferred_dimension got %s, want a dimension of %s",
                  inferredDimension,
                  newSizes);
              Reshape op = Reshape.of(shape, newSizes, Optional.of(inferredDimension));
              return owner()
                  .apply(
                      op,
                      alone(),
                      List.of(),
                      ImmutableMap.of("inferred_dimension", String.valueOf(inferredDimension)));
            });
  }

  /**
   * Reshapes to sizes given by another value, by a custom call {@code mhlo.dynamic_reshape}: for
   * export to compilers that know it.
   *
   * @param outputShape the sizes, a vector of integers
   * @param shape the shape of the result; unbounded where nothing is known
   * @return the op
   * @throws HloException if element types differ, static element counts differ, or the vector does
   *     not have a number for each dimension
   */
  public XlaOp mhloDynamicReshape(XlaOp outputShape, Shape.Array shape) {
    return owner()
        .guarded(
            with(outputShape),
            () -> {
              Shape.Array operand = me().arrayShape("mhlo.dynamic_reshape");
              requireSizes("mhlo.dynamic_reshape", outputShape, operand, shape);
              require(
                  operand.isDynamic()
                      || shape.isDynamic()
                      || operand.elementCount() == shape.elementCount(),
                  "",
                  "mhlo.dynamic_reshape: result got %s, want as many elements as operand %s",
                  shape,
                  operand);
              CustomCallOptions call = CustomCallOptions.of("mhlo.dynamic_reshape", shape);
              return owner().customCall(call, me(), outputShape);
            });
  }

  /**
   * Repeats this along new dimensions, and along those of size 1, to sizes that another value says,
   * as a custom call {@code mhlo.dynamic_broadcast_in_dim}: for export to compilers that know it.
   *
   * @param outputDimensions the sizes, a vector of integers
   * @param broadcastDimensions for each dimension of this the one of the result it becomes
   * @param outputShape the shape of the result; unbounded where nothing is known
   * @return the op
   * @throws HloException if element types differ, the vector does not have a number for each
   *     dimension, or dimensions or known sizes are incompatible
   */
  public XlaOp mhloDynamicBroadcastInDim(
      XlaOp outputDimensions, Dims broadcastDimensions, Shape.Array outputShape) {
    return owner()
        .guarded(
            with(outputDimensions),
            () -> {
              String target = "mhlo.dynamic_broadcast_in_dim";
              Shape.Array operand = me().arrayShape(target);
              requireSizes(target, outputDimensions, operand, outputShape);
              requireSpread(target, operand, broadcastDimensions, outputShape);
              String numbers =
                  broadcastDimensions.stream()
                      .mapToObj(String::valueOf)
                      .collect(Collectors.joining(","));
              CustomCallOptions call =
                  CustomCallOptions.builder(target, outputShape)
                      .opaque("{broadcast_dimensions=[" + numbers + "]}")
                      .build();
              return owner().customCall(call, me(), outputDimensions);
            });
  }

  private static void requireSizes(
      String target, XlaOp sizes, Shape.Array operand, Shape.Array result) {
    require(
        operand.elementType() == result.elementType(),
        "",
        "%s: element type of the result got %s, want %s as the operand",
        target,
        result.elementType(),
        operand.elementType());
    Shape.Array vector = sizes.arrayShape(target);
    require(
        vector.elementType().isIntegral() && vector.sizes().equals(Dims.of(result.rank())),
        "",
        "%s: sizes got %s, want a vector of %s integers for %s",
        target,
        vector,
        result.rank(),
        result);
  }

  private static void requireSpread(
      String target, Shape.Array operand, Dims dimensions, Shape.Array result) {
    boolean fits =
        dimensions.count() == operand.rank()
            && dimensions.isDistinct()
            && dimensions.stream().allMatch(d -> d >= 0 && d < result.rank());
    for (int i = 0; fits && i < operand.rank(); i++) {
      int to = dimensions.getInt(i);
      boolean known = !operand.isDynamic(i) && !result.isDynamic(to);
      fits = !known || operand.size(i) == 1 || operand.size(i) == result.size(to);
    }
    require(
        fits,
        "",
        "%s: broadcast_dimensions got %s, want a dimension of %s for each of %s, of its size unless"
            + " that is 1",
        target,
        dimensions,
        result,
        operand);
  }
}
