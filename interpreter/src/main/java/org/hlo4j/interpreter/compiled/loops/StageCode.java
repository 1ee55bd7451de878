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
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;
import org.hlo4j.interpreter.compiled.expr.Formula;
import org.hlo4j.interpreter.compiled.expr.Term;

/** A stage over loops, with a slot for each position that its code is at. */
final class StageCode {
  private final Stage stage;
  private final Part part;
  private final Nest nest;
  private final int inputs;
  private final boolean isThroughOutput;
  private final Formula<Node> formula;
  private final ImmutableList<Slot> slots;
  private final Map<Integer, Slot> scratch = new HashMap<>();
  private final Map<Slot, Integer> numbers = new LinkedHashMap<>();
  private final Map<Slot, Integer> places = new HashMap<>();

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
    formula = new Formula<>(stage.loads().keySet(), stage.results(), this::term);
    stage.loads().forEach(this::addScratch);
    formula.terms().keySet().forEach(this::addLeaf);
    stage.saves().forEach(this::addScratch);
    stage.outputs().keySet().forEach(number -> add(output(number)));
    slots = ImmutableList.copyOf(numbers.keySet());
    slots.forEach(slot -> places.putIfAbsent(slot.place(), number(slot)));
  }

  private Term<Node> term(Node node) {
    return stage.loads().containsKey(node) ? new Term.Given<>(node.type()) : node.term();
  }

  private void addLeaf(Node node) {
    if (isLeaf(node)) {
      add(leaf(node));
    }
  }

  /** Whether it is read or counted here. */
  private boolean isLeaf(Node node) {
    return !stage.loads().containsKey(node)
        && (node instanceof Node.Read || node instanceof Node.Count);
  }

  private void addScratch(Node node, int number) {
    Affine iteration = Affine.counter(nest.loops() - 1);
    int array = inputs + part.outputs() + number;
    Slot slot =
        isThroughOutput ? output(0) : new Slot(array, Stage.scratchType(node), iteration, true);
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
    return part.observesNanBits() ? stage.results() : ImmutableList.of();
  }

  /** The positions, in the order of their bases. */
  ImmutableList<Slot> slots() {
    return slots;
  }

  /** Which of the slots it is. */
  int number(Slot slot) {
    return requireNonNull(numbers.get(slot));
  }

  /** The first of the slots at the same place, whatever their arrays. */
  int first(Slot slot) {
    return requireNonNull(places.get(slot.place()));
  }

  /** How heavy the loop is, as {@link Traits} has it. */
  int weight() {
    return formula.applied().mapToInt(Traits::weight).sum();
  }

  /** Whether vectors can do it: all of its ops, and all that is read and written. */
  boolean isForVectors() {
    return formula.isVector()
        && slots.stream().allMatch(slot -> slot.array() == Slot.NO_ARRAY || isForVectors(slot));
  }

  /** Whether vectors can read what is there; or write it, maybe as one of {@link #isPair}. */
  private boolean isForVectors(Slot slot) {
    long stride = nest.innerStride(slot.position());
    boolean isOutput = slot.array() >= inputs && !slot.scratch();
    if (!isOutput) {
      return Strided.isReadable(slot.type(), stride);
    }
    return stride == 1
        || stage.outputs().keySet().stream()
            .filter(number -> output(number).equals(slot))
            .allMatch(number -> isPair(number) || isPair(number - 1));
  }

  /**
   * Whether an output and the next are written here, the one right behind each element of the other
   * and nothing else between: the parts of complex numbers.
   */
  boolean isPair(int number) {
    if (!stage.outputs().containsKey(number) || !stage.outputs().containsKey(number + 1)) {
      return false;
    }
    Slot first = output(number);
    Slot second = output(number + 1);
    return first.array() == second.array()
        && nest.innerStride(first.position()) == Strided.APART
        && first.position().plus(1).equals(second.position());
  }

  /** Bits of the widest lane in the loop. */
  int widestLane() {
    return Math.max(Lane.I32.bits(), formula.widestBits());
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

  /** What two stages share if the same code does for both. */
  List<Object> structure() {
    List<Object> all =
        new ArrayList<>(List.of(nest.loops() == 1, isThroughOutput, part.observesNanBits()));
    for (Slot slot : slots) {
      all.add(List.of(slot.array(), slot.type(), slot.isPlain(nest), first(slot)));
      all.add(nest.innerStride(slot.position()));
    }
    all.addAll(formula.structure(this::source));
    all.add(ImmutableList.copyOf(stage.loads().values()));
    all.add(ImmutableList.copyOf(stage.saves().values()));
    all.add(ImmutableList.copyOf(stage.outputs().keySet()));
    stage.outputs().keySet().forEach(number -> all.add(isPair(number)));
    return all;
  }

  private String source(Node node) {
    return isLeaf(node) ? "slot " + number(leaf(node)) : "scratch";
  }
}
