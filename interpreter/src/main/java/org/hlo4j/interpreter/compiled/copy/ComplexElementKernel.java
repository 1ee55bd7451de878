package org.hlo4j.interpreter.compiled.copy;

import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.arrays.Doubles;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.math.ScalarFunction;

/**
 * A kernel of an element-wise op on complex numbers that is not lowered to their parts: {@code
 * result[i] = f(lhs[i], rhs[i])}, computed in double and rounded once. Threads share the elements.
 */
public final class ComplexElementKernel implements Kernel {
  private static final int CHUNK = 1 << 13;

  private final String opcode;
  private final List<Shape.Array> operands;
  private final Shape.Array shape;
  private final ScalarFunction function;

  private ComplexElementKernel(Elementwise op, List<Shape.Array> operands, Shape.Array shape) {
    this.opcode = op.opcode();
    this.operands = operands;
    this.shape = shape;
    this.function = ScalarFunction.of(op.kind());
  }

  /** Returns the kernel of an op; there is none if it has no complex numbers. */
  public static KernelChoice of(Elementwise op, List<Shape.Array> operands, Shape.Array shape) {
    return shape.elementType().isComplex() || operands.get(0).elementType().isComplex()
        ? KernelChoice.of(new ComplexElementKernel(op, operands, shape))
        : KernelChoice.NONE;
  }

  @Override
  public Literal run(Literal[] literals, KernelContext context) {
    Object[] from = Arrays.stream(literals).map(Literal::unsafeStorage).toArray();
    Object to = context.allocate(shape);
    int count = (int) shape.elementCount();
    Parallel.forRange(context, count, CHUNK, (first, end) -> chunk(from, to, first, end));
    return Literal.unsafeOf(shape, to);
  }

  private void chunk(Object[] from, Object to, int first, int end) {
    ElementType type = operands.get(0).elementType();
    ElementType result = shape.elementType();
    for (int i = first; i < end; i++) {
      Complex lhs = read(type, from[0], i);
      Complex rhs = from.length > 1 ? read(type, from[1], i) : lhs;
      Complex value = function.onComplex(lhs, rhs);
      if (result.isComplex()) {
        Doubles.write(result.componentType(), to, 2 * i, value.re());
        Doubles.write(result.componentType(), to, 2 * i + 1, value.im());
      } else {
        Doubles.write(result, to, i, value.re());
      }
    }
  }

  private static Complex read(ElementType type, Object from, int i) {
    ElementType part = type.componentType();
    return type.isComplex()
        ? new Complex(Doubles.read(part, from, 2 * i), Doubles.read(part, from, 2 * i + 1))
        : new Complex(Doubles.read(part, from, i), 0);
  }

  @Override
  public boolean canReuseOperandBuffer(int operand) {
    return operands.get(operand).equals(shape);
  }

  @Override
  public String describe() {
    return opcode + " of " + shape + " in double";
  }
}
