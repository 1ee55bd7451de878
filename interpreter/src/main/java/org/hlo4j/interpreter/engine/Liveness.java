package org.hlo4j.interpreter.engine;

import static com.google.common.collect.ImmutableMultiset.toImmutableMultiset;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Multiset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.AddDependency;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.engine.OpTraits.Trait;
import org.jspecify.annotations.Nullable;

/**
 * The liveness analysis of a computation: which arrays its kernels allocate, until which step each
 * is needed, and how its storage may be reused after that.
 *
 * <p>Values that share an array, such as a tuple and its elements, are tracked down to their
 * arrays, the leaves. A leaf that others may hold on to, such as the result or an operand of an
 * instruction without a kernel, is never reused.
 */
public final class Liveness {
  /** Arrays below this size are left to the garbage collector. */
  static final long MIN_BYTES = 4096;

  /**
   * A leaf of an argument whose storage is free after a step, if the caller gives it away.
   *
   * @param slot the slot of a value that holds the leaf, an operand of the step
   * @param index the number of the leaf within that value
   * @param parameterLeaf the number of the leaf among the leaves of all arguments
   * @param isNeededLater whether a later step needs storage of this type and size
   */
  record FreedArgument(int slot, int index, int parameterLeaf, boolean isNeededLater) {}

  /**
   * An operand whose storage the result may overwrite, if the caller gives it away.
   *
   * @param operand the number of the operand
   * @param parameterLeaf the number of its leaf among the leaves of all arguments
   */
  record Overwritable(int operand, int parameterLeaf) {}

  /**
   * An array that a step makes.
   *
   * @param storageShape the shape of the Java array that stores it
   * @param buffer the buffer that holds it, or -1 if it is no temporary
   */
  public record ArrayAllocation(Shape.Array storageShape, int buffer) {}

  private final List<HloInstruction> instructions;
  private final @Nullable Kernel[] kernels;
  private final List<List<Leaf>> leaves = new ArrayList<>();
  private final int[][] operandSlots;
  private final Map<HloInstruction, Integer> firstLeaf = new HashMap<>();

  /** The last step that makes an array of this storage which is not a temporary. */
  private final Map<Shape.Array, Integer> lastMade = new HashMap<>();

  private final List<Leaf> all = new ArrayList<>();
  private final List<List<FreedArgument>> free = new ArrayList<>();
  private final List<List<Overwritable>> overwritable = new ArrayList<>();
  private final IdentityHashMap<Shape.Tuple, int[]> elementStarts = new IdentityHashMap<>();
  private final int[] lastUses;
  private final int rootSlot;
  private final BufferPlan plan;
  private int parameterLeaves;

  Liveness(
      List<HloInstruction> instructions,
      int[][] operandSlots,
      @Nullable Kernel[] kernels,
      int rootSlot) {
    this.operandSlots = operandSlots;
    this.instructions = instructions;
    this.kernels = kernels;
    this.rootSlot = rootSlot;
    this.lastUses = new int[kernels.length];
    numberParameterLeaves();
    for (int i = 0; i < kernels.length; i++) {
      leaves.add(leavesOf(i));
      use(i);
      free.add(new ArrayList<>());
      overwritable.add(new ArrayList<>());
    }
    IntStream.range(0, kernels.length).forEach(this::extendLifetimes);
    leaves
        .get(rootSlot)
        .forEach(leaf -> {
          leaf.escapes = true;
          leaf.isResult = true;
        });
    all.stream().filter(Leaf::isTemporary).forEach(Leaf::plan);
    all.stream()
        .filter(leaf -> leaf.fresh && leaf.planned == null)
        .forEach(leaf -> lastMade.put(BufferPlan.storageShape(leaf.shape), leaf.definingSlot));
    all.stream()
        .filter(leaf -> leaf.isDonatable() && leaf.containerSlot >= 0)
        .forEach(this::addFree);
    for (int i = 0; i < kernels.length; i++) {
      addOverwritable(i);
    }
    plan =
        new BufferPlan(
            all.stream().map(leaf -> leaf.planned).filter(Objects::nonNull).distinct().toList());
  }

  private void numberParameterLeaves() {
    instructions.stream()
        .filter(instruction -> instruction.op() instanceof Parameter)
        .sorted(
            (a, b) -> Integer.compare(((Parameter) a.op()).number(), ((Parameter) b.op()).number()))
        .forEach(parameter -> {
          firstLeaf.put(parameter, parameterLeaves);
          parameterLeaves += parameter.shape().arrays().size();
        });
  }

  private List<Leaf> leavesOf(int slot) {
    HloInstruction instruction = instructions.get(slot);
    return switch (instruction.op()) {
      case Parameter op -> parameter(slot, instruction);
      case Tuple op -> operandLeaves(slot);
      case GetTupleElement op -> element(slot, op.index());
      case Reshape op -> first(slot);
      case Copy op -> kernels[slot] == null ? first(slot) : resultLeaves(slot, instruction);
      case OptBarrier op -> first(slot);
      case Domain op -> first(slot);
      case AddDependency op -> first(slot);
      case Object op -> resultLeaves(slot, instruction);
    };
  }

  /** Returns the leaves of all operands. */
  private List<Leaf> operandLeaves(int slot) {
    return Arrays.stream(operandSlots[slot]).mapToObj(leaves::get).flatMap(List::stream).toList();
  }

  private List<Leaf> first(int slot) {
    return leaves.get(operandSlots[slot][0]);
  }

  private List<Leaf> parameter(int slot, HloInstruction instruction) {
    int first = firstLeaf.getOrDefault(instruction, 0);
    List<Shape.Array> shapes = instruction.shape().arrays();
    return IntStream.range(0, shapes.size())
        .mapToObj(i -> added(new Leaf(slot, shapes.get(i), false, first + i)))
        .toList();
  }

  private List<Leaf> element(int slot, int index) {
    Shape tuple = instructions.get(slot).operands().get(0).shape();
    int[] starts = elementStarts((Shape.Tuple) tuple);
    return first(slot).subList(starts[index], starts[index + 1]);
  }

  /**
   * Returns, for each element of a tuple, the number of its first leaf, followed by the number of
   * all leaves.
   */
  private int[] elementStarts(Shape.Tuple tuple) {
    return elementStarts.computeIfAbsent(
        tuple,
        key -> {
          int[] starts = new int[tuple.elements().size() + 1];
          for (int i = 1; i < starts.length; i++) {
            starts[i] = starts[i - 1] + tuple.elements().get(i - 1).arrays().size();
          }
          return starts;
        });
  }

  private List<Leaf> resultLeaves(int slot, HloInstruction instruction) {
    Kernel kernel = kernels[slot];
    List<Leaf> taken = operandLeaves(slot);
    List<Leaf> made = new ArrayList<>();
    for (Shape.Array shape : instruction.shape().arrays()) {
      int forwardedOperand = kernel == null ? -1 : kernel.forwardedOperand(made.size());
      made.add(
          forwardedOperand < 0
              ? added(new Leaf(slot, shape, kernel != null, -1))
              : taken.get(forwardedOperand));
    }
    return made;
  }

  private Leaf added(Leaf leaf) {
    all.add(leaf);
    return leaf;
  }

  private void use(int slot) {
    HloInstruction instruction = instructions.get(slot);
    boolean retainsOperands =
        kernels[slot] == null && !forwardsOperands(instruction) && !copies(instruction);
    for (int operandSlot : operandSlots[slot]) {
      lastUses[operandSlot] = slot;
      List<Leaf> used = leaves.get(operandSlot);
      int first = firstUsed(instruction);
      int end =
          instruction.op() instanceof GetTupleElement
              ? first + leaves.get(slot).size()
              : used.size();
      for (int i = first; i < end; i++) {
        Leaf leaf = used.get(i);
        leaf.lastUse = slot;
        leaf.containerSlot = operandSlot;
        leaf.index = i;
        leaf.escapes |= retainsOperands;
        leaf.isRetained |= retainsOperands;
      }
    }
  }

  /**
   * Returns the first leaf that is used. A get-tuple-element uses only the element that it
   * extracts.
   */
  private int firstUsed(HloInstruction instruction) {
    return instruction.op() instanceof GetTupleElement element
        ? elementStarts((Shape.Tuple) instruction.operands().get(0).shape())[element.index()]
        : 0;
  }

  /** Extends the lifetime of the leaves of a value to the last use of that value. */
  private void extendLifetimes(int slot) {
    for (Leaf leaf : leaves.get(slot)) {
      leaf.lastContainerUse = Math.max(leaf.lastContainerUse, lastUses[slot]);
    }
  }

  private static boolean forwardsOperands(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Tuple op -> true;
      case GetTupleElement op -> true;
      case Reshape op -> true;
      case Copy op -> true;
      case OptBarrier op -> true;
      case Domain op -> true;
      case AddDependency op -> true;
      case Object op -> false;
    };
  }

  /**
   * Returns whether the reference evaluates this op into a new array that shares no storage with
   * the operands.
   */
  static boolean copies(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Compare op -> true;
      case Convert op -> true;
      case Dot op -> true;
      case Elementwise op -> true;
      case Reduce op -> true;
      case DynamicUpdateSlice op -> false;
      case Movement op -> !OpTraits.of(op).has(Trait.KEEPS_ORDER);
      case Object op -> false;
    };
  }

  private void addFree(Leaf leaf) {
    boolean isNeededLater =
        lastMade.getOrDefault(BufferPlan.storageShape(leaf.shape), -1) > leaf.lastUse;
    free.get(leaf.lastUse)
        .add(new FreedArgument(leaf.containerSlot, leaf.index, leaf.parameterLeaf, isNeededLater));
  }

  private void addOverwritable(int slot) {
    Kernel kernel = kernels[slot];
    if (kernel == null) {
      return;
    }
    Supplier<Multiset<Leaf>> holders = Suppliers.memoize(() -> holders(slot));
    for (int i = 0; i < operandSlots[slot].length; i++) {
      List<Leaf> held = leaves.get(operandSlots[slot][i]);
      boolean isLast = held.size() == 1 && held.get(0).lastUse == slot;
      if (isLast && kernel.canReuseOperandBuffer(i) && holders.get().count(held.get(0)) == 1) {
        Leaf leaf = held.get(0);
        if (leaf.isDonatable()) {
          overwritable.get(slot).add(new Overwritable(i, leaf.parameterLeaf));
        } else if (leaf.planned != null) {
          takeOver(leaf.planned, slot);
        }
      }
    }
  }

  /** Assigns the buffer of an operand to a result of the step that uses the operand last. */
  private void takeOver(BufferPlan.Value operand, int slot) {
    for (Leaf leaf : leavesDefinedAt(slot)) {
      BufferPlan.Value result = leaf.planned;
      if (result != null && result.first == slot && operand.tryShareBuffer(result)) {
        leaf.planned = operand;
        return;
      }
    }
  }

  private List<Leaf> leavesDefinedAt(int slot) {
    return leaves.get(slot).stream()
        .filter(leaf -> leaf.fresh && leaf.definingSlot == slot)
        .toList();
  }

  /** Returns how many operands of a step hold each leaf. */
  private Multiset<Leaf> holders(int slot) {
    return Arrays.stream(operandSlots[slot])
        .boxed()
        .flatMap(operand -> leaves.get(operand).stream().distinct())
        .collect(toImmutableMultiset());
  }

  /** Returns the arrays whose storage is free after a step. */
  FreedArgument[] freeAfter(int slot) {
    return free.get(slot).toArray(FreedArgument[]::new);
  }

  /** Returns the operands whose storage the result of a step may overwrite. */
  Overwritable[] overwritableAt(int slot) {
    return overwritable.get(slot).toArray(Overwritable[]::new);
  }

  /** Returns the arrays that a step makes, in order. */
  ArrayAllocation[] allocationsAt(int slot) {
    return leavesDefinedAt(slot).stream()
        .map(leaf ->
            new ArrayAllocation(
                BufferPlan.storageShape(leaf.shape),
                leaf.planned == null ? -1 : leaf.planned.buffer()))
        .toArray(ArrayAllocation[]::new);
  }

  /** Returns the buffer assignment of the temporary arrays. */
  BufferPlan plan() {
    return plan;
  }

  /** Returns, for each leaf of the result, whether the caller alone holds its storage. */
  boolean[] freshResults() {
    List<Leaf> result = leaves.get(rootSlot);
    Multiset<Leaf> count = result.stream().collect(toImmutableMultiset());
    boolean[] fresh = new boolean[result.size()];
    for (int i = 0; i < fresh.length; i++) {
      Leaf leaf = result.get(i);
      fresh[i] = leaf.fresh && !leaf.isRetained && count.count(leaf) == 1;
    }
    return fresh;
  }

  /**
   * Returns, for each leaf of the result, the slot of the kernel that makes it as its only array,
   * or -1.
   */
  int[] resultProducers() {
    List<Leaf> result = leaves.get(rootSlot);
    boolean[] fresh = freshResults();
    int[] makers = new int[result.size()];
    for (int i = 0; i < makers.length; i++) {
      int definingSlot = result.get(i).definingSlot;
      makers[i] = fresh[i] && leaves.get(definingSlot).size() == 1 ? definingSlot : -1;
    }
    return makers;
  }

  /**
   * Returns the peak number of bytes of the arrays made here. Arguments and constants do not count.
   */
  long peakBytes() {
    return peak(new long[kernels.length]).bytes();
  }

  /**
   * The step at which the live arrays take the most memory.
   *
   * @param bytes the bytes of the live arrays at that step
   * @param slot the step
   */
  record Peak(long bytes, int slot) {}

  /** Returns the peak if each step also needs the given number of bytes while it is computed. */
  Peak peak(long[] calleeBytes) {
    long[] change = new long[kernels.length + 1];
    all.stream()
        .filter(this::isMade)
        .forEach(leaf -> {
          change[leaf.definingSlot] += bytes(leaf.shape);
          change[lastNeeded(leaf) + 1] -= bytes(leaf.shape);
        });
    Peak peak = new Peak(0, rootSlot);
    long liveBytes = 0;
    for (int slot = 0; slot < kernels.length; slot++) {
      liveBytes += change[slot];
      if (liveBytes + calleeBytes[slot] > peak.bytes) {
        peak = new Peak(liveBytes + calleeBytes[slot], slot);
      }
    }
    return peak;
  }

  private boolean isMade(Leaf leaf) {
    return leaf.parameterLeaf < 0
        && !(instructions.get(leaf.definingSlot).op() instanceof Constant);
  }

  private int lastNeeded(Leaf leaf) {
    return leaf.isResult ? kernels.length - 1 : Math.max(leaf.definingSlot, leaf.lastUse);
  }

  /** Returns the bytes that are live at a step, by the instruction that made the arrays. */
  ImmutableMap<HloInstruction, Long> liveBytesAt(int slot) {
    Map<HloInstruction, Long> alive = new LinkedHashMap<>();
    all.stream()
        .filter(leaf -> isMade(leaf) && leaf.definingSlot <= slot && slot <= lastNeeded(leaf))
        .forEach(
            leaf -> alive.merge(instructions.get(leaf.definingSlot), bytes(leaf.shape), Long::sum));
    return ImmutableMap.copyOf(alive);
  }

  /** Returns the bytes that a run counts for an array. */
  public static long bytes(Shape.Array shape) {
    ElementType type = shape.elementType();
    return shape.elementCount() * Math.max(1, type.bits() / 8);
  }
}
