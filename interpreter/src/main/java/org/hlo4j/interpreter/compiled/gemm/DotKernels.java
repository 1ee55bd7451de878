package org.hlo4j.interpreter.compiled.gemm;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.interpreter.compiled.arrays.ArrayKernel;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * Kernels for dots of any dimensions. Integers wrap as in the reference evaluator, bit for bit. f32
 * and narrower floats are accumulated in f32 by fused multiply-adds and rounded once to a narrower
 * result, f64 in f64. {@link Gemm} states the error bound; that of {@link Gemv}, for matrix times
 * vector, is no larger. The reference evaluator accumulates f32 in f64.
 */
public final class DotKernels {
  /** The reason to decline very large arrays. */
  public static final String TOO_MANY = "more elements than a Java array holds";

  /**
   * The greatest number of steps of a dot of complex numbers that adds rounded products, as XLA
   * does. Dots with more steps are those of the real and imaginary parts, in f64.
   */
  public static final int FEW_COMPLEX_STEPS = 4;

  private DotKernels() {}

  /**
   * Returns the kernel of a dot.
   *
   * @param instruction a dot
   * @return the kernel; declined for dynamic shapes, arrays that are too large, complex numbers
   *     mixed with real ones, floats with an integer result, and integers with a float result if
   *     one of them has 64 bits or both operands are integers and one has more than 16 bits
   */
  public static KernelChoice kernel(HloInstruction instruction) {
    if (!(instruction.op() instanceof Dot) || !(instruction.shape() instanceof Shape.Array shape)) {
      return KernelChoice.NONE;
    }
    Shape.Array lhs = (Shape.Array) instruction.operands().get(0).shape();
    Shape.Array rhs = (Shape.Array) instruction.operands().get(1).shape();
    if (!Stream.of(lhs, rhs, shape).allMatch(Storages::canHold)) {
      return KernelChoice.decline(TOO_MANY);
    }
    Optional<GemmProblem> product = product(instruction);
    if (product.isEmpty()) {
      return KernelChoice.decline("too many elements that are not evenly spaced");
    }
    if (Stream.of(lhs, rhs, shape).allMatch(array -> array.elementType().isComplex())) {
      return KernelChoice.of(new ComplexGemm(shape.withLayout(null), product.get()));
    }
    return GemmKernel.choice(
        instruction,
        type -> List.of(config(instruction, type, product.get())),
        parts -> GemmAlgorithm.of(parts.get(0)));
  }

  private static GemmConfig config(HloInstruction dot, AccumulatorType type, GemmProblem product) {
    ElementType left = ((Shape.Array) dot.operands().get(0).shape()).elementType();
    ElementType right = ((Shape.Array) dot.operands().get(1).shape()).elementType();
    return GemmConfig.dot(type, product, Widenings.of(left, type), Widenings.of(right, type));
  }

  /**
   * Returns the product of a dot as a call in a loop.
   *
   * @param instruction a dot of floats or integers of one type, of 32 or 64 bits
   * @param isLeftFixed whether the left operand is the same in each run
   * @param isRightFixed whether the right operand is the same in each run
   * @return the call, which adds as the {@link #kernel} does; empty if there is no kernel
   */
  public static Optional<ArrayKernel> call(
      HloInstruction instruction, boolean isLeftFixed, boolean isRightFixed) {
    return config(instruction)
        .map(config -> SumOrder.isInOrder(config) ? config.inOrder() : config)
        .map(config -> new GemmCall(config, isLeftFixed, isRightFixed));
  }

  /**
   * {@return whether the kernel of a dot accumulates each sum in order of k, with the contracting
   * dimensions in the order in which they are listed, or in any order, which is the same for
   * integers}
   */
  public static boolean addsInOrder(HloInstruction instruction) {
    return hasExactSums(instruction)
        || (((Dot) instruction.op()).lhsContractingDims().isStrictlyIncreasing()
            && config(instruction).filter(SumOrder::isInOrder).isPresent());
  }

  /** {@return whether the kernels of two dots of the same products add them in the same order} */
  public static boolean addInSameOrder(HloInstruction one, HloInstruction other) {
    return hasExactSums(one)
        || (order(one).equals(order(other))
            && config(one).map(SumOrder::of).equals(config(other).map(SumOrder::of)));
  }

  private static boolean hasExactSums(HloInstruction dot) {
    ElementType type = ((Shape.Array) dot.shape()).elementType();
    return !type.isFloating() && !type.isComplex();
  }

  private static Dims order(HloInstruction dot) {
    return inOrderOfMemory(((Dot) dot.op()).lhsContractingDims());
  }

  /** {@return the configuration of a dot of one kernel; of complex numbers, that of their parts} */
  private static Optional<GemmConfig> config(HloInstruction dot) {
    ElementType lhs = ((Shape.Array) dot.operands().get(0).shape()).elementType();
    ElementType rhs = ((Shape.Array) dot.operands().get(1).shape()).elementType();
    ElementType result = ((Shape.Array) dot.shape()).elementType();
    boolean isComplex = lhs.isComplex() && rhs.isComplex() && result.isComplex();
    Optional<AccumulatorType> accumulatorType =
        isComplex ? Optional.of(AccumulatorType.F64) : accumulatorType(lhs, rhs, result);
    return accumulatorType.flatMap(type -> product(dot).map(product -> config(dot, type, product)));
  }

  /**
   * {@return the type to multiply and accumulate in, if one type can hold the operands, their
   * products and the result} Integers that are multiplied with floats are converted to floats
   * first. So are integers of at most 16 bits with a float result: to f64 if they have more than 8
   * bits, which then holds all sums.
   */
  public static Optional<AccumulatorType> accumulatorType(
      ElementType lhs, ElementType rhs, ElementType result) {
    if (Stream.of(lhs, rhs, result).anyMatch(ElementType::isComplex)) {
      return Optional.empty();
    }
    if (result.isFloating()) {
      boolean integers = !lhs.isFloating() && !rhs.isFloating();
      int bits = integers ? Math.max(lhs.bits(), rhs.bits()) : 0;
      boolean wide =
          bits > Byte.SIZE || Stream.of(lhs, rhs, result).anyMatch(DotKernels::isBeyondF32);
      return bits > Short.SIZE || isLong(lhs) || isLong(rhs)
          ? Optional.empty()
          : Optional.of(wide ? AccumulatorType.F64 : AccumulatorType.F32);
    }
    if (lhs.isFloating() || rhs.isFloating()) {
      return Optional.empty();
    }
    boolean preds = lhs == ElementType.PRED && rhs == ElementType.PRED;
    boolean low = result == ElementType.PRED ? preds : result.bits() <= Integer.SIZE;
    return Optional.of(low ? AccumulatorType.I32 : AccumulatorType.I64);
  }

  /** {@return whether f64 cannot represent all values of a type} */
  private static boolean isLong(ElementType type) {
    return !type.isFloating() && type.bits() > Integer.SIZE;
  }

  private static boolean isBeyondF32(ElementType type) {
    return type.isFloating()
        ? type == ElementType.F64 || type == ElementType.F8E8M0FNU
        : type.bits() > Short.SIZE;
  }

  private static Optional<GemmProblem> product(HloInstruction instruction) {
    Dot dot = (Dot) instruction.op();
    Dims lhs = ((Shape.Array) instruction.operands().get(0).shape()).sizes();
    Dims rhs = ((Shape.Array) instruction.operands().get(1).shape()).sizes();
    Dims lhsFree = dot.lhsFreeDims(lhs.count());
    Dims rhsFree = dot.rhsFreeDims(rhs.count());
    Dims order = inOrderOfMemory(dot.lhsContractingDims());
    Dims lhsSteps = dot.lhsContractingDims().at(order);
    Dims rhsSteps = dot.rhsContractingDims().at(order);
    boolean fits =
        Stream.of(dot.lhsBatchDims(), lhsFree, lhsSteps).allMatch(along -> canTabulate(along, lhs))
            && Stream.of(dot.rhsBatchDims(), rhsSteps, rhsFree)
                .allMatch(along -> canTabulate(along, rhs));
    if (!fits) {
      return Optional.empty();
    }
    int rows = (int) lhs.at(lhsFree).product();
    int columns = (int) rhs.at(rhsFree).product();
    int batches = (int) lhs.at(dot.lhsBatchDims()).product();
    return Optional.of(
        new GemmProblem(
            offsetsAlong(dot.lhsBatchDims(), lhs),
            offsetsAlong(lhsFree, lhs),
            offsetsAlong(lhsSteps, lhs),
            offsetsAlong(dot.rhsBatchDims(), rhs),
            offsetsAlong(rhsSteps, rhs),
            offsetsAlong(rhsFree, rhs),
            DimensionOffsets.strided(batches, rows * columns),
            DimensionOffsets.strided(rows, columns),
            DimensionOffsets.strided(columns, 1)));
  }

  /** {@return the order that puts outer dimensions first} */
  private static Dims inOrderOfMemory(Dims dimensions) {
    return Dims.of(
        IntStream.range(0, dimensions.count())
            .boxed()
            .sorted((a, b) -> Long.compare(dimensions.get(a), dimensions.get(b)))
            .mapToLong(i -> i)
            .toArray());
  }

  private static boolean canTabulate(Dims dimensions, Dims sizes) {
    return DimensionOffsets.canTabulate(
        sizes.at(dimensions), sizes.rowMajorStrides().at(dimensions));
  }

  private static DimensionOffsets offsetsAlong(Dims dimensions, Dims sizes) {
    return DimensionOffsets.of(sizes.at(dimensions), sizes.rowMajorStrides().at(dimensions));
  }
}
