package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.passes.LoopState;
import org.hlo4j.interpreter.engine.Kernel;

/**
 * The code writer of one iteration of a {@code while}, as a method that is called repeatedly. The
 * method contains loops over the elements of arrays, and C2 compiles a method that is called better
 * than one that is entered within a loop (on-stack replacement).
 */
final class LoopIterationCode {
  // The slots of the parameters of LoopIteration.run.
  private static final int ARRAYS = 1;
  private static final int CONTEXT_SLOT = 2;

  private final HloInstruction loop;
  private final HloComputation body;
  private final CodeEmitter emitter;
  private final ScalarArrays arrays;
  private final CodeBuilder code;
  private final int index;
  private final List<Boolean> areChanged = new ArrayList<>();

  private LoopIterationCode(HloInstruction loop, CodeBuilder code) {
    this.loop = loop;
    this.body = loop.called().get(1);
    this.emitter = CodeEmitter.scalar(code);
    this.arrays = new ScalarArrays(emitter, ARRAYS, true);
    this.code = code;
    this.index = emitter.newLocal(TypeKind.INT);
  }

  /**
   * Returns the kernel of a loop. Throws {@link NoCodeException} if there is no code for a part of
   * it.
   */
  static Kernel kernel(HloInstruction loop, CodegenStrategy strategy, boolean observesNanBits) {
    LoopIterationKernel.Plan[] plan = new LoopIterationKernel.Plan[1];
    LoopIteration iteration =
        HiddenClasses.instance(
            LoopIteration.class,
            "Iteration_" + loop.name(),
            code -> plan[0] = new LoopIterationCode(loop, code).write(strategy, observesNanBits));
    return new LoopIterationKernel(loop.shape(), iteration, plan[0]);
  }

  private LoopIterationKernel.Plan write(CodegenStrategy strategy, boolean observesNanBits) {
    emitter.body(() -> {
      code.iconst_0().istore(index);
      LimitCheck check = new LimitCheck(emitter, CONTEXT_SLOT);
      ScalarCode all = new ScalarCode(emitter, arrays, strategy, observesNanBits, check::write);
      Operand state = state(all);
      Label end = code.newLabel();
      all.control().iteration(loop, state, end);
      store(all, state);
      code.iconst_1().ireturn();
      code.labelBinding(end).iconst_0().ireturn();
    });
    if (strategy.hasCalls() && !arrays.hasCalls()) {
      throw new NoCodeException("nothing to call");
    }
    return new LoopIterationKernel.Plan(
        ImmutableList.copyOf(areChanged), ImmutableList.copyOf(arrays.given()));
  }

  /** Returns the state at the start of the iteration, read from the arrays of the state. */
  private Operand state(ScalarCode all) {
    if (!(loop.shape() instanceof Shape.Tuple tuple)) {
      return item(all, loop.shape(), !LoopState.isInvariantElement(body, 0), 0);
    }
    ImmutableList.Builder<Operand> items = ImmutableList.builder();
    for (int i = 0; i < tuple.elements().size(); i++) {
      items.add(item(all, tuple.elements().get(i), !LoopState.isInvariantElement(body, i), i));
    }
    return new Operand.Tuple(items.build());
  }

  private Operand item(ScalarCode all, Shape shape, boolean isChanged, int number) {
    if (shape instanceof Shape.Tuple tuple) {
      return new Operand.Tuple(
          tuple.elements().stream()
              .map(each -> item(all, each, isChanged, number))
              .collect(ImmutableList.toImmutableList()));
    }
    areChanged.add(isChanged);
    Operand.Leaf leaf = arrays.operand(Operand.array(shape), index);
    return isChanged ? all.control().carriedValue(leaf, body, number) : leaf;
  }

  /** Writes code that stores local variables in the arrays that they were read from. */
  private void store(ScalarCode all, Operand state) {
    List<Operand.Leaf> leaves = state.leaves().toList();
    IntStream.range(0, leaves.size())
        .filter(areChanged::get)
        .forEach(i -> store(all, leaves.get(i), i));
  }

  private void store(ScalarCode all, Operand.Leaf leaf, int number) {
    switch (leaf) {
      case Operand.Scalar scalar ->
          emitter.store(scalar.type(), arrays.local(number), index, scalar.value());
      case Operand.InLocals elements ->
          all.arrays()
              .store(elements, new Operand.InMemory(elements.shape(), arrays.local(number), 0));
      case Operand.InMemory _, Operand.Deferred _ -> {}
    }
  }
}
