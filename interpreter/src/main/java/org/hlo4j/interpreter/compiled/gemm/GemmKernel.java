package org.hlo4j.interpreter.compiled.gemm;

import java.util.List;
import java.util.function.Function;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.KeptForms;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
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
   * {@return the kernel of a dot or convolution, if there is an accumulator type for it}
   *
   * @param instruction the dot or convolution
   * @param products the products that together fill the result, for an accumulator type
   * @param factory creates the algorithm that computes products
   */
  public static KernelChoice choice(
      HloInstruction instruction,
      Function<AccumulatorType, ? extends List<GemmConfig>> products,
      Function<List<GemmConfig>, GemmAlgorithm> factory) {
    Shape.Array lhs = (Shape.Array) instruction.operands().get(0).shape();
    Shape.Array rhs = (Shape.Array) instruction.operands().get(1).shape();
    Shape.Array shape = ((Shape.Array) instruction.shape()).withLayout(null);
    ElementType left = lhs.elementType();
    ElementType right = rhs.elementType();
    ElementType result = shape.elementType();
    return KernelChoice.of(
        DotKernels.accumulatorType(left, right, result)
            .map(type -> {
              List<GemmConfig> configs = products.apply(type);
              boolean isViaF32 = Int8ViaF32Gemm.fits(type, left, right, configs);
              AccumulatorType operandType = isViaF32 ? AccumulatorType.F32 : type;
              return new GemmKernel(
                  type,
                  shape,
                  widening(lhs, operandType),
                  widening(rhs, operandType),
                  type.isStorageOf(result)
                      ? null
                      : TypeConversion.of(shape.withElementType(type.type()), result),
                  isViaF32
                      ? Int8ViaF32Gemm.of(left, right, products.apply(operandType), factory)
                      : factory.apply(configs));
            }),
        left + " x " + right + ": no accumulator type for " + result);
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
        && rank > 0
        && algorithm.rowLength() > 0
        && shape.size(rank - 1) == algorithm.rowLength();
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
