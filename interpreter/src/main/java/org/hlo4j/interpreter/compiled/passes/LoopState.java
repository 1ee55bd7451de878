package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Multiset;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.IntPredicate;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/** Queries about loops and their state. */
public final class LoopState {
  private LoopState() {}

  /** Returns whether a module has loops. */
  static boolean hasLoops(HloModule module) {
    return Pass.anyMatch(module, instruction -> instruction.op() instanceof While);
  }

  /**
   * Returns how often computations are called. A pass that changes a computation with several
   * callers has to rename its instructions.
   */
  static Multiset<HloComputation> callCounts(HloModule module) {
    Multiset<HloComputation> calls = HashMultiset.create();
    module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .forEach(instruction -> calls.addAll(instruction.called()));
    return calls;
  }

  /** Places a parameter instead of another, whose shape it does not have. */
  static HloInstruction parameter(
      HloInstruction replaced, String name, Shape shape, Rewriter rewriter) {
    Parameter op = new Parameter(0, shape);
    return rewriter.place(
        HloInstruction.create(
            name, op, ImmutableList.of(), ImmutableList.of(), shape, replaced.metadata()));
  }

  /** Places a loop like another, but with another state and computations on it. */
  static HloInstruction withState(
      HloInstruction loop, HloInstruction initial, List<HloComputation> called, Rewriter rewriter) {
    return rewriter.place(
        HloInstruction.create(
            rewriter.session().fresh(loop.name()),
            loop.op(),
            ImmutableList.of(initial),
            called,
            initial.shape(),
            loop.metadata(),
            loop.attributes()));
  }

  /** {@return whether an iteration leaves an element of the state unchanged} */
  public static boolean isInvariantElement(HloComputation body, int part) {
    HloInstruction root = body.root();
    return root.op() instanceof Tuple
        ? element(root.operands().get(part)).equals(OptionalInt.of(part))
        : root.op() instanceof Parameter;
  }

  /** {@return which element of a parameter an instruction is, if it is one} */
  public static OptionalInt element(HloInstruction instruction) {
    return instruction.op() instanceof GetTupleElement element
            && instruction.operands().get(0).op() instanceof Parameter
        ? OptionalInt.of(element.index())
        : OptionalInt.empty();
  }

  /**
   * Returns whether an instruction is an element of a parameter, or a parameter that is an array,
   * which a predicate accepts.
   *
   * @param isInvariant tells it of each element; for a parameter that is not a tuple, of 0
   */
  static boolean isElement(HloInstruction instruction, IntPredicate isInvariant) {
    boolean isWhole =
        instruction.op() instanceof Parameter && !(instruction.shape() instanceof Shape.Tuple);
    OptionalInt element = isWhole ? OptionalInt.of(0) : element(instruction);
    return element.isPresent() && isInvariant.test(element.getAsInt());
  }
}
