package org.hlo4j.interpreter.compiled.whileloop;

import java.util.HashSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * The kernels of instructions on scalars, and of loops over scalars and small arrays. A {@code
 * call}, {@code fusion}, {@code conditional} or {@code while} becomes one generated method, with
 * all that it calls. Nothing is boxed between operands and result, and arrays are overwritten in
 * place. Elements are computed as {@link ElementFunctions} defines.
 */
public final class ScalarKernels {
  private static final String DIFFERENT_SUMMATION_ORDER =
      "calls that add floats in another order than kernels do";

  private ScalarKernels() {}

  /**
   * Returns the kernel of an instruction on scalars or of a loop. Declines if there is no code for
   * a part of it.
   *
   * @param observesNanBits whether the bits of NaNs are observable
   */
  public static KernelChoice kernel(HloInstruction instruction, boolean observesNanBits) {
    if (!ScalarCode.mayFit(instruction)) {
      return KernelChoice.decline("too much for one method");
    }
    KernelChoice first = first(instruction, observesNanBits, strategies(instruction));
    if (!VectorKernelCalls.mayBeProfitable(instruction)) {
      return first;
    }
    Supplier<KernelChoice> calling =
        () -> first(instruction, observesNanBits, vectorCallStrategies(instruction));
    if (first.kernel().isEmpty()) {
      return first.or(
          VectorKernelCalls.hasKernelSummationOrder(instruction)
              ? calling
              : () -> KernelChoice.decline(DIFFERENT_SUMMATION_ORDER));
    }
    return first.flatMap(kernel ->
        KernelChoice.of(
            new TieredLoop(
                instruction.shape(),
                kernel,
                () -> (ScalarKernel) calling.get().kernel().orElse(null))));
  }

  private static KernelChoice first(
      HloInstruction instruction, boolean observesNanBits, Stream<CodegenStrategy> strategies) {
    KernelChoice choice = KernelChoice.NONE;
    for (CodegenStrategy strategy : (Iterable<CodegenStrategy>) strategies::iterator) {
      choice = choice.or(() -> kernel(instruction, observesNanBits, strategy));
    }
    return choice;
  }

  /** Returns the strategies to try, those with the fastest programs first. */
  static Stream<CodegenStrategy> strategies(HloInstruction instruction) {
    if (!(instruction.op() instanceof While)) {
      return Stream.of(CodegenStrategy.SINGLE);
    }
    return withBranches(
        instruction,
        Stream.of(
            CodegenStrategy.SINGLE,
            CodegenStrategy.LOCALS,
            CodegenStrategy.LOOPS,
            CodegenStrategy.MEMORY));
  }

  /** Returns the strategies to try for loops that call vector code. */
  static Stream<CodegenStrategy> vectorCallStrategies(HloInstruction loop) {
    return withBranches(loop, Stream.of(CodegenStrategy.CALLS));
  }

  private static Stream<CodegenStrategy> withBranches(
      HloInstruction loop, Stream<CodegenStrategy> strategies) {
    return ScalarCode.withCalled(loop, new HashSet<>())
            .anyMatch(each -> each.op() instanceof Conditional)
        ? strategies.flatMap(strategy -> Stream.of(strategy, strategy.withBranchesCopied()))
        : strategies;
  }

  /** Returns the kernel that one strategy generates. */
  static KernelChoice kernel(
      HloInstruction instruction, boolean observesNanBits, CodegenStrategy strategy) {
    try {
      if (!strategy.hasLoops()) {
        requireScalarResult(instruction);
      }
      return KernelChoice.of(ProgramCode.kernel(instruction, strategy, observesNanBits));
    } catch (TooLargeException tooLarge) {
      return KernelChoice.decline("too long for one method");
    } catch (NoCodeException none) {
      return none.decline();
    }
  }

  /**
   * Requires scalar results of a fusion. Other kernels compute fusions with array results, unless
   * they are within a loop.
   */
  private static void requireScalarResult(HloInstruction instruction) {
    boolean isScalar = Operand.arrays(instruction.shape()).allMatch(Operand::isScalar);
    if (instruction.op() instanceof Fusion && !isScalar) {
      throw new NoCodeException("no scalar: " + instruction.shape());
    }
  }
}
