package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.ReplicaId;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.engine.Effects;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Trait;
import org.hlo4j.interpreter.engine.PeakMemory;

/**
 * The invariant code of a computation that is called repeatedly: the instructions that depend only
 * on constants and on invariant elements of the parameter. The class chooses which of their values
 * the caller should compute and pass in.
 *
 * <p>A value stays inside if it is much larger than the values that it is computed from (a
 * broadcast, an iota, an outer product), since reading it would take memory and time. It also stays
 * inside if it is free where it is used (a constant, a reshape, a slice). Such instructions are
 * computed outside, too, if a value that is passed in depends on them.
 */
final class InvariantCode {
  static final long UNLIMITED = Long.MAX_VALUE;

  /**
   * The size of a moved value relative to its inputs: f32 elements are four times as large as s8.
   */
  private static final long MAX_INFLATION = 4;

  private static final long MAX_SMALL_BYTES = 16 * 1024;

  private final HloComputation computation;
  private final IntPredicate isInvariantPart;
  private final Effects effects;
  private final long maxOperations;
  private final Map<HloInstruction, Work> invariant = new HashMap<>();
  private final Set<HloInstruction> kept = new HashSet<>();
  private final Set<HloInstruction> moved = new HashSet<>();
  private final Set<HloInstruction> outside = new HashSet<>();
  private long spent;

  /** The cost of a value with all that it depends on: bytes read, and operations. */
  private record Work(long bytes, long operations) {
    Work plus(Work other) {
      return new Work(
          LongMath.saturatedAdd(bytes, other.bytes),
          LongMath.saturatedAdd(operations, other.operations));
    }
  }

  /**
   * Finds the invariant code of a computation with one parameter.
   *
   * @param computation the computation
   * @param isInvariantPart which elements of the parameter are invariant; for a parameter that is
   *     not a tuple, whether 0 is
   * @param effects the instructions with effects
   * @param maxOperations the limit for all moved code; a value that would exceed it stays inside
   */
  InvariantCode(
      HloComputation computation,
      IntPredicate isInvariantPart,
      Effects effects,
      long maxOperations) {
    this.computation = computation;
    this.isInvariantPart = isInvariantPart;
    this.effects = effects;
    this.maxOperations = maxOperations;
    boolean mayMoveLoops = maxOperations == UNLIMITED && !effects.containsEffect(computation);
    for (HloInstruction instruction : computation.instructions()) {
      if (isPart(instruction) || isInvariant(instruction, mayMoveLoops)) {
        invariant.put(instruction, work(instruction));
      }
    }
    partition();
  }

  // ---- what is invariant

  /** Returns whether an instruction is an invariant element of the parameter. */
  private boolean isPart(HloInstruction instruction) {
    return LoopState.isElement(instruction, isInvariantPart);
  }

  private boolean isInvariant(HloInstruction instruction, boolean mayMoveLoops) {
    boolean isCode =
        switch (instruction.op()) {
          case Parameter _, OptBarrier _, Domain _ -> false;
          case Constant _ -> UniformValues.constant(instruction).isPresent();
          case While _ -> mayMoveLoops;
          case Object _ -> true;
        };
    return isCode
        && invariant.keySet().containsAll(instruction.operands())
        && effects.isPure(instruction);
  }

  private Work work(HloInstruction instruction) {
    long bytes = PeakMemory.bytes(instruction.shape());
    if (isPart(instruction) || instruction.op() instanceof Constant) {
      return new Work(bytes, 0);
    }
    Work all =
        instruction.operands().stream()
            .distinct()
            .map(invariant::get)
            .reduce(new Work(0, RecomputeCost.operations(instruction)), Work::plus);
    return new Work(Math.min(bytes, all.bytes()), all.operations());
  }

  // ---- what is moved

  /**
   * Visits the instructions from root to operands: each is kept, passed in, or computed outside.
   */
  private void partition() {
    Set<HloInstruction> needed = new HashSet<>();
    needed.add(computation.root());
    for (HloInstruction instruction : computation.instructions().reverse()) {
      boolean isNeeded = needed.contains(instruction) || effects.isRequired(instruction);
      if (isNeeded && isWorthMoving(instruction)) {
        moved.add(instruction);
        outside.add(instruction);
      } else if (isNeeded) {
        kept.add(instruction);
        needed.addAll(instruction.operands());
      }
      if (outside.contains(instruction)) {
        outside.addAll(instruction.operands());
      }
    }
  }

  private boolean isWorthMoving(HloInstruction instruction) {
    Work work = invariant.get(instruction);
    if (work == null || !(instruction.shape() instanceof Shape.Array) || isFree(instruction)) {
      return false;
    }
    long most = Math.max(MAX_SMALL_BYTES, MAX_INFLATION * work.bytes());
    return PeakMemory.bytes(instruction.shape()) <= most && isWithinLimit(work);
  }

  private boolean isWithinLimit(Work work) {
    long all = LongMath.saturatedAdd(spent, work.operations());
    boolean isWithin = all <= maxOperations;
    spent = isWithin ? all : spent;
    return isWithin;
  }

  private boolean isFree(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Constant _, GetDimensionSize _, Parameter _, PartitionId _, ReplicaId _ -> true;
      case GetTupleElement _ -> isPart(instruction);
      case Movement op -> OpTraits.of(op).has(Trait.CHEAP);
      case Object _ -> false;
    };
  }

  // ---- the result

  /** Returns the values that are to be passed in, in order. */
  ImmutableList<HloInstruction> moved() {
    return inOrder(moved);
  }

  /** Returns whether the computation still needs an instruction. */
  boolean keeps(HloInstruction instruction) {
    return kept.contains(instruction);
  }

  /** Returns roughly how many operations all moved code takes. */
  long operations() {
    return outside.stream()
        .filter(instruction -> !isPart(instruction))
        .mapToLong(RecomputeCost::operations)
        .reduce(0, LongMath::saturatedAdd);
  }

  /**
   * Returns the computation of the values that are passed in: a tuple of them, from the same
   * parameter.
   */
  HloComputation code() {
    HloInstruction tuple =
        HloInstruction.of("invariants", new Tuple(), moved().toArray(HloInstruction[]::new));
    HloInstruction parameter = computation.parameters().get(0);
    outside.add(parameter);
    return HloComputation.create(
        "invariant_code",
        ImmutableList.<HloInstruction>builder().addAll(inOrder(outside)).add(tuple).build(),
        tuple);
  }

  private ImmutableList<HloInstruction> inOrder(Set<HloInstruction> some) {
    return computation.instructions().stream().filter(some::contains).collect(toImmutableList());
  }
}
