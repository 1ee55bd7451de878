package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.interpreter.engine.Limits;

/** One computation being written anew: what stands there already, and what became of what. */
final class Rewriter {
  private final Session session;
  private final Map<HloComputation, HloComputation> computations;
  private final boolean renaming;
  private final Map<HloInstruction, HloInstruction> became = new HashMap<>();
  private final List<HloInstruction> written = new ArrayList<>();
  private final Set<HloInstruction> placed = new HashSet<>();

  /**
   * A rewriter of one computation.
   *
   * @param computations what became of computations that are called
   * @param renaming whether the computation also stays as it was, so that all names have to change
   */
  Rewriter(Session session, Map<HloComputation, HloComputation> computations, boolean renaming) {
    this.session = session;
    this.computations = computations;
    this.renaming = renaming;
  }

  Session session() {
    return session;
  }

  /** What became of a computation. */
  HloComputation current(HloComputation computation) {
    return computations.getOrDefault(computation, computation);
  }

  /** What became of an instruction written before. */
  HloInstruction current(HloInstruction instruction) {
    return requireNonNull(became.get(instruction), instruction::name);
  }

  ImmutableList<HloInstruction> currentOperands(HloInstruction instruction) {
    return instruction.operands().stream().map(this::current).collect(toImmutableList());
  }

  /** The instruction with what became of its operands and computations; not placed yet. */
  HloInstruction updated(HloInstruction instruction) {
    boolean same = !renaming;
    for (HloInstruction operand : instruction.operands()) {
      same &= current(operand) == operand;
    }
    ImmutableList<HloComputation> called = currentCalled(instruction);
    if (same && called.equals(instruction.called())) {
      return instruction;
    }
    return HloInstruction.create(
            renaming ? session.fresh(instruction.name()) : instruction.name(),
            instruction.op(),
            currentOperands(instruction),
            called,
            instruction.shape(),
            instruction.metadata(),
            instruction.attributes())
        .withSharding(instruction.sharding());
  }

  /** What is run as it is may have become another; what is applied to scalars has not. */
  private ImmutableList<HloComputation> currentCalled(HloInstruction instruction) {
    return instruction.called().isEmpty() || OpFamily.of(instruction.op()) != OpFamily.CONTROL
        ? instruction.called()
        : instruction.called().stream().map(this::current).collect(toImmutableList());
  }

  /** An instruction to stand where another stood, of its shape; not placed yet. */
  HloInstruction instead(HloInstruction replaced, Op op, HloInstruction... operands) {
    return HloInstruction.create(
        replaced.name(),
        op,
        ImmutableList.copyOf(operands),
        ImmutableList.of(),
        replaced.shape().withoutLayout(),
        replaced.metadata());
  }

  /** One more instruction, named after its op, placed. */
  HloInstruction add(Op op, HloInstruction... operands) {
    ImmutableList<HloInstruction> list = ImmutableList.copyOf(operands);
    Shape shape = op.infer(HloInstruction.inputs(list, ImmutableList.of()));
    return place(
        HloInstruction.create(
            session.fresh(op.opcode()), op, list, ImmutableList.of(), shape, Metadata.NONE));
  }

  HloInstruction constant(Literal literal) {
    return add(new Constant(literal));
  }

  /** The operand under other sizes, itself if it has them. */
  HloInstruction reshape(HloInstruction operand, Dims sizes) {
    Shape.Array shape = (Shape.Array) operand.shape();
    return shape.sizes().equals(sizes)
        ? operand
        : add(new Reshape(shape.withSizes(sizes)), operand);
  }

  /** The operand with its dimensions in another order, itself if they are in it. */
  HloInstruction transpose(HloInstruction operand, Dims dimensions) {
    return dimensions.isStrictlyIncreasing() ? operand : add(new Transpose(dimensions), operand);
  }

  HloInstruction broadcast(HloInstruction operand, Shape.Array shape, Dims dimensions) {
    return ((Shape.Array) operand.shape()).sizes().equals(shape.sizes())
        ? operand
        : add(new Broadcast(shape.withLayout(null), dimensions), operand);
  }

  /** Puts an instruction behind the others, unless it stands there. */
  HloInstruction place(HloInstruction instruction) {
    Limits.checkCurrent();
    if (placed.add(instruction)) {
      written.add(instruction);
    }
    return instruction;
  }

  boolean isPlaced(HloInstruction instruction) {
    return placed.contains(instruction);
  }

  /** Says what an instruction becomes, and places that. */
  void replace(HloInstruction instruction, HloInstruction replacement) {
    became.put(instruction, place(replacement));
  }

  /** A computation of what was written. */
  HloComputation written(String name, HloInstruction root) {
    return HloComputation.create(name, written, root);
  }

  /** The computation as written; the same one if all its instructions are. */
  HloComputation finish(HloComputation computation) {
    HloInstruction root = current(computation.root());
    if (written.equals(computation.instructions()) && root == computation.root()) {
      return computation;
    }
    return HloComputation.create(
        renaming ? session.fresh(computation.name()) : computation.name(),
        written,
        root,
        computation.executionThread());
  }
}
