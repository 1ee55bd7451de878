package org.hlo4j.interpreter.compiled.loops;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.StripArrays.StripArray;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.expr.Formula;
import org.hlo4j.interpreter.compiled.expr.ObservableValues;
import org.hlo4j.interpreter.compiled.expr.Term;
import org.hlo4j.interpreter.compiled.index.AffineIndex;

/** A stage over a loop nest, with a slot for each array access of its code. */
final class StageCode {
  private final Stage stage;
  private final OutputRegion part;
  private final LoopNest nest;
  private final int inputs;
  private final ImmutableList<StripArray> workspace;
  private final Formula<LoopNode> formula;
  private final ImmutableList<ArraySlot> slots;
  private final Map<ArraySlot, Integer> numbers = new LinkedHashMap<>();
  private final Map<ArraySlot, Integer> firstSlots = new HashMap<>();

  /**
   * Creates the code of a stage.
   *
   * @param inputs the number of input arrays; those of the outputs follow, then the workspace
   * @param workspace the workspace arrays of all stages; empty if values are handed to the next
   *     stage in the output instead, see {@link #canUseOutputAsWorkspace}
   */
  StageCode(
      Stage stage,
      OutputRegion part,
      LoopNest nest,
      int inputs,
      ImmutableList<StripArray> workspace) {
    this.stage = stage;
    this.part = part;
    this.nest = nest;
    this.inputs = inputs;
    this.workspace = workspace;
    formula = new Formula<>(stage.loads().keySet(), stage.results(), this::term);
    stage.loads().values().forEach(array -> add(workspace(array)));
    formula.terms().keySet().stream().filter(this::isLeaf).forEach(node -> add(leaf(node)));
    stage.saves().values().forEach(array -> add(workspace(array)));
    stage.outputs().keySet().forEach(number -> add(output(number)));
    slots = ImmutableList.copyOf(numbers.keySet());
    slots.forEach(slot -> firstSlots.putIfAbsent(slot.positionKey(), number(slot)));
  }

  private Term<LoopNode> term(LoopNode node) {
    return stage.loads().containsKey(node) ? new Term.Input<>(node.type()) : node.term();
  }

  /** Returns whether the value is read from an input, or counted, in this stage. */
  private boolean isLeaf(LoopNode node) {
    return !stage.loads().containsKey(node)
        && (node instanceof LoopNode.Read || node instanceof LoopNode.Count);
  }

  /**
   * Returns whether the only output can hold, strip by strip, the one value that each stage hands
   * to the next. C2 vectorizes the scalar form of a loop only if all arrays are accessed at the
   * same index.
   */
  static boolean canUseOutputAsWorkspace(ImmutableList<Stage> stages, OutputRegion part) {
    if (Machine.isVectorApiOn() || part.values().size() != 1) {
      return false;
    }
    for (int s = 0; s + 1 < stages.size(); s++) {
      Set<LoopNode> saved = stages.get(s).saves().keySet();
      boolean isForwarded = saved.equals(stages.get(s + 1).loads().keySet()) && saved.size() == 1;
      if (!isForwarded
          || !stages.get(s).outputs().isEmpty()
          || Stage.workspaceType(saved.iterator().next()) != part.type(0)) {
        return false;
      }
    }
    return true;
  }

  private void add(ArraySlot slot) {
    numbers.putIfAbsent(slot, numbers.size());
  }

  Stage stage() {
    return stage;
  }

  LoopNest nest() {
    return nest;
  }

  /** Returns the workspace arrays of all stages. */
  ImmutableList<StripArray> workspace() {
    return workspace;
  }

  /** Returns the values whose NaN bits are observable. */
  ObservableValues<LoopNode> observed() {
    return new ObservableValues<>(stage.results(), part.observesNanBits(), this::term);
  }

  /**
   * Returns whether NaNs that an input has may be copied into a result, or their bits looked at, in
   * this stage or those before it. If not, their payloads may be dropped.
   */
  boolean copiesInputs() {
    return new ObservableValues<>(stage.results(), true, LoopNode::term).observesInputs();
  }

  /** Returns the slots, in the order of their bases. */
  ImmutableList<ArraySlot> slots() {
    return slots;
  }

  /** Returns the number of a slot. */
  int number(ArraySlot slot) {
    return requireNonNull(numbers.get(slot));
  }

  /** Returns the number of the first slot at the same position, in any array. */
  int firstAtSamePosition(ArraySlot slot) {
    return requireNonNull(firstSlots.get(slot.positionKey()));
  }

  /** Returns the weight of the loop, as {@link FissionStages#weight} counts it. */
  int weight() {
    return formula.applied().mapToInt(FissionStages::weight).sum();
  }

  /** Returns whether the stage has a vector form: all of its ops, reads and stores have one. */
  boolean isVectorizable() {
    return formula.isVectorizable()
        && slots.stream()
            .allMatch(slot -> slot.array() == ArraySlot.NO_ARRAY || isVectorizable(slot));
  }

  /**
   * Returns whether vectors can read from a slot, or write to it, perhaps as part of a {@linkplain
   * #isPair pair}.
   */
  private boolean isVectorizable(ArraySlot slot) {
    long stride = nest.innerStride(slot.position());
    boolean isOutput = slot.array() >= inputs && !slot.isWorkspace();
    if (!isOutput) {
      return StridedVectors.isReadable(slot.type(), stride);
    }
    return stride == 1
        || stage.outputs().keySet().stream()
            .filter(number -> output(number).equals(slot))
            .allMatch(number -> isPair(number) || isPair(number - 1));
  }

  /**
   * Returns whether an output and the next one are written here as the two parts of complex
   * numbers: the elements of the second follow those of the first, with nothing else in between.
   */
  boolean isPair(int number) {
    if (!stage.outputs().containsKey(number) || !stage.outputs().containsKey(number + 1)) {
      return false;
    }
    ArraySlot first = output(number);
    ArraySlot second = output(number + 1);
    return first.array() == second.array()
        && nest.innerStride(first.position()) == StridedVectors.PAIR_STRIDE
        && first.position().plus(1).equals(second.position());
  }

  /** Returns the number of bits of the widest lane in the loop. */
  int widestLane() {
    Lane counted = slots.stream().anyMatch(ArraySlot::isWide) ? Lane.I64 : Lane.I32;
    return Math.max(counted.bits(), formula.widestBits());
  }

  /** Returns the slot of a workspace array. */
  ArraySlot workspace(StripArray array) {
    if (workspace.isEmpty()) {
      return output(0);
    }
    int number = inputs + part.outputs() + workspace.indexOf(array);
    return new ArraySlot(number, array.type(), AffineIndex.counter(nest.loops() - 1), true);
  }

  /** Returns the slot of an output. */
  ArraySlot output(int number) {
    ElementType type = part.values().get(number).type();
    int array = inputs + part.targets().get(number).output();
    return new ArraySlot(array, type, nest.position(part.position(number)), false);
  }

  /** Returns the slot that a value is read from; for a count, the slot with its value. */
  ArraySlot leaf(LoopNode node) {
    return switch (node) {
      case LoopNode.Read read ->
          new ArraySlot(read.input(), read.type(), nest.position(read.position()), false);
      case LoopNode.Count count ->
          new ArraySlot(
              ArraySlot.NO_ARRAY,
              count.isWide() ? ElementType.S64 : ElementType.S32,
              nest.position(count.value()),
              false);
      case LoopNode.Immediate _, LoopNode.Apply _, LoopNode.Reduced _ ->
          throw new AssertionError("no position");
    };
  }

  /** Returns a key that is equal for stages that can share the same code. */
  List<Object> structure() {
    List<Object> all =
        new ArrayList<>(
            List.of(
                nest.loops() == 1, workspace.isEmpty(), part.observesNanBits(), copiesInputs()));
    for (ArraySlot slot : slots) {
      all.add(
          List.of(slot.array(), slot.type(), slot.needsNoBase(nest), firstAtSamePosition(slot)));
      all.add(nest.innerStride(slot.position()));
    }
    all.addAll(formula.structure(this::source));
    all.add(ImmutableList.copyOf(stage.loads().values()));
    all.add(ImmutableList.copyOf(stage.saves().values()));
    all.add(ImmutableList.copyOf(stage.outputs().keySet()));
    stage.outputs().keySet().forEach(number -> all.add(isPair(number)));
    return all;
  }

  private String source(LoopNode node) {
    return isLeaf(node) ? "slot " + number(leaf(node)) : "workspace";
  }
}
