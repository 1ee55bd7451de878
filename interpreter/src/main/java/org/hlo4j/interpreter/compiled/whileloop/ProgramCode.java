package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.JavaArrays;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.passes.LoopState;
import org.hlo4j.interpreter.compiled.whileloop.ScalarKernel.ResultStorage;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Pieces;

/**
 * The code writer of a kernel's method: one that computes an instruction with all that it calls, or
 * one iteration of a {@code while}, called repeatedly. The latter contains loops over the elements
 * of arrays, and C2 compiles a method that is called better than one that is entered within a loop
 * (on-stack replacement).
 */
final class ProgramCode {
  // The slots of the parameters of ScalarProgram.run and LoopIteration.run.
  private static final int ARRAYS = 1;
  private static final int RESULTS = 2;
  private static final int CONTEXT_OF_PROGRAM = 3;
  private static final int CONTEXT_OF_ITERATION = 2;

  /**
   * The elements that an iteration counts as, so that the first pieces have few: it is longer than
   * one of scalar code, and takes a tenth of a millisecond if there are calls.
   */
  private static final int ELEMENTS = 1 << 6;

  private final HloInstruction instruction;
  private final CodeEmitter emitter;
  private final ScalarArrays arrays;
  private final CodeBuilder code;
  private final int index;
  private final List<ResultStorage> resultStorages = new ArrayList<>();
  private final Set<Integer> returnedLocals = new HashSet<>();

  private ProgramCode(HloInstruction instruction, CodeBuilder code, boolean isCalledAgain) {
    this.instruction = instruction;
    this.emitter = CodeEmitter.scalar(code);
    this.arrays = new ScalarArrays(emitter, ARRAYS, isCalledAgain);
    this.code = code;
    this.index = emitter.newLocal(TypeKind.INT);
  }

  /**
   * Returns the kernel of an instruction. Throws {@link NoCodeException} if there is no code for a
   * part of it.
   */
  static Kernel kernel(
      HloInstruction instruction, CodegenStrategy strategy, boolean observesNanBits) {
    ScalarKernel.Plan[] plan = new ScalarKernel.Plan[1];
    Consumer<CodeBuilder> writing =
        code ->
            plan[0] =
                new ProgramCode(instruction, code, strategy.hasLoops())
                    .write(strategy, observesNanBits);
    if (!strategy.hasLoops()) {
      ScalarProgram program =
          HiddenClasses.instance(ScalarProgram.class, "Scalars_" + instruction.name(), writing);
      return new ScalarKernel(instruction.shape(), program, plan[0], "generated method on scalars");
    }
    LoopIteration iteration =
        HiddenClasses.instance(LoopIteration.class, "Iteration_" + instruction.name(), writing);
    ScalarProgram program = (arrays, _, context) -> run(iteration, arrays, context);
    return new ScalarKernel(
        instruction.shape(), program, plan[0], "generated method for each iteration");
  }

  private static void run(LoopIteration iteration, Object[] arrays, KernelContext context) {
    Pieces pieces = new Pieces();
    int iterations = 0;
    while (iteration.run(arrays, context)) {
      iterations++;
      if (pieces.next(ELEMENTS)) {
        context.afterIterations(iterations);
        iterations = 0;
      }
    }
  }

  private ScalarKernel.Plan write(CodegenStrategy strategy, boolean observesNanBits) {
    int contextSlot = strategy.hasLoops() ? CONTEXT_OF_ITERATION : CONTEXT_OF_PROGRAM;
    emitter.body(() -> {
      code.iconst_0().istore(index);
      LimitCheck check = new LimitCheck(emitter, contextSlot);
      ScalarCode all = new ScalarCode(emitter, arrays, strategy, observesNanBits, check::write);
      if (strategy.hasLoops()) {
        writeIteration(all);
      } else {
        writeProgram(all);
      }
    });
    if (strategy.hasCalls() && !arrays.hasCalls()) {
      throw new NoCodeException("nothing to call");
    }
    Set<Integer> copied = new TreeSet<>(arrays.copied());
    resultStorages.forEach(place -> {
      if (place instanceof ResultStorage.Copy copy) {
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
        : arrays.operand(Operand.array(shape), index);
  }

  // ---- programs

  private void writeProgram(ScalarCode all) {
    List<Operand> operands =
        instruction.operands().stream().map(each -> operand(each.shape())).toList();
    all.write(instruction, operands, false)
        .leaves()
        .forEach(leaf -> resultStorages.add(result(leaf, all.arrays())));
    code.return_();
  }

  /** Writes code that stores the next array of the result, and returns where that is. */
  private ResultStorage result(Operand.Leaf leaf, ArrayCode all) {
    return switch (leaf) {
      case Operand.Scalar scalar -> {
        int array = emitter.array(RESULTS, resultStorages.size(), scalar.type());
        emitter.store(scalar.type(), array, index, scalar.value());
        yield new ResultStorage.KernelAllocated();
      }
      case Operand.InMemory buffer -> result(arrays.requireCurrent(buffer));
      case Operand.InLocals elements -> stored(elements.shape(), elements, all);
      case Operand.Deferred deferred -> stored(deferred.shape(), deferred, all);
    };
  }

  private ResultStorage stored(Shape.Array shape, Operand.Leaf leaf, ArrayCode all) {
    int array = emitter.array(RESULTS, resultStorages.size(), shape.elementType());
    all.store(leaf, new Operand.InMemory(shape, array, 0));
    return new ResultStorage.KernelAllocated();
  }

  private ResultStorage result(Operand.InMemory buffer) {
    OptionalInt operand = arrays.operand(buffer);
    if (operand.isPresent() && !arrays.isOwned(buffer)) {
      return new ResultStorage.Forwarded(operand.getAsInt());
    }
    if (operand.isPresent() && returnedLocals.add(buffer.local())) {
      return new ResultStorage.Copy(operand.getAsInt());
    }
    int result = emitter.array(RESULTS, resultStorages.size(), buffer.shape().elementType());
    JavaArrays.copy(emitter, buffer.local(), result, (int) buffer.shape().elementCount());
    return new ResultStorage.KernelAllocated();
  }

  // ---- iterations

  private void writeIteration(ScalarCode all) {
    HloComputation body = instruction.called().get(1);
    Operand given = operand(instruction.shape());
    List<Operand> parts = given instanceof Operand.Tuple tuple ? tuple.items() : List.of(given);
    ImmutableList.Builder<Operand> carried = ImmutableList.builder();
    for (int i = 0; i < parts.size(); i++) {
      carried.add(carried(parts.get(i), body, i, all.control()));
    }
    Operand state =
        given instanceof Operand.Tuple
            ? new Operand.Tuple(carried.build())
            : carried.build().get(0);
    Label end = code.newLabel();
    all.control().iteration(instruction, state, end);
    List<Operand.Leaf> leaves = state.leaves().toList();
    for (int i = 0; i < leaves.size(); i++) {
      if (resultStorages.get(i) instanceof ResultStorage.Copy) {
        store(leaves.get(i), arrays.local(i), all.arrays());
      }
    }
    code.iconst_1().ireturn();
    code.labelBinding(end).iconst_0().ireturn();
  }

  /** Returns a part of the state at the start of an iteration. What changes is copied before. */
  private Operand carried(Operand item, HloComputation body, int number, ControlCode control) {
    boolean isChanged = !LoopState.isInvariantElement(body, number);
    return item.map(leaf -> {
      int array = resultStorages.size();
      resultStorages.add(
          isChanged ? new ResultStorage.Copy(array) : new ResultStorage.Forwarded(array));
      return isChanged ? control.carriedValue(leaf, body, number) : leaf;
    });
  }

  /** Writes code that stores local variables in the array that they were read from. */
  private void store(Operand.Leaf leaf, int array, ArrayCode all) {
    switch (leaf) {
      case Operand.Scalar scalar -> emitter.store(scalar.type(), array, index, scalar.value());
      case Operand.InLocals elements ->
          all.store(elements, new Operand.InMemory(elements.shape(), array, 0));
      case Operand.InMemory _, Operand.Deferred _ -> {}
    }
  }
}
