package org.hlo4j.interpreter.compiled.dots;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/** The operands of a product as its carrier has them, and its result as its own type has it. */
final class Operands {
  /** Stores all elements of the result. */
  @FunctionalInterface
  interface Computation {
    void run(Object lhs, Object rhs, Object result);
  }

  private final Carrier from;
  private final Carrier to;
  private final Shape.Array shape;
  private final @Nullable Conversion lhs;
  private final @Nullable Conversion rhs;
  private final @Nullable Conversion result;

  /** For operands of one type, and a result of another. */
  Operands(Carrier from, Carrier to, Shape.Array lhs, Shape.Array rhs, Shape.Array shape) {
    this.from = from;
    this.to = to;
    this.shape = shape;
    this.lhs = Conversion.widening(lhs, from);
    this.rhs = Conversion.widening(rhs, from);
    this.result = Conversion.narrowing(shape, to);
  }

  /** Whether the result is stored as the carrier has it. */
  boolean isDirect() {
    return Converter.isSame(shape.elementType(), to);
  }

  Literal run(
      Literal[] operands, KernelContext context, Multiplication by, Computation computation) {
    if (result == null) {
      return Converter.narrowed(
          shape, to, context, wide -> run(operands, wide, context, by, computation));
    }
    int count = (int) shape.elementCount();
    Shape.Array wide = shape.withElementType(ElementType.F32);
    Object storage = Movement.of(to).allocate(count);
    run(operands, storage, context, by, computation);
    return result.result(wide, storage, context);
  }

  /** For a result that is direct; what the multiplication widens itself is left as it is. */
  void run(
      Literal[] operands,
      Object result,
      KernelContext context,
      Multiplication by,
      Computation computation) {
    boolean left = !by.widensLeft();
    boolean right = !by.widensRight();
    Object a = left ? widened(lhs, operands[0], context) : operands[0].unsafeStorage();
    Object b = right ? widened(rhs, operands[1], context) : operands[1].unsafeStorage();
    computation.run(a, b, result);
    giveBack(left ? lhs : null, a);
    giveBack(right ? rhs : null, b);
  }

  private Object widened(@Nullable Conversion conversion, Literal operand, KernelContext context) {
    return conversion == null
        ? Converter.widened(operand, from, context)
        : conversion.apply(operand, context);
  }

  private static void giveBack(@Nullable Conversion conversion, Object storage) {
    if (conversion != null) {
      conversion.giveBack(storage);
    }
  }
}
