package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.External;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.HigherOrder;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Pointwise;
import org.hlo4j.hlo.op.Routine;
import org.hlo4j.hlo.op.Sizing;
import org.hlo4j.hlo.op.Tuple;
import org.jspecify.annotations.Nullable;

/** A computation with its operands as slot numbers, and when each value is used last. */
public final class Schedule {
  private static final Liveness.Free[] NOTHING_FREE = {};
  private static final Liveness.Overwritable[] NOTHING_OVERWRITABLE = {};
  private static final Liveness.Made[] NOTHING_MADE = {};

  private final List<HloInstruction> instructions;
  private final int[][] operandSlots;
  private final int[][] deadAfter;
  private final boolean[] hasBounds;
  private final @Nullable HandingOn[] forwarding;
  private final @Nullable Kernel[] kernels;
  private final String[] declines;
  private final Liveness.Free[][] freeAfter;
  private final Liveness.Overwritable[][] overwritable;
  private final Liveness.Made[][] made;
  private final List<Shape.Array> buffers;
  private final boolean[] freshResults;
  private final int[] resultMakers;
  private final int rootSlot;
  private final long peakBytes;

  /** An instruction that only hands a value on. */
  private interface HandingOn {
    Literal value(Literal[] operands, Literal[] arguments);
  }

  public Schedule(HloComputation computation, Function<HloInstruction, KernelChoice> source) {
    instructions = computation.instructions();
    int count = instructions.size();
    operandSlots = new int[count][];
    hasBounds = new boolean[count];
    forwarding = new @Nullable HandingOn[count];
    kernels = new @Nullable Kernel[count];
    declines = new String[count];
    Arrays.fill(declines, "");
    freeAfter = new Liveness.Free[count][];
    overwritable = new Liveness.Overwritable[count][];
    Arrays.fill(freeAfter, NOTHING_FREE);
    Arrays.fill(overwritable, NOTHING_OVERWRITABLE);
    made = new Liveness.Made[count][];
    Arrays.fill(made, NOTHING_MADE);
    rootSlot = instructions.indexOf(computation.root());
    deadAfter = deadAfter(linked(source));
    if (Arrays.stream(kernels).allMatch(kernel -> kernel == null)) {
      freshResults = new boolean[0];
      resultMakers = new int[0];
      peakBytes = 0;
      buffers = List.of();
      return;
    }
    Liveness lifetimes = new Liveness(instructions, operandSlots, kernels, rootSlot);
    for (int i = 0; i < count; i++) {
      freeAfter[i] = lifetimes.freeAfter(i);
      overwritable[i] = lifetimes.overwritableAt(i);
      made[i] = lifetimes.madeBy(i);
    }
    buffers = lifetimes.plan().buffers();
    freshResults = lifetimes.freshResults();
    resultMakers = lifetimes.resultMakers();
    peakBytes = lifetimes.peakBytes();
  }

  /**
   * Gives each instruction its operands' slots and what computes it; for each slot its last use.
   */
  private int[] linked(Function<HloInstruction, KernelChoice> source) {
    Map<HloInstruction, Integer> slots = new HashMap<>();
    int[] lastUse = new int[kernels.length];
    for (int i = 0; i < kernels.length; i++) {
      Limits.checkCurrent();
      HloInstruction instruction = instructions.get(i);
      operandSlots[i] = instruction.operands().stream().mapToInt(slots::get).toArray();
      for (int slot : operandSlots[i]) {
        lastUse[slot] = i;
      }
      slots.put(instruction, i);
      lastUse[i] = i;
      hasBounds[i] = DynamicShapes.areIn(instruction);
      if (!hasBounds[i]) {
        forwarding[i] = forwarding(instruction.op());
        KernelChoice choice = source.apply(instruction);
        kernels[i] = choice.kernel().orElse(null);
        declines[i] = choice.reason();
      }
    }
    return lastUse;
  }

  private int[][] deadAfter(int[] lastUse) {
    List<List<Integer>> dead = new ArrayList<>();
    Arrays.stream(lastUse).forEach(slot -> dead.add(new ArrayList<>()));
    for (int slot = 0; slot < lastUse.length; slot++) {
      if (slot != rootSlot) {
        dead.get(lastUse[slot]).add(slot);
      }
    }
    return dead.stream()
        .map(numbers -> numbers.stream().mapToInt(slot -> slot).toArray())
        .toArray(int[][]::new);
  }

  /** Makes tuples; mostly of the same shapes as the last time, in loops. */
  private static final class Tupling implements HandingOn {
    private Shape.@Nullable Tuple last;

    @Override
    public Literal value(Literal[] operands, Literal[] arguments) {
      Shape.Tuple known = last;
      if (known != null && isOf(known, operands)) {
        return Literal.unsafeTuple(known, ImmutableList.copyOf(operands));
      }
      Literal tuple = Literal.tuple(operands);
      last = (Shape.Tuple) tuple.shape();
      return tuple;
    }

    @SuppressWarnings("ReferenceEquality") // it is enough to know those that kernels give again
    private static boolean isOf(Shape.Tuple shape, Literal[] elements) {
      for (int i = 0; i < elements.length; i++) {
        if (shape.elements().get(i) != elements[i].shape()) {
          return false;
        }
      }
      return true;
    }
  }

  /** What needs no looking up; the same as {@link InstructionEvaluator#evaluate} has it. */
  private static @Nullable HandingOn forwarding(Op op) {
    return switch (op) {
      case Parameter parameter -> (operands, arguments) -> arguments[parameter.number()];
      case Constant constant
          when ArrayLeaves.of(constant.literal()).stream().noneMatch(Literal::isElided) ->
          (operands, arguments) -> constant.literal();
      case GetTupleElement element -> (operands, arguments) -> operands[0].element(element.index());
      case Tuple tuple -> new Tupling();
      case Collective _,
          CollectiveStart _,
          Contraction _,
          External _,
          HigherOrder _,
          Movement _,
          ForwardingOp _,
          Pointwise _,
          Routine _,
          Sizing _ ->
          null;
    };
  }

  /** The value of an instruction that only hands one on; null if it is another. */
  @Nullable Literal forwarded(int slot, Literal[] operands, Literal[] arguments) {
    HandingOn instruction = forwarding[slot];
    return instruction == null ? null : instruction.value(operands, arguments);
  }

  public int size() {
    return kernels.length;
  }

  /** Why an instruction has no kernel; empty if it has one, or was not asked for. */
  String decline(int slot) {
    return declines[slot];
  }

  public HloInstruction instruction(int slot) {
    return instructions.get(slot);
  }

  /** The values of an instruction's operands. */
  Literal[] operands(int slot, Literal[] values) {
    int[] slots = operandSlots[slot];
    Literal[] operands = new Literal[slots.length];
    for (int i = 0; i < slots.length; i++) {
      operands[i] = values[slots[i]];
    }
    return operands;
  }

  /** Whether an instruction's shape or that of an operand says bounds in place of sizes. */
  boolean hasBounds(int slot) {
    return hasBounds[slot];
  }

  /** What computes an instruction; null for the reference. */
  @Nullable Kernel kernel(int slot) {
    return kernels[slot];
  }

  /** The slots whose values nobody needs once this one is computed. */
  int[] deadAfter(int slot) {
    return deadAfter[slot];
  }

  /** The arrays whose storage nobody needs once this slot is computed. */
  Liveness.Free[] freeAfter(int slot) {
    return freeAfter[slot];
  }

  /** The operands whose storage the result may take. */
  Liveness.Overwritable[] overwritable(int slot) {
    return overwritable[slot];
  }

  /** The arrays that a step makes, in order. */
  public Liveness.Made[] made(int slot) {
    return made[slot];
  }

  /** The arrays that are kept for temporaries from run to run. */
  public List<Shape.Array> buffers() {
    return buffers;
  }

  /** For each array of the result whether its storage is the caller's alone. */
  boolean[] freshResults() {
    return freshResults;
  }

  /** For each array of the result the slot whose kernel makes it and nothing else, or -1. */
  int[] resultMakers() {
    return resultMakers;
  }

  /** The most bytes that arrays made here have at one time. */
  long peakBytes() {
    return peakBytes;
  }

  int rootSlot() {
    return rootSlot;
  }
}
