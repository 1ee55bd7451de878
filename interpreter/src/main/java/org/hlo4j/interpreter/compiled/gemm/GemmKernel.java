package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.KeptForms;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * The kernel of a dot or convolution of real types: it widens the operands if necessary, multiplies
 * them and narrows the result. It can run an epilogue on its result.
 *
 * @param resultType the type in which the result is computed
 * @param shape the shape of the result
 * @param lhs widens the left operand; null if it is not necessary
 * @param rhs widens the right operand; null if it is not necessary
 * @param result narrows the result; null if it is not necessary
 * @param algorithm multiplies the operands
 */
public record GemmKernel(
    AccumulatorType resultType,
    Shape.Array shape,
    @Nullable TypeConversion lhs,
    @Nullable TypeConversion rhs,
    @Nullable TypeConversion result,
    GemmAlgorithm algorithm)
    implements Kernel {
  /**
   * {@return a kernel}
   *
   * @param operandType the type to which the operands are widened
   * @param resultType the type in which the result is computed
   * @param lhs the shape of the left operand
   * @param rhs the shape of the right operand
   * @param shape the shape of the result
   * @param algorithm multiplies the operands
   */
  public static GemmKernel of(
      AccumulatorType operandType,
      AccumulatorType resultType,
      Shape.Array lhs,
      Shape.Array rhs,
      Shape.Array shape,
      GemmAlgorithm algorithm) {
    @Nullable TypeConversion result =
        resultType.isStorageOf(shape.elementType())
            ? null
            : TypeConversion.of(shape.withElementType(resultType.type()), shape.elementType());
    return new GemmKernel(
        resultType,
        shape,
        widening(lhs, operandType),
        widening(rhs, operandType),
        result,
        algorithm);
  }

  private static @Nullable TypeConversion widening(Shape.Array from, AccumulatorType type) {
    return type.isStorageOf(from.elementType()) ? null : TypeConversion.of(from, type.type());
  }

  @Override
  public void warmUp() {
    boolean _ = algorithm.isReady();
  }

  @Override
  public GemmKernel withFixedOperand(int operand, KeptForms forms) {
    KeptForms widened = rhs == null ? forms : forms.converted("widened");
    GemmAlgorithm fixed = operand == 1 ? algorithm.withFixedRight(widened) : algorithm;
    return fixed == algorithm ? this : new GemmKernel(resultType, shape, lhs, rhs, result, fixed);
  }

  @Override
  public boolean readsOperand(int operand) {
    return operand != 1 || algorithm.packedRight() == null;
  }

  /**
   * {@return whether an epilogue is possible: the kernel computes whole elements of the result
   * type, in rows of the last dimension}
   */
  public boolean supportsEpilogue() {
    int rank = shape.rank();
    return result == null
        && algorithm.hasContiguousRows()
        && rank > 0
        && shape.size(rank - 1) == algorithm.columns();
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    if (result == null) {
      Object storage = context.allocate(shape);
      run(operands, storage, context, Epilogue.NONE);
      return Literal.unsafeOf(shape, storage);
    }
    Shape.Array wide = shape.withElementType(resultType.type());
    Object storage = context.borrow(wide, "a result before it is narrowed");
    run(operands, storage, context, Epilogue.NONE);
    Literal narrow = result.result(wide, storage, context);
    context.giveBack(wide, storage);
    return narrow;
  }

  /**
   * Stores all elements of a result that needs no conversion, and runs an epilogue, which requires
   * {@link #supportsEpilogue}. Operands that the algorithm widens itself are not converted.
   */
  public void run(Literal[] operands, Object result, KernelContext context, Epilogue epilogue) {
    @Nullable TypeConversion left = algorithm.widensLeft() ? null : lhs;
    boolean readsRight = algorithm.packedRight() == null;
    @Nullable TypeConversion right = algorithm.widensRight() || !readsRight ? null : rhs;
    Object a = left == null ? storage(operands[0]) : left.apply(operands[0], context);
    Object b = right == null ? storage(operands[1]) : right.apply(operands[1], context);
    algorithm.run(a, b, result, context, epilogue);
    if (left != null) {
      left.release(a, context);
    }
    if (right != null) {
      right.release(b, context);
    }
  }

  /** {@return the storage of an operand, or the operand itself if it has none and is not read} */
  public static Object storage(Literal operand) {
    return operand.isElided() ? operand : operand.unsafeStorage();
  }

  @Override
  public String describe() {
    return algorithm.toString();
  }
}
