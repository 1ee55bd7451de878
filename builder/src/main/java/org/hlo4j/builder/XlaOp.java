package org.hlo4j.builder;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Broadcasting;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Transpose;

/**
 * A handle of an op of an {@link XlaBuilder}, which is the operand of further ops of the same
 * builder.
 *
 * <p>Each method adds ops to the builder and returns the handle of the last one. It does not change
 * this handle. Operands are broadcast only as {@link Broadcasting} defines: dimensions are not
 * aligned from the right, as in NumPy. A Java number as an operand becomes a scalar of this one's
 * element type by the rule of {@link #scalarLike}.
 *
 * <p>The methods have XLA's names:
 *
 * <ul>
 *   <li>element by element: {@link #add(XlaOp)}, {@link #sub(XlaOp)}, {@link #mul(XlaOp)}, {@link
 *       #div(XlaOp)}, {@link #max(XlaOp)}, {@link #exp}, {@link #tanh}, {@link #logistic}, …;
 *       {@link #lt(XlaOp)} and other comparisons, {@link #select(XlaOp, XlaOp)}, {@link
 *       #clamp(XlaOp, XlaOp)}, {@link #convertElementType}
 *   <li>shapes: {@link #reshape(Dims)}, {@link #transpose}, {@link #broadcast(long...)}, {@link
 *       #broadcastInDim}, {@link #collapse}, {@link XlaBuilder#concatInDim}
 *   <li>parts: {@link #slice(Dims, Dims)}, {@link #sliceInDim}, {@link #dynamicSlice}, {@link
 *       #gather}, {@link #pad}, {@link #rev}
 *   <li>reductions: {@link #reduce(XlaOp, BinaryOperator, long...)}, {@link #reduceWindow(XlaOp,
 *       BinaryOperator, org.hlo4j.hlo.op.Window)}, {@link #sort}, {@link #topK}
 *   <li>products: {@link #dot}, {@link #dotGeneral}, {@link #conv(XlaOp, org.hlo4j.hlo.op.Window)}
 *   <li>control flow, on the {@link #builder}: {@code whileLoop}, {@code conditional}, {@code
 *       call}, {@code map}, {@code scan}
 * </ul>
 *
 * <p>NumPy's {@link #sum}, {@link #mean}, {@link #matmul}, {@link #slice(String) slice("1:3, :")},
 * and JAX's {@link #reduceMax}, {@link #argMax}, {@link #softmax} are here as well. All other
 * functions without an op in XLA are in libraries of static methods:
 *
 * <ul>
 *   <li>{@link org.hlo4j.builder.lib.nn}: relu, gelu, variance, logSumExp, oneHot, dense,
 *       layerNorm, embedding, attention, …
 *   <li>{@link org.hlo4j.builder.lib.math}: erfc, lgamma, digamma, Bessel functions, …
 *   <li>{@link org.hlo4j.builder.lib.linalg}: einsum, QR, LU, SVD, eigenvalues, triangles, …
 *   <li>{@link org.hlo4j.builder.lib.random}: random bits and numbers from a key
 *   <li>{@link org.hlo4j.builder.lib}: pooling, top k, quantization, loops, constants by type, …
 * </ul>
 */
public final class XlaOp extends NumpyOps {
  private final XlaBuilder builder;
  private final HloInstruction instruction;
  private final ImmutableList<Optional<DimensionName>> names;

  XlaOp(XlaBuilder builder, HloInstruction instruction) {
    this(builder, instruction, ImmutableList.of());
  }

  XlaOp(
      XlaBuilder builder,
      HloInstruction instruction,
      ImmutableList<Optional<DimensionName>> names) {
    this.builder = builder;
    this.instruction = instruction;
    this.names = names;
  }

  /**
   * Returns the dimensions to give to a binary op whose operands differ in rank: {@code x.add(v,
   * broadcastDimensions(1))}.
   *
   * @param dimensions for each dimension of the operand of lower rank, the dimension of the other
   *     that it is
   * @return the tuple
   */
  public static Dims broadcastDimensions(long... dimensions) {
    return Dims.of(dimensions);
  }

  /**
   * Returns the builder it belongs to.
   *
   * @return the builder
   */
  public XlaBuilder builder() {
    return builder;
  }

  @Override
  XlaBuilder owner() {
    return builder;
  }

  /**
   * Returns the instruction; after the module is built, the instruction of the module that replaces
   * it.
   *
   * @return the instruction
   */
  public HloInstruction instruction() {
    return builder.inModule(instruction);
  }

  /**
   * Returns the name of the instruction.
   *
   * @return the name
   */
  public String name() {
    return instruction.name();
  }

  /**
   * Returns the shape of the value.
   *
   * @return the shape
   */
  public Shape shape() {
    return instruction.shape();
  }

  /**
   * Returns the shape of the value, an array.
   *
   * @return the shape
   * @throws HloException if it is a tuple or a token
   */
  public Shape.Array arrayShape() {
    return arrayShape("arrayShape");
  }

  Shape.Array arrayShape(String opcode) {
    return builder.guarded(
        List.of(),
        () -> {
          require(
              shape() instanceof Shape.Array,
              "",
              "%s: %s got %s, want an array",
              opcode,
              name(),
              shape());
          return (Shape.Array) shape();
        });
  }

  /** Returns the shape, inside a guard that will add the op's name. */
  Shape.Array requireArray() {
    require(shape() instanceof Shape.Array, "", "%s got %s, want an array", name(), shape());
    return (Shape.Array) shape();
  }

  @Override
  ElementType elementTypeFor(String opcode) {
    return arrayShape(opcode).elementType();
  }

  @Override
  ImmutableList<Optional<DimensionName>> names() {
    return names;
  }

  private List<XlaOp> self() {
    return Collections.singletonList(this);
  }

  /**
   * Returns the same value everywhere in this one's shape: a constant and a broadcast.
   *
   * @param value a {@code Boolean} or a {@code Number}
   * @return the op
   * @throws HloException if the value does not fit the element type
   */
  public XlaOp fullLike(Object value) {
    return builder.guarded(self(), () -> builder.full(arrayShape("fullLike"), value));
  }

  /**
   * Zeros in this one's shape.
   *
   * @return the op
   */
  public XlaOp zerosLike() {
    return builder.guarded(self(), () -> builder.zeros(arrayShape("zerosLike")));
  }

  /**
   * Takes each element from one of two arrays: where this holds from onTrue, else from onFalse.
   *
   * @param onTrue an array of this one's sizes, or of any if this is a scalar
   * @param onFalse an array of the same shape as onTrue
   * @return the op, of the shape of onTrue
   * @throws HloException if this is not pred, or shapes differ
   */
  public XlaOp select(XlaOp onTrue, XlaOp onFalse) {
    if (builder.defaultPolicy().isPresent()) {
      return select(onTrue, onFalse, builder.defaultPolicy().orElseThrow());
    }
    XlaBuilder inner = XlaBuilder.innermost(Arrays.asList(this, onTrue, onFalse));
    return inner.guarded(
        "select",
        Arrays.asList(this, onTrue, onFalse),
        () -> {
          Select op = new Select();
          Shape shape = op.infer(shape(), onTrue.shape(), onFalse.shape());
          XlaOp pred = Binary.scalarTo(inner, op, this, (Shape.Array) shape);
          return inner.append(op, List.of(pred, onTrue, onFalse), List.of());
        });
  }

  /**
   * Keeps each element between two bounds: min(max(this, min), max).
   *
   * @param min the lower bound, an array of this one's shape or a scalar of its element type
   * @param max the upper bound, likewise
   * @return the op, of this one's shape
   * @throws HloException if element types or shapes differ
   */
  public XlaOp clamp(XlaOp min, XlaOp max) {
    if (builder.defaultPolicy().isPresent()) {
      return clamp(min, max, builder.defaultPolicy().orElseThrow());
    }
    return clampByXlaRules(min, max);
  }

  /** Clamp by XLA's rules, whatever the default policy is. */
  XlaOp clampByXlaRules(XlaOp min, XlaOp max) {
    XlaBuilder inner = XlaBuilder.innermost(Arrays.asList(this, min, max));
    return inner.guarded(
        "clamp",
        Arrays.asList(min, this, max),
        () -> {
          Clamp op = new Clamp();
          Shape.Array shape = (Shape.Array) op.infer(min.shape(), shape(), max.shape());
          XlaOp low = Binary.scalarTo(inner, op, min, shape);
          XlaOp high = Binary.scalarTo(inner, op, max, shape);
          return inner.append(op, List.of(low, this, high), List.of());
        });
  }

  /**
   * Converts each element to another type by value.
   *
   * @param newElementType the element type of the result
   * @return the op, of this one's sizes
   */
  public XlaOp convertElementType(ElementType newElementType) {
    return builder.apply(new Convert(newElementType), self());
  }

  /**
   * Reads the bits of the elements as another type; see {@link BitcastConvert} for the sizes.
   *
   * @param newElementType the element type of the result
   * @return the op
   * @throws HloException if the widths are incompatible
   */
  public XlaOp bitcastConvertType(ElementType newElementType) {
    return builder.apply(new BitcastConvert(newElementType), self());
  }

  /**
   * Rounds each float to fewer bits and back.
   *
   * @param exponentBits exponent bits to keep, 1 at least
   * @param mantissaBits mantissa bits to keep, 0 at least
   * @return the op, of this one's shape
   * @throws HloException if this is not a float array, or a number is too small
   */
  public XlaOp reducePrecision(int exponentBits, int mantissaBits) {
    return builder.apply(new ReducePrecision(exponentBits, mantissaBits), self());
  }

  /**
   * Adds dimensions on the left: {@code result[i..., j...] = this[j...]}.
   *
   * @param broadcastSizes the sizes of the new dimensions
   * @return the op
   * @throws HloException if a size is negative
   */
  public XlaOp broadcast(long... broadcastSizes) {
    return builder.guarded(
        self(),
        () -> {
          Shape.Array operand = arrayShape("broadcast");
          Dims dimensions =
              Dims.range(broadcastSizes.length, (long) broadcastSizes.length + operand.rank());
          Shape.Array result =
              Binary.named(
                  "broadcast",
                  () ->
                      Shape.of(operand.elementType(), broadcastSizes)
                          .append(operand, Dims.range(0, operand.rank())));
          return builder.append(new Broadcast(result, dimensions), self(), List.of());
        });
  }

  /**
   * Broadcasts to given sizes; dimensions of size 1 are stretched.
   *
   * @param outDimSizes the sizes of the result
   * @param broadcastDimensions for each dimension of this, the dimension of the result that it
   *     becomes, strictly increasing
   * @return the op
   * @throws HloException if sizes or dimensions are incompatible
   */
  public XlaOp broadcastInDim(Dims outDimSizes, Dims broadcastDimensions) {
    return builder.guarded(
        self(),
        () -> {
          Shape.Array result =
              Binary.named(
                  "broadcast",
                  () ->
                      Broadcasting.broadcastInDim(
                          Binary.operand(this), outDimSizes, broadcastDimensions));
          XlaOp placed = Binary.placed(builder, this, result, broadcastDimensions);
          return Binary.stretched(builder, placed, result);
        });
  }

  /**
   * Reshapes to other sizes; the elements keep their row-major order.
   *
   * @param sizes the sizes, their product that of this one's
   * @return the op
   * @throws HloException if the element counts differ
   */
  public XlaOp reshape(long... sizes) {
    return reshape(Dims.of(sizes));
  }

  /**
   * Reshapes to other sizes; the elements keep their row-major order. Where this is dynamic so is
   * what becomes of it: of several dimensions that one becomes the only one that is not of size 1.
   *
   * @param sizes the sizes, of dynamic dimensions the bounds; their product that of this one's
   * @return the op
   * @throws HloException if the element counts differ, a size has no bound, or it is not clear
   *     which dimension is dynamic; then see {@link #reshapeWithInferredDimension}
   */
  public XlaOp reshape(Dims sizes) {
    return builder.guarded(
        self(),
        () -> {
          Shape.Array operand = arrayShape("reshape");
          return builder.append(Reshape.of(operand, sizes, Optional.empty()), self(), List.of());
        });
  }

  /**
   * Makes one dimension of several neighbours.
   *
   * @param dimensions consecutive dimension numbers, increasing; with fewer than two of them this
   *     gives the operand itself
   * @return the op
   * @throws HloException if they are not consecutive dimensions of this
   */
  public XlaOp collapse(long... dimensions) {
    return builder.guarded(
        self(),
        () -> {
          Dims sizes = arrayShape("collapse").sizes();
          Dims collapsed = Dims.of(dimensions);
          int count = collapsed.count();
          require(
              count == 0
                  || (collapsed.get(0) >= 0
                      && collapsed.get(0) + count <= sizes.count()
                      && collapsed.equals(Dims.range(collapsed.get(0), collapsed.get(0) + count))),
              "",
              "collapse: dimensions got %s, want consecutive dimensions of %s",
              collapsed,
              shape());
          if (count < 2) {
            return this;
          }
          int first = collapsed.getInt(0);
          Shape.Array merged = arrayShape().withSizes(sizes.subList(first, first + count));
          return reshape(sizes.without(collapsed).inserted(first, merged.elementCount()));
        });
  }

  /**
   * Puts the dimensions in another order: dimension i of the result is {@code permutation[i]} of
   * this.
   *
   * @param permutation each dimension number once
   * @return the op
   * @throws HloException if it is not a permutation of the dimensions
   */
  public XlaOp transpose(long... permutation) {
    return builder.apply(new Transpose(Dims.of(permutation)), self());
  }

  /**
   * Returns one of the values of a tuple.
   *
   * @param index which one, from 0
   * @return the op
   * @throws HloException if this is not a tuple, or has no such value
   */
  public XlaOp getTupleElement(int index) {
    return builder.apply(new GetTupleElement(index), self());
  }

  /**
   * Returns the value as it is.
   *
   * @return the op
   */
  public XlaOp copy() {
    return builder.apply(new Copy(), self());
  }

  /**
   * Reduces dimensions with a function of two scalars: {@code x.reduce(zero, (a, b) -> a.add(b),
   * 1)}.
   *
   * @param initValue a scalar of this one's element type, with which the reduction begins
   * @param body from accumulator and element to accumulator; it should be associative
   * @param dimensions the dimensions to reduce
   * @return the op, of the dimensions left
   * @throws HloException if shapes, dimensions or the body's result are incompatible
   */
  public XlaOp reduce(XlaOp initValue, BinaryOperator<XlaOp> body, long... dimensions) {
    ComputationBody region = (inner, p) -> body.apply(p.get(0), p.get(1));
    return builder.reduce(self(), Collections.singletonList(initValue), region, dimensions);
  }

  /**
   * Reduces dimensions with a ready computation of two scalars.
   *
   * @param initValue a scalar of this one's element type, with which the reduction begins
   * @param body from accumulator and element to accumulator
   * @param dimensions the dimensions to reduce
   * @return the op, of the dimensions left
   * @throws HloException if shapes, dimensions or the body's signature are incompatible
   */
  public XlaOp reduce(XlaOp initValue, HloComputation body, long... dimensions) {
    return builder.reduce(self(), Collections.singletonList(initValue), body, dimensions);
  }

  /**
   * Reduces all dimensions with a function of two scalars.
   *
   * @param initValue a scalar of this one's element type, with which the reduction begins
   * @param body from accumulator and element to accumulator; it should be associative
   * @return the op, a scalar
   * @throws HloException if shapes or the body's result are incompatible
   */
  public XlaOp reduceAll(XlaOp initValue, BinaryOperator<XlaOp> body) {
    return builder.guarded(
        "reduce",
        Arrays.asList(this, initValue),
        () -> {
          long[] all = LongStream.range(0, arrayShape("reduce").rank()).toArray();
          return reduce(initValue, body, all);
        });
  }

  /** Name, shape and opcode, as HLO text has them. */
  @Override
  public String toString() {
    return instruction.toString();
  }
}
