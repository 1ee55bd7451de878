package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Booleans;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.jspecify.annotations.Nullable;

/**
 * The schedule of a computation: for each instruction, in order, its kernel, the slots of its
 * operands, the values that are dead after it, and the buffers of its result. A slot is the
 * position of an instruction, and of its value, in the order of execution.
 */
public final class Schedule {
  private static final KernelChoice NO_ELEMENTS = KernelChoice.decline("a result without elements");
  private static final Liveness.FreedArgument[] NOTHING_FREE = {};
  private static final Liveness.Overwritable[] NOTHING_OVERWRITABLE = {};
  private static final Liveness.ArrayAllocation[] NOTHING_MADE = {};
  private static final int[] NOTHING_DEAD = {};

  private final List<HloInstruction> instructions;
  private final int[][] operandSlots;
  private final int[][] deadAfter;
  private final boolean[] hasDynamicShape;
  private final @Nullable ForwardingRule[] forwarding;
  private final @Nullable Kernel[] kernels;
  private final String[] declines;
  private final long[] keptBytes;
  private final Liveness.FreedArgument[][] freeAfter;
  private final Liveness.Overwritable[][] overwritable;
  private final Liveness.ArrayAllocation[][] allocations;
  private final int[][] buffersDeadAfter;
  private final List<Shape.Array> buffers;
  private final boolean[] freshResults;
  private final int[] resultProducers;
  private final int rootSlot;
  private final long peakBytes;

  /**
   * An instruction that only forwards values: a parameter, constant, tuple or get-tuple-element.
   */
  private interface ForwardingRule {
    Literal value(Literal[] operands, Literal[] arguments);
  }

  public Schedule(HloComputation computation, Function<HloInstruction, KernelChoice> source) {
    this(computation, source, new FixedOperands(0));
  }

  /**
   * Creates the schedule of a computation.
   *
   * @param source selects the kernel of an instruction
   * @param fixed the values that are the same in each run
   */
  Schedule(
      HloComputation computation,
      Function<HloInstruction, KernelChoice> source,
      FixedOperands fixed) {
    instructions = computation.instructions();
    int count = instructions.size();
    operandSlots = new int[count][];
    hasDynamicShape = new boolean[count];
    forwarding = new @Nullable ForwardingRule[count];
    kernels = new @Nullable Kernel[count];
    declines = new String[count];
    Arrays.fill(declines, "");
    keptBytes = new long[count];
    freeAfter = new Liveness.FreedArgument[count][];
    overwritable = new Liveness.Overwritable[count][];
    Arrays.fill(freeAfter, NOTHING_FREE);
    Arrays.fill(overwritable, NOTHING_OVERWRITABLE);
    allocations = new Liveness.ArrayAllocation[count][];
    Arrays.fill(allocations, NOTHING_MADE);
    buffersDeadAfter = new int[count][];
    Arrays.fill(buffersDeadAfter, NOTHING_DEAD);
    rootSlot = instructions.indexOf(computation.root());
    deadAfter = deadAfter(linked(source, fixed));
    if (Arrays.stream(kernels).allMatch(kernel -> kernel == null)) {
      freshResults = new boolean[0];
      resultProducers = new int[0];
      peakBytes = 0;
      buffers = List.of();
      return;
    }
    Liveness lifetimes = new Liveness(instructions, operandSlots, kernels, rootSlot);
    for (int i = 0; i < count; i++) {
      freeAfter[i] = lifetimes.freeAfter(i);
      overwritable[i] = lifetimes.overwritableAt(i);
      allocations[i] = lifetimes.allocationsAt(i);
      buffersDeadAfter[i] = CheckMode.isOn() ? lifetimes.plan().deadAfter(i) : NOTHING_DEAD;
    }
    buffers = lifetimes.plan().buffers();
    freshResults = lifetimes.freshResults();
    resultProducers = lifetimes.resultProducers();
    peakBytes = lifetimes.peakBytes();
  }

  /**
   * Sets the operand slots and the kernel of each instruction. Returns the last use of each slot.
   */
  private int[] linked(Function<HloInstruction, KernelChoice> source, FixedOperands fixed) {
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
      hasDynamicShape[i] = DynamicShapes.hasDynamicShape(instruction);
      if (!hasDynamicShape[i]) {
        forwarding[i] = forwarding(instruction.op());
        KernelChoice choice =
            Step.hasNoElements(instruction) ? NO_ELEMENTS : source.apply(instruction);
        keptBytes[i] = -fixed.keptBytes();
        kernels[i] =
            choice.kernel().map(kernel -> fixed.specialize(kernel, instruction)).orElse(null);
        keptBytes[i] += fixed.keptBytes();
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

  /**
   * A tuple instruction. It caches the last shape, since loops mostly make tuples of the same
   * shapes.
   */
  private static final class Tupling implements ForwardingRule {
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

    @SuppressWarnings("ReferenceEquality") // identity suffices: kernels reuse shape objects
    private static boolean isOf(Shape.Tuple shape, Literal[] elements) {
      for (int i = 0; i < elements.length; i++) {
        if (shape.elements().get(i) != elements[i].shape()) {
          return false;
        }
      }
      return true;
    }
  }

  /**
   * Returns how to evaluate an op that only forwards values, or null for other ops. The result is
   * the same as that of {@link InstructionEvaluator#evaluate}.
   */
  private static @Nullable ForwardingRule forwarding(Op op) {
    return switch (op) {
      case Parameter parameter -> (operands, arguments) -> arguments[parameter.number()];
      case Constant constant
          when constant.literal().arrays().stream().noneMatch(Literal::isElided) ->
          (operands, arguments) -> constant.literal();
      case GetTupleElement element -> (operands, arguments) -> operands[0].element(element.index());
      case Tuple tuple -> new Tupling();
      default -> null;
    };
  }

  /**
   * Returns the value of an instruction that only forwards one; null if it is another instruction.
   */
  @Nullable Literal forwarded(int slot, Literal[] operands, Literal[] arguments) {
    ForwardingRule instruction = forwarding[slot];
    return instruction == null ? null : instruction.value(operands, arguments);
  }

  public int size() {
    return kernels.length;
  }

  /** Returns why an instruction has no kernel; empty if it has one or none was requested. */
  String decline(int slot) {
    return declines[slot];
  }

  public HloInstruction instruction(int slot) {
    return instructions.get(slot);
  }

  /** Returns the values of an instruction's operands. */
  Literal[] operands(int slot, Literal[] values) {
    int[] slots = operandSlots[slot];
    Literal[] operands = new Literal[slots.length];
    for (int i = 0; i < slots.length; i++) {
      operands[i] = values[slots[i]];
    }
    return operands;
  }

  /** Returns whether the shape of an instruction or of an operand has bounds in place of sizes. */
  boolean hasDynamicShape(int slot) {
    return hasDynamicShape[slot];
  }

  /** Returns the kernel of an instruction; null if the reference evaluates it. */
  @Nullable Kernel kernel(int slot) {
    return kernels[slot];
  }

  /**
   * Returns the number of bytes in which the kernel of an instruction keeps operands that are the
   * same in each run. What kernels share counts for the first of them.
   */
  long keptBytes(int slot) {
    return keptBytes[slot];
  }

  /** Calls a consumer for each instruction whose value runs read, or return, from now on. */
  void forEachRead(Consumer<HloInstruction> consumer) {
    for (int slot = 0; slot < kernels.length; slot++) {
      Kernel kernel = kernels[slot];
      for (int i = 0; i < operandSlots[slot].length; i++) {
        if (kernel == null || kernel.readsOperand(i)) {
          consumer.accept(instructions.get(operandSlots[slot][i]));
        }
      }
    }
    consumer.accept(instructions.get(rootSlot));
  }

  /** Returns the slots whose values are dead once this one is computed. */
  int[] deadAfter(int slot) {
    return deadAfter[slot];
  }

  /** Returns the arrays whose storage is free once this slot is computed. */
  Liveness.FreedArgument[] freeAfter(int slot) {
    return freeAfter[slot];
  }

  /** Returns the operands whose storage the result may overwrite. */
  Liveness.Overwritable[] overwritable(int slot) {
    return overwritable[slot];
  }

  /** Returns the arrays that a step makes, in order. */
  public Liveness.ArrayAllocation[] allocations(int slot) {
    return allocations[slot];
  }

  /**
   * Returns the buffers whose values are dead once this slot is computed; none but in check mode.
   */
  int[] buffersDeadAfter(int slot) {
    return buffersDeadAfter[slot];
  }

  /** Returns the buffers of the temporaries, which are kept from run to run. */
  public List<Shape.Array> buffers() {
    return buffers;
  }

  /** Returns, for each array of the result, whether the caller alone holds its storage. */
  boolean[] freshResults() {
    return freshResults;
  }

  /** Returns whether every call makes all arrays of the result anew, each once. */
  boolean makesResult() {
    Shape result = instructions.get(rootSlot).shape();
    return freshResults.length == result.arrays().size()
        && !Booleans.asList(freshResults).contains(false);
  }

  /**
   * Returns, for each array of the result, the slot whose kernel makes it and nothing else, or -1.
   */
  int[] resultProducers() {
    return resultProducers;
  }

  /** Returns the peak number of bytes of the arrays made here. */
  long peakBytes() {
    return peakBytes;
  }

  int rootSlot() {
    return rootSlot;
  }
}
