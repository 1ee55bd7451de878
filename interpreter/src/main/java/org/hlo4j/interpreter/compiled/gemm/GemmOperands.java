package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * The conversions around a product: of its operands to the type in which they are multiplied, and
 * of its result from the accumulator type to its own type.
 */
public final class GemmOperands {
  /** Computes all elements of the result. */
  @FunctionalInterface
  public interface Computation {
    void run(Object lhs, Object rhs, Object result);
  }

  private final AccumulatorType operandType;
  private final AccumulatorType resultType;
  private final Shape.Array shape;
  private final @Nullable TypeConversion lhs;
  private final @Nullable TypeConversion rhs;
  private final @Nullable TypeConversion result;

  /**
   * Creates the conversions.
   *
   * @param operandType the type to which the operands are widened
   * @param resultType the type in which the result is computed
   * @param lhs the shape of the left operand
   * @param rhs the shape of the right operand
   * @param shape the shape of the result
   */
  public GemmOperands(
      AccumulatorType operandType,
      AccumulatorType resultType,
      Shape.Array lhs,
      Shape.Array rhs,
      Shape.Array shape) {
    this.operandType = operandType;
    this.resultType = resultType;
    this.shape = shape;
    this.lhs = TypeConversion.widening(lhs, operandType);
    this.rhs = TypeConversion.widening(rhs, operandType);
    this.result = TypeConversion.narrowing(shape, resultType);
  }

  /** {@return whether the result is computed in its own type, without conversion} */
  public boolean isDirect() {
    return ElementConverter.isSame(shape.elementType(), resultType);
  }

  public Literal run(
      Literal[] operands, KernelContext context, GemmAlgorithm algorithm, Computation computation) {
    if (result == null) {
      return ElementConverter.computeAndNarrow(
          shape, resultType, context, wide -> run(operands, wide, context, algorithm, computation));
    }
    int count = (int) shape.elementCount();
    Shape.Array wide = shape.withElementType(ElementType.F32);
    Object storage = MatrixCopies.of(resultType).allocate(count);
    run(operands, storage, context, algorithm, computation);
    return result.result(wide, storage, context);
  }

  /**
   * Computes a result that needs no conversion. Operands that the algorithm widens itself are not
   * converted.
   */
  public void run(
      Literal[] operands,
      Object result,
      KernelContext context,
      GemmAlgorithm algorithm,
      Computation computation) {
    boolean left = !algorithm.widensLeft();
    boolean right = !algorithm.widensRight();
    Object a = left ? toOperandType(lhs, operands[0], context) : operands[0].unsafeStorage();
    Object b = right ? toOperandType(rhs, operands[1], context) : operands[1].unsafeStorage();
    computation.run(a, b, result);
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
}
