package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.JavaArrays;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * The kernels of instructions on scalars, and of loops over scalars and small arrays. A {@code
 * call}, {@code fusion}, {@code conditional} or {@code while} becomes one generated method, with
 * all that it calls. Nothing is boxed between operands and result, and arrays are overwritten in
 * place. Elements are computed as {@link ElementFunctions} defines.
 */
public final class ScalarKernels {
  // The slots of the parameters of ScalarProgram.run.
  private static final int ARRAYS = 1;
  private static final int RESULTS = 2;
  private static final int CONTEXT_SLOT = 3;

  private static final String DIFFERENT_SUMMATION_ORDER =
      "calls that add floats in another order than kernels do";

  private final HloInstruction instruction;
  private final CodeEmitter emitter;
  private final ScalarArrays arrays;
  private final CodeBuilder code;
  private final int index;
  private final List<ScalarKernel.ResultStorage> resultStorages = new ArrayList<>();
  private final Set<Integer> returnedLocals = new HashSet<>();

  private ScalarKernels(HloInstruction instruction, CodeBuilder code) {
    this.instruction = instruction;
    this.emitter = CodeEmitter.scalar(code);
    this.arrays = new ScalarArrays(emitter, ARRAYS, false);
    this.code = code;
    this.index = emitter.newLocal(TypeKind.INT);
  }

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
                () -> (LoopIterationKernel) calling.get().kernel().orElse(null))));
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
      return KernelChoice.of(written(instruction, observesNanBits, strategy));
    } catch (TooLargeException tooLarge) {
      return KernelChoice.decline("too long for one method");
    } catch (NoCodeException none) {
      return none.decline();
    }
  }

  private static Kernel written(
      HloInstruction instruction, boolean observesNanBits, CodegenStrategy strategy) {
    return strategy.hasLoops()
        ? LoopIterationCode.kernel(instruction, strategy, observesNanBits)
        : program(instruction, strategy, observesNanBits);
  }

  private static Kernel program(
      HloInstruction instruction, CodegenStrategy strategy, boolean observesNanBits) {
    requireScalarResult(instruction);
    ScalarKernel.Plan[] plan = new ScalarKernel.Plan[1];
    ScalarProgram program =
        HiddenClasses.instance(
            ScalarProgram.class,
            "Scalars_" + instruction.name(),
            code ->
                plan[0] = new ScalarKernels(instruction, code).write(strategy, observesNanBits));
    return new ScalarKernel(instruction.shape(), program, plan[0]);
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

  private ScalarKernel.Plan write(CodegenStrategy strategy, boolean observesNanBits) {
    emitter.body(() -> {
      code.iconst_0().istore(index);
      LimitCheck check = new LimitCheck(emitter, CONTEXT_SLOT);
      List<Operand> operands =
          instruction.operands().stream().map(each -> operand(each.shape())).toList();
      ScalarCode written = new ScalarCode(emitter, arrays, strategy, observesNanBits, check::write);
      written
          .write(instruction, operands, false)
          .leaves()
          .forEach(leaf -> resultStorages.add(result(leaf, written.arrays())));
      code.return_();
    });
    Set<Integer> copied = new TreeSet<>(arrays.copied());
    resultStorages.forEach(place -> {
      if (place instanceof ScalarKernel.ResultStorage.Copy copy) {
        copied.remove(copy.operand());
      }
    });
    return new ScalarKernel.Plan(
        ImmutableList.copyOf(arrays.given()),
        ImmutableList.copyOf(copied),
        ImmutableList.copyOf(resultStorages));
  }

  private Operand operand(Shape shape) {
    return shape instanceof Shape.Tuple tuple
        ? new Operand.Tuple(
            tuple.elements().stream().map(this::operand).collect(ImmutableList.toImmutableList()))
        : arrays.operand(Operand.arrays(shape).findFirst().orElseThrow(), index);
  }

  /** Writes code that stores the next array of the result, and returns where that is. */
  private ScalarKernel.ResultStorage result(Operand.Leaf leaf, ArrayCode all) {
    return switch (leaf) {
      case Operand.Scalar scalar -> {
        int array = emitter.array(RESULTS, resultStorages.size(), scalar.type());
        emitter.store(scalar.type(), array, index, scalar.value());
        yield new ScalarKernel.ResultStorage.KernelAllocated();
      }
      case Operand.InMemory buffer -> result(arrays.requireCurrent(buffer));
      case Operand.InLocals elements -> stored(elements.shape(), elements, all);
      case Operand.Deferred deferred -> stored(deferred.shape(), deferred, all);
    };
  }

  private ScalarKernel.ResultStorage stored(Shape.Array shape, Operand.Leaf leaf, ArrayCode all) {
    int array = emitter.array(RESULTS, resultStorages.size(), shape.elementType());
    all.store(leaf, new Operand.InMemory(shape, array, 0));
    return new ScalarKernel.ResultStorage.KernelAllocated();
  }

  private ScalarKernel.ResultStorage result(Operand.InMemory buffer) {
    OptionalInt operand = arrays.operand(buffer);
    if (operand.isPresent() && !arrays.isOwned(buffer)) {
      return new ScalarKernel.ResultStorage.Forwarded(operand.getAsInt());
    }
    if (operand.isPresent() && returnedLocals.add(buffer.local())) {
      return new ScalarKernel.ResultStorage.Copy(operand.getAsInt());
    }
    int result = emitter.array(RESULTS, resultStorages.size(), buffer.shape().elementType());
    JavaArrays.copy(emitter, buffer.local(), result, (int) buffer.shape().elementCount());
    return new ScalarKernel.ResultStorage.KernelAllocated();
  }
}
