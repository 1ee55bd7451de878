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

  private final AccumulatorType from;
  private final AccumulatorType to;
  private final Shape.Array shape;
  private final @Nullable TypeConversion lhs;
  private final @Nullable TypeConversion rhs;
  private final @Nullable TypeConversion result;

  /**
   * Creates the conversions.
   *
   * @param from the type to which the operands are widened
   * @param to the type in which the result is computed
   * @param lhs the shape of the left operand
   * @param rhs the shape of the right operand
   * @param shape the shape of the result
   */
  public GemmOperands(
      AccumulatorType from,
      AccumulatorType to,
      Shape.Array lhs,
      Shape.Array rhs,
      Shape.Array shape) {
    this.from = from;
    this.to = to;
    this.shape = shape;
    this.lhs = TypeConversion.widening(lhs, from);
    this.rhs = TypeConversion.widening(rhs, from);
    this.result = TypeConversion.narrowing(shape, to);
  }

  /** {@return whether the result is computed in its own type, without conversion} */
  public boolean isDirect() {
    return ElementConverter.isSame(shape.elementType(), to);
  }

  public Literal run(
      Literal[] operands, KernelContext context, GemmAlgorithm by, Computation computation) {
    if (result == null) {
      return ElementConverter.narrowed(
          shape, to, context, wide -> run(operands, wide, context, by, computation));
    }
    int count = (int) shape.elementCount();
    Shape.Array wide = shape.withElementType(ElementType.F32);
    Object storage = MatrixCopies.of(to).allocate(count);
    run(operands, storage, context, by, computation);
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
      GemmAlgorithm by,
      Computation computation) {
    boolean left = !by.widensLeft();
    boolean right = !by.widensRight();
    Object a = left ? widened(lhs, operands[0], context) : operands[0].unsafeStorage();
    Object b = right ? widened(rhs, operands[1], context) : operands[1].unsafeStorage();
    computation.run(a, b, result);
    giveBack(left ? lhs : null, a);
    giveBack(right ? rhs : null, b);
  }

  private Object widened(
      @Nullable TypeConversion conversion, Literal operand, KernelContext context) {
    return conversion == null
        ? ElementConverter.widened(operand, from, context)
        : conversion.apply(operand, context);
  }

  private static void giveBack(@Nullable TypeConversion conversion, Object storage) {
    if (conversion != null) {
      conversion.giveBack(storage);
    }
  }
}
