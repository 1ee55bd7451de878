package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/** The operands of a product as its carrier has them, and its result as its own type has it. */
public final class GemmOperands {
  /** Stores all elements of the result. */
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

  /** For operands of one type, and a result of another. */
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

  /** Whether the result is stored as the carrier has it. */
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

  /** For a result that is direct; what the multiplication widens itself is left as it is. */
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
