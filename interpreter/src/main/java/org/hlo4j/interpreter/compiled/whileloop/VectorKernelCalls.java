package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.compiled.arrays.ArrayKernel;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.gemm.DotKernels;
import org.hlo4j.interpreter.compiled.loops.Loops;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Trait;

/**
 * Calls of kernels that compute whole arrays in vector code, for instructions that take longer,
 * element by element, than a call does. The kernels are separate methods, since C2 vectorizes code
 * that was warmed up, but not the body of an iteration that happens to contain it.
 */
final class VectorKernelCalls {
  /** The number of operations that take as long as a call. */
  private static final long MIN_OPERATIONS = 200;

  /**
   * The minimum number of operations of a function that is called. C2 vectorizes cheaper ones in
   * place.
   */
  private static final int MIN_OPERATIONS_PER_ELEMENT = 10;

  /**
   * The maximum number of operations of the calls in one iteration of a loop. Above it, threads may
   * share the work of a kernel.
   */
  private static final long MAX_OPERATIONS = 300_000;

  private final ScalarArrays arrays;
  private final ArrayCode code;
  private final CodegenStrategy strategy;
  private final boolean observesNanBits;
  private long called;

  VectorKernelCalls(
      ScalarArrays arrays, ArrayCode code, CodegenStrategy strategy, boolean observesNanBits) {
    this.arrays = arrays;
    this.code = code;
    this.strategy = strategy;
    this.observesNanBits = observesNanBits;
  }

  /** Returns whether calls may pay off in a loop. */
  static boolean mayBeProfitable(HloInstruction instruction) {
    return instruction.op() instanceof While
        && Machine.isVectorApiOn()
        && ScalarCode.withCalled(instruction, new HashSet<>())
            .anyMatch(each -> operations(each) >= MIN_OPERATIONS);
  }

  /**
   * Returns whether a loop with calls computes the same bits as kernels, which add floats in an
   * order of their own. The kernels run the loop where vectors are not available.
   */
  static boolean hasKernelSummationOrder(HloInstruction loop) {
    return ScalarCode.withCalled(loop, new HashSet<>())
        .allMatch(
            each -> each.op() instanceof Dot || !OpTraits.of(each.op()).has(Trait.REASSOCIATES));
  }

  /** Returns the value of an instruction, if a call pays off. */
  Optional<Operand> write(HloInstruction instruction, List<Operand> operands) {
    long operations = operations(instruction);
    boolean isFaster =
        strategy.hasCalls() && Machine.isVectorApiOn() && operations >= MIN_OPERATIONS;
    return !isFaster && !isOnlyCalled(instruction)
        ? Optional.empty()
        : kernel(instruction, operands)
            .map(kernel -> write(kernel, instruction, operands, operations));
  }

  private Optional<ArrayKernel> kernel(HloInstruction instruction, List<Operand> operands) {
    if (instruction.op() instanceof Dot) {
      Shape.Array shape = Operand.array(instruction.shape());
      boolean isQuiet = observesNanBits && shape.elementType().isFloating();
      return isQuiet
          ? Optional.empty()
          : DotKernels.call(
              instruction, arrays.isFixed(operands.get(0)), arrays.isFixed(operands.get(1)));
    }
    return Loops.shortLoop(instruction, observesNanBits);
  }

  /** Returns whether a product is added in another order than that of k: only calls do that. */
  private boolean isOnlyCalled(HloInstruction product) {
    return strategy.hasLoops()
        && product.op() instanceof Dot
        && operations(product) > 0
        && !DotKernels.addsInOrder(product);
  }

  // ---- costs

  /**
   * Returns the approximate number of operations of an instruction, or 0 if vectors are no better.
   */
  private static long operations(HloInstruction instruction) {
    if (instruction.op() instanceof Fusion) {
      return fusionOperations(instruction);
    }
    return instruction.op() instanceof Dot dot && hasArrays(instruction)
        ? dotOperations(dot, instruction)
        : operationsPerElement(instruction) >= MIN_OPERATIONS_PER_ELEMENT
            ? elementwiseOperations(instruction)
            : 0;
  }

  /**
   * Returns whether the operands and the result of an instruction are arrays whose elements fit in
   * lanes.
   */
  private static boolean hasArrays(HloInstruction instruction) {
    return Stream.concat(Stream.of(instruction), instruction.operands().stream())
        .map(HloInstruction::shape)
        .allMatch(shape ->
            shape instanceof Shape.Array array
                && !array.isDynamic()
                && !array.elementType().isComplex());
  }

  private static long dotOperations(Dot dot, HloInstruction instruction) {
    List<Shape.Array> shapes = Operand.operandShapes(instruction);
    Shape.Array shape = Operand.array(instruction.shape());
    ElementType type = shape.elementType();
    boolean isPlain =
        shapes.stream().allMatch(each -> each.elementType() == type) && type.bits() >= Integer.SIZE;
    return isPlain
        ? shape.elementCount() * shapes.get(0).sizes().at(dot.lhsContractingDims()).product()
        : 0;
  }

  private static long fusionOperations(HloInstruction fusion) {
    List<HloInstruction> all = fusion.called().get(0).instructions();
    boolean isDear =
        all.stream().anyMatch(each -> operationsPerElement(each) >= MIN_OPERATIONS_PER_ELEMENT);
    return isDear ? all.stream().mapToLong(VectorKernelCalls::elementwiseOperations).sum() : 0;
  }

  private static long elementwiseOperations(HloInstruction instruction) {
    return operationsPerElement(instruction) == 0
        ? 0
        : operationsPerElement(instruction) * Operand.array(instruction.shape()).elementCount();
  }

  /**
   * Returns the number of operations for one element, or 0 if the instruction only moves elements.
   */
  private static int operationsPerElement(HloInstruction instruction) {
    boolean isComputed =
        instruction.op() instanceof Elementwise
            || instruction.op() instanceof Clamp
            || instruction.op() instanceof Convert;
    if (!isComputed || !hasArrays(instruction)) {
      return 0;
    }
    List<ElementType> types =
        Operand.operandShapes(instruction).stream().map(Shape.Array::elementType).toList();
    ElementFunctions.Traits traits =
        ElementFunctions.traits(
            instruction.op(), types, Operand.array(instruction.shape()).elementType());
    return traits.isVectorizable() ? traits.operations() : 0;
  }

  // ---- the code of a call

  private Operand write(
      ArrayKernel kernel, HloInstruction instruction, List<Operand> operands, long operations) {
    called += operations;
    if (called > MAX_OPERATIONS) {
      throw new NoCodeException("better done by kernels that share their work");
    }
    List<Operand.InMemory> read =
        operands.stream().map(operand -> inMemory(operand.leaf())).toList();
    List<Operand.InMemory> results =
        Operand.arrays(instruction.shape()).map(this::allocateResult).toList();
    arrays.call(kernel, read, results);
    return instruction.shape() instanceof Shape.Tuple
        ? new Operand.Tuple(ImmutableList.copyOf(results))
        : results.get(0);
  }

  private Operand.InMemory allocateResult(Shape.Array shape) {
    code.requireFits(shape);
    return arrays.workspace(shape);
  }

  private Operand.InMemory inMemory(Operand.Leaf leaf) {
    if (!(leaf instanceof Operand.Scalar scalar)) {
      return code.inMemory(leaf);
    }
    Operand.InMemory buffer = arrays.workspace(Shape.of(scalar.type()));
    code.store(scalar.value(), buffer, ImmutableList.of());
    return buffer;
  }
}
