package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * The kernel of a dot or convolution of real types: it widens the operands if necessary, multiplies
 * them and narrows the result. It can run an epilogue on its result.
 */
public final class GemmKernel implements Kernel {
  private final AccumulatorType operandType;
  private final AccumulatorType resultType;
  private final Shape.Array shape;
  private final @Nullable TypeConversion lhs;
  private final @Nullable TypeConversion rhs;
  private final @Nullable TypeConversion result;
  private final GemmAlgorithm algorithm;

  /**
   * Creates a kernel.
   *
   * @param operandType the type to which the operands are widened
   * @param resultType the type in which the result is computed
   * @param lhs the shape of the left operand
   * @param rhs the shape of the right operand
   * @param shape the shape of the result
   * @param algorithm multiplies the operands
   */
  public GemmKernel(
      AccumulatorType operandType,
      AccumulatorType resultType,
      Shape.Array lhs,
      Shape.Array rhs,
      Shape.Array shape,
      GemmAlgorithm algorithm) {
    this.operandType = operandType;
    this.resultType = resultType;
    this.shape = shape;
    this.lhs = TypeConversion.widening(lhs, operandType);
    this.rhs = TypeConversion.widening(rhs, operandType);
    this.result = TypeConversion.narrowing(shape, resultType);
    this.algorithm = algorithm;
  }

  @Override
  public void warmUp() {
    algorithm.warmUp();
  }

  /**
   * {@return whether an epilogue is possible: the kernel computes whole elements of the result
   * type, in rows of the last dimension}
   */
  public boolean supportsEpilogue() {
    int rank = shape.rank();
    return ElementConverter.isSame(shape.elementType(), resultType)
        && algorithm.hasContiguousRows()
        && rank > 0
        && shape.size(rank - 1) == algorithm.columns();
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    if (result == null) {
      return ElementConverter.computeAndNarrow(
          shape, resultType, context, wide -> run(operands, wide, context, Epilogue.NONE));
    }
    Shape.Array wide = shape.withElementType(ElementType.F32);
    Object storage = MatrixCopies.of(resultType).allocate((int) shape.elementCount());
    run(operands, storage, context, Epilogue.NONE);
    return result.result(wide, storage, context);
  }

  /**
   * Stores all elements of a result that needs no conversion, and runs an epilogue, which requires
   * {@link #supportsEpilogue}. Operands that the algorithm widens itself are not converted.
   */
  public void run(Literal[] operands, Object result, KernelContext context, Epilogue epilogue) {
    boolean left = !algorithm.widensLeft();
    boolean right = !algorithm.widensRight();
    Object a = left ? toOperandType(lhs, operands[0], context) : operands[0].unsafeStorage();
    Object b = right ? toOperandType(rhs, operands[1], context) : operands[1].unsafeStorage();
    algorithm.run(a, b, result, context, epilogue);
    release(left ? lhs : null, a);
    release(right ? rhs : null, b);
  }

  private Object toOperandType(
      @Nullable TypeConversion conversion, Literal operand, KernelContext context) {
    return conversion == null
        ? ElementConverter.toAccumulatorType(operand, operandType, context)
        : conversion.apply(operand, context);
  }

  private static void release(@Nullable TypeConversion conversion, Object storage) {
    if (conversion != null) {
      conversion.release(storage);
    }
  }

  @Override
  public String describe() {
    return algorithm.toString();
  }
}
