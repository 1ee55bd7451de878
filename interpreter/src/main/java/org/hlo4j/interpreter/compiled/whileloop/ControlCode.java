package org.hlo4j.interpreter.compiled.whileloop;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.lang.classfile.Label;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.passes.LoopState;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Trait;

/**
 * The code writer of loops and branches. A {@code while} becomes a loop in Java bytecode, whose
 * state is in local variables and in arrays that are overwritten.
 */
final class ControlCode {
  private final CodeEmitter emitter;
  private final ScalarArrays arrays;
  private final ArrayCode code;
  private final CodegenStrategy strategy;
  private final ScalarCode instructions;
  private final InPlaceUpdates updates;
  private final Assignments assignments;
  private final LongConsumer inEachIteration;
  private final Map<HloComputation, ImmutableSet<Integer>> indexed = new HashMap<>();
  private int nestedLoops;

  /**
   * Creates a writer.
   *
   * @param instructions writes called computations
   * @param inEachIteration writes additional code into each iteration of a loop, which takes about
   *     so many operations
   */
  ControlCode(
      CodeEmitter emitter,
      ScalarArrays arrays,
      ArrayCode code,
      CodegenStrategy strategy,
      ScalarCode instructions,
      InPlaceUpdates updates,
      LongConsumer inEachIteration) {
    this.emitter = emitter;
    this.arrays = arrays;
    this.code = code;
    this.strategy = strategy;
    this.instructions = instructions;
    this.updates = updates;
    this.assignments = new Assignments(emitter, arrays, code, strategy, updates);
    this.inEachIteration = inEachIteration;
  }

  /** Returns whether the code that is being written runs only once. */
  boolean isOnce() {
    return nestedLoops == 0;
  }

  // ---- loops

  Operand loop(HloInstruction instruction, Operand initial) {
    HloComputation body = instruction.called().get(1);
    Operand state = variables(initial, body);
    int mark = emitter.mark();
    Label end = emitter.code().newLabel();
    Label next = emitter.code().newBoundLabel();
    long before = code.allOperations();
    iteration(instruction, state, end);
    inEachIteration.accept(code.allOperations() - before);
    emitter.code().goto_(next).labelBinding(end);
    emitter.release(mark);
    return currentVersions(state);
  }

  /**
   * Writes an iteration of a loop, which sets the state, or jumps to {@code end} if the condition
   * is false.
   */
  void iteration(HloInstruction loop, Operand state, Label end) {
    nestedLoops++;
    updates.inLoop(() -> {
      Operand condition = instructions.writeCondition(loop.called().get(0), state);
      emitter.code().iload(local(condition)).ifeq(end);
      assignments.write(state, instructions.write(loop.called().get(1), ImmutableList.of(state)));
    });
    nestedLoops--;
  }

  /**
   * Returns the initial value of a part of the state that changes, in an iteration that is a
   * separate method.
   */
  Operand.Leaf carriedValue(Operand.Leaf leaf, HloComputation body, int index) {
    return leaf instanceof Operand.InMemory buffer
            && !isInLocals(buffer.shape(), isIndexed(body, index))
        ? arrays.markOwned(buffer)
        : variable(leaf, false, new HashSet<>());
  }

  private boolean isInLocals(Shape.Array shape, boolean isIndexed) {
    return !isIndexed && strategy.hasArrays() && code.isInLocals(shape);
  }

  private static int local(Operand item) {
    return item.scalar().value().local();
  }

  /**
   * Returns the state at the start of a loop. Parts that are passed unchanged from iteration to
   * iteration need not be writable.
   */
  private Operand variables(Operand initial, HloComputation body) {
    HloInstruction next = body.root();
    if (next.op() instanceof Parameter) {
      return initial;
    }
    initial.leaves().forEach(arrays::requireUnchanged);
    Set<Integer> taken = new HashSet<>();
    if (!(initial instanceof Operand.Tuple tuple && next.op() instanceof Tuple)) {
      return initial.map(leaf -> variable(leaf, false, taken));
    }
    List<Operand> items = new ArrayList<>(tuple.items());
    for (int i = 0; i < items.size(); i++) {
      if (LoopState.isInvariantElement(body, i)) {
        items.set(i, items.get(i).map(this::materialize));
        items.get(i).leaves().forEach(leaf -> taken.addAll(leaf.reads()));
      }
    }
    for (int i = 0; i < items.size(); i++) {
      if (!LoopState.isInvariantElement(body, i)) {
        boolean isIndexed = isIndexed(body, i);
        items.set(i, items.get(i).map(leaf -> variable(leaf, isIndexed, taken)));
      }
    }
    return new Operand.Tuple(ImmutableList.copyOf(items));
  }

  /**
   * Returns whether a part of the state is read or written at indices that are unknown when the
   * code is written.
   */
  private boolean isIndexed(HloComputation body, int index) {
    return indexed.computeIfAbsent(body, ControlCode::indexed).contains(index);
  }

  private static ImmutableSet<Integer> indexed(HloComputation body) {
    return body.instructions().stream()
        .filter(each -> OpTraits.of(each.op()).has(Trait.INDEXED))
        .flatMapToInt(each -> LoopState.element(each.operands().get(0)).stream())
        .boxed()
        .collect(toImmutableSet());
  }

  /** Returns a value that can be read in each iteration. */
  private Operand.Leaf materialize(Operand.Leaf leaf) {
    return leaf instanceof Operand.Deferred ? code.inMemory(leaf) : leaf;
  }

  /**
   * Returns a variable or a writable array for a part of the state.
   *
   * @param isIndexed whether it has to be in memory
   * @param taken the arrays of other parts
   */
  private Operand.Leaf variable(Operand.Leaf leaf, boolean isIndexed, Set<Integer> taken) {
    return switch (leaf) {
      case Operand.Scalar scalar ->
          new Operand.Scalar(scalar.type(), emitter.variable(scalar.value()));
      case Operand.InLocals elements when !isIndexed -> code.variables(elements.shape(), elements);
      case Operand.InMemory buffer when isInLocals(buffer.shape(), isIndexed) ->
          code.variables(buffer.shape(), buffer);
      case Operand.InMemory buffer -> {
        boolean isFirst = taken.add(buffer.local());
        Operand.InMemory own =
            isFirst
                ? updates.writable(buffer, isOnce())
                : arrays.copy(arrays.currentVersion(buffer));
        taken.add(own.local());
        yield own;
      }
      case Operand.InLocals _, Operand.Deferred _ -> {
        Operand.InMemory own = code.inMemory(leaf);
        taken.add(own.local());
        yield own;
      }
    };
  }

  /** Returns the values after code that may have overwritten them. */
  private Operand currentVersions(Operand item) {
    return item.map(
        leaf -> leaf instanceof Operand.InMemory buffer ? arrays.currentVersion(buffer) : leaf);
  }

  // ---- branches

  Operand conditional(Conditional op, HloInstruction instruction, List<Operand> operands) {
    Label end = emitter.code().newLabel();
    int index = local(operands.get(0));
    List<HloComputation> branches = instruction.called();
    Operand result = null;
    updates.materializeDeferred();
    Map<Integer, Integer> before = arrays.versions();
    List<Map<Integer, Integer>> ends = new ArrayList<>();
    for (int i = 0; i < branches.size(); i++) {
      arrays.restore(before);
      Label otherwise = emitter.code().newLabel();
      if (i < branches.size() - 1) {
        writeUnlessChosen(op, index, i, otherwise);
      }
      int mark = emitter.mark();
      Operand value = instructions.write(branches.get(i), ImmutableList.of(operands.get(i + 1)));
      if (result == null) {
        Set<Integer> shared = new HashSet<>(before.keySet());
        result = value.map(leaf -> mergeTarget(leaf, shared));
      } else {
        assignments.write(result, value);
      }
      ends.add(arrays.versions());
      emitter.release(mark);
      emitter.code().goto_(end).labelBinding(otherwise);
    }
    emitter.code().labelBinding(end);
    arrays.join(ends);
    return result == null ? new Operand.Tuple(ImmutableList.of()) : currentVersions(result);
  }

  /**
   * Returns the result of the first branch, in the variables and arrays that the others store
   * theirs in.
   *
   * @param shared the arrays that all branches have, without those of other parts
   */
  private Operand.Leaf mergeTarget(Operand.Leaf leaf, Set<Integer> shared) {
    return switch (leaf) {
      case Operand.Scalar scalar ->
          new Operand.Scalar(scalar.type(), emitter.variable(scalar.value()));
      case Operand.InLocals elements -> code.variables(elements.shape(), elements);
      case Operand.InMemory buffer
          when !strategy.areBranchesCopied() && shared.remove(buffer.local()) ->
          arrays.requireCurrent(buffer);
      case Operand.InMemory buffer -> copyToWorkspace(buffer.shape(), buffer);
      case Operand.Deferred deferred -> copyToWorkspace(deferred.shape(), deferred);
    };
  }

  private Operand.InMemory copyToWorkspace(Shape.Array shape, Operand.Leaf leaf) {
    code.requireFits(shape);
    Operand.InMemory result = arrays.workspace(shape);
    code.overwrite(result, leaf);
    return arrays.currentVersion(result);
  }

  /**
   * Writes a jump that is taken if the index does not select a branch, which is not the last one.
   */
  private void writeUnlessChosen(Conditional op, int index, int branch, Label otherwise) {
    if (op.indexType() == ElementType.PRED) {
      emitter.code().iload(index).ifeq(otherwise);
    } else {
      emitter.code().iload(index).loadConstant(branch).if_icmpne(otherwise);
    }
  }
}
