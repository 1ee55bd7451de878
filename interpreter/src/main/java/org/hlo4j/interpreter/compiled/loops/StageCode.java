package org.hlo4j.interpreter.compiled.loops;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.lanes.Lane;
import org.hlo4j.interpreter.compiled.lanes.VectorSupport;

/** A stage over loops, with a slot for each position that its code is at. */
final class StageCode {
  private final Stage stage;
  private final Part part;
  private final Nest nest;
  private final int inputs;
  private final boolean isThroughOutput;
  private final ImmutableList<Slot> slots;
  private final Map<Integer, Slot> scratch = new HashMap<>();
  private final Map<Slot, Integer> numbers = new LinkedHashMap<>();
  private int widestLane = Lane.I32.bits();
  private int weight;

  /**
   * The code of a stage.
   *
   * @param inputs how many arrays lie before those of the outputs; scratch lies behind both
   * @param isThroughOutput whether values go to the next stage by the output, not by scratch: see
   *     {@link #canGoThroughOutput}
   */
  StageCode(Stage stage, Part part, Nest nest, int inputs, boolean isThroughOutput) {
    this.stage = stage;
    this.part = part;
    this.nest = nest;
    this.inputs = inputs;
    this.isThroughOutput = isThroughOutput;
    Set<Node> seen = new LinkedHashSet<>();
    stage
        .loads()
        .forEach((node, number) -> {
          addScratch(node, number);
          seen.add(node);
        });
    stage.results().forEach(node -> addLeaves(node, seen));
    stage.saves().forEach(this::addScratch);
    stage.outputs().keySet().forEach(number -> add(output(number)));
    slots = ImmutableList.copyOf(numbers.keySet());
  }

  private void addLeaves(Node node, Set<Node> seen) {
    if (!seen.add(node)) {
      return;
    }
    widestLane = Math.max(widestLane, Lane.of(node.type()).bits());
    switch (node) {
      case Node.Immediate immediate -> {}
      case Node.Read read -> add(leaf(read));
      case Node.Count count -> add(leaf(count));
      case Node.Apply apply -> {
        weight += Traits.weight(apply);
        widestLane = Math.max(widestLane, Traits.widestBits(apply));
        apply.operands().forEach(operand -> addLeaves(operand, seen));
      }
    }
  }

  private void addScratch(Node node, int number) {
    widestLane = Math.max(widestLane, Lane.of(node.type()).bits());
    Affine turn = Affine.counter(nest.loops() - 1);
    int array = inputs + part.outputs() + number;
    Slot slot = isThroughOutput ? output(0) : new Slot(array, Stage.scratchType(node), turn, true);
    scratch.put(number, slot);
    add(slot);
  }

  /**
   * Whether the only output can hold, strip by strip, the one value that each stage hands to the
   * next. C2 makes vectors of a loop over single elements only if all arrays are at the same index.
   */
  static boolean canGoThroughOutput(ImmutableList<Stage> stages, Part part) {
    if (VectorSupport.isOn() || part.values().size() != 1) {
      return false;
    }
    for (int s = 0; s + 1 < stages.size(); s++) {
      Set<Node> saved = stages.get(s).saves().keySet();
      boolean isHandedOn = saved.equals(stages.get(s + 1).loads().keySet()) && saved.size() == 1;
      if (!isHandedOn
          || !stages.get(s).outputs().isEmpty()
          || Stage.scratchType(saved.iterator().next()) != part.type(0)) {
        return false;
      }
    }
    return true;
  }

  private void add(Slot slot) {
    numbers.putIfAbsent(slot, numbers.size());
  }

  Stage stage() {
    return stage;
  }

  Nest nest() {
    return nest;
  }

  /** The values of which one NaN may be told from another. */
  ImmutableList<Node> seen() {
    return part.areBitsSeen() ? stage.results() : ImmutableList.of();
  }

  /** The positions, in the order of their bases. */
  ImmutableList<Slot> slots() {
    return slots;
  }

  /** Which of the slots it is. */
  int number(Slot slot) {
    return requireNonNull(numbers.get(slot));
  }

  /** How heavy the loop is, as {@link Traits} has it. */
  int weight() {
    return weight;
  }

  /** Bits of the widest lane in the loop. */
  int widestLane() {
    return widestLane;
  }

  /** Where a scratch array is read or written. */
  Slot scratch(int number) {
    return requireNonNull(scratch.get(number));
  }

  /** Where an output is written. */
  Slot output(int number) {
    ElementType type = part.values().get(number).type();
    int array = inputs + part.targets().get(number).output();
    return new Slot(array, type, nest.position(part.position(number)), false);
  }

  /** Where a value is read; of a count, what it is. */
  Slot leaf(Node node) {
    return switch (node) {
      case Node.Read read ->
          new Slot(read.input(), read.type(), nest.position(read.position()), false);
      case Node.Count count ->
          new Slot(Slot.NO_ARRAY, ElementType.S32, nest.position(count.value()), false);
      case Node.Immediate immediate -> throw new IllegalArgumentException("no position");
      case Node.Apply apply -> throw new IllegalArgumentException("no position");
    };
  }

  /** Text that two stages share if the same code does for both. */
  String structure() {
    StringBuilder text = new StringBuilder(nest.loops() == 1 ? "row" : "rows");
    text.append(isThroughOutput ? " through" : "");
    text.append(part.areBitsSeen() ? " seen" : "");
    for (Slot slot : slots) {
      text.append('|').append(slot.array()).append(slot.type());
      text.append(slot.isPlain(nest) ? "=" : "+").append(nest.innerStride(slot.position()));
    }
    Map<Node, Integer> named = new HashMap<>();
    stage.loads().forEach((node, number) -> describe(node, "load " + number, named, text));
    stage
        .saves()
        .forEach((node, number) ->
            text.append("|save ").append(number).append(' ').append(describe(node, named, text)));
    stage
        .outputs()
        .forEach((number, node) ->
            text.append("|out ").append(number).append(' ').append(describe(node, named, text)));
    return text.toString();
  }

  private static void describe(
      Node node, String definition, Map<Node, Integer> named, StringBuilder text) {
    int name = named.size();
    named.put(node, name);
    text.append("|n").append(name).append(':').append(node.type()).append('=').append(definition);
  }

  private int describe(Node node, Map<Node, Integer> named, StringBuilder text) {
    Integer known = named.get(node);
    if (known != null) {
      return known;
    }
    String definition =
        switch (node) {
          case Node.Immediate immediate -> immediate.scalar().bitsAt(0) + "!";
          case Node.Read read -> "slot " + number(leaf(read));
          case Node.Count count -> "count " + number(leaf(count));
          case Node.Apply apply -> {
            StringBuilder call = new StringBuilder(apply.op().toString());
            apply
                .operands()
                .forEach(operand -> call.append(' ').append(describe(operand, named, text)));
            yield call.toString();
          }
        };
    describe(node, definition, named, text);
    return named.size() - 1;
  }
}
