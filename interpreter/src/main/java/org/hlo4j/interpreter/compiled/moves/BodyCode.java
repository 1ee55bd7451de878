package org.hlo4j.interpreter.compiled.moves;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.compiled.lanes.ElementFunctions;
import org.hlo4j.interpreter.compiled.lanes.Lane;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/** A computation on scalars as code on lanes. */
final class BodyCode {
  private final ImmutableList<HloInstruction> parameters;
  private final ImmutableList<HloInstruction> roots;
  private final ImmutableList<HloInstruction> steps;
  private final boolean isWide;

  private BodyCode(
      List<HloInstruction> parameters, List<HloInstruction> roots, boolean isSumInDouble) {
    Set<HloInstruction> needed = new LinkedHashSet<>(parameters);
    roots.forEach(root -> collect(root, needed));
    this.parameters = ImmutableList.copyOf(parameters);
    this.roots = ImmutableList.copyOf(roots);
    this.steps = ImmutableList.copyOf(needed);
    this.isWide = isSumInDouble;
  }

  /** The code of a computation. */
  static BodyCode of(HloComputation body) {
    return new BodyCode(body.parameters(), roots(body), false);
  }

  /** The code of one that is applied again and again: plain sums of floats are kept in double. */
  static BodyCode ofFold(HloComputation body) {
    boolean isSum =
        Combine.kind(body).filter(kind -> kind == Elementwise.Kind.ADD).isPresent()
            && type(body.root()).isFloating();
    return new BodyCode(body.parameters(), roots(body), isSum);
  }

  /** The code of a value that depends on one parameter only. */
  static BodyCode of(HloInstruction parameter, HloInstruction value) {
    return new BodyCode(ImmutableList.of(parameter), ImmutableList.of(value), false);
  }

  private static List<HloInstruction> roots(HloComputation body) {
    HloInstruction root = body.root();
    return root.op() instanceof Tuple ? root.operands() : ImmutableList.of(root);
  }

  /** Operands first. */
  private static void collect(HloInstruction instruction, Set<HloInstruction> needed) {
    if (!needed.contains(instruction)) {
      instruction.operands().forEach(operand -> collect(operand, needed));
      needed.add(instruction);
    }
  }

  /** What tells it from others. */
  List<Object> structure() {
    Map<HloInstruction, Integer> numbers = new HashMap<>();
    List<Object> all = new ArrayList<>();
    for (HloInstruction step : steps) {
      all.add(step.op());
      all.add(step.shape().withoutLayout());
      all.add(step.operands().stream().map(numbers::get).toList());
      all.add(step.called());
      numbers.put(step, numbers.size());
    }
    all.add(roots.stream().map(numbers::get).toList());
    all.add(isWide);
    return all;
  }

  /** Whether there is code for all of it. */
  boolean isKnown() {
    return steps.stream()
        .allMatch(instruction ->
            switch (instruction.op()) {
              case Parameter _, Constant _ -> isScalar(instruction);
              default ->
                  isScalar(instruction)
                      && instruction.operands().stream().allMatch(BodyCode::isScalar)
                      && traits(instruction).isSupported();
            });
  }

  /** Whether vectors can do all of it. */
  boolean isVector() {
    return computing().allMatch(instruction -> traits(instruction).isVector());
  }

  /** Bits of the widest lane in it. */
  int widestBits() {
    int computed =
        computing().mapToInt(instruction -> traits(instruction).widestBits()).max().orElse(0);
    int carried =
        parameters.stream().mapToInt(parameter -> Lane.of(type(parameter)).bits()).max().orElse(0);
    return Math.max(Math.max(computed, carried), isWide ? Double.SIZE : 0);
  }

  private Stream<HloInstruction> computing() {
    return steps.stream()
        .filter(step -> !(step.op() instanceof Parameter || step.op() instanceof Constant));
  }

  private static boolean isScalar(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array
        && array.isScalar()
        && !array.elementType().isComplex();
  }

  private static ElementFunctions.Traits traits(HloInstruction instruction) {
    return ElementFunctions.traits(instruction.op(), types(instruction), type(instruction));
  }

  private static ElementType type(HloInstruction instruction) {
    return ((Shape.Array) instruction.shape()).elementType();
  }

  private static List<ElementType> types(HloInstruction instruction) {
    return instruction.operands().stream().map(BodyCode::type).toList();
  }

  /** The type of a parameter. */
  ElementType type(int parameter) {
    return type(parameters.get(parameter));
  }

  int parameterCount() {
    return parameters.size();
  }

  /** How many values it folds, if it is one that folds. */
  int count() {
    return parameters.size() / 2;
  }

  /** The type of its one result. */
  ElementType resultType() {
    return type(roots.get(0));
  }

  /** Whether it is a plain sum of floats, which is kept in double. */
  boolean isWide() {
    return isWide;
  }

  /** Writes it, given the values of its parameters. */
  List<Value> write(Lanes lanes, List<Value> arguments) {
    if (isWide) {
      return ImmutableList.of(lanes.add(arguments.get(0), arguments.get(1)));
    }
    Map<HloInstruction, Value> values = new HashMap<>();
    for (int i = 0; i < arguments.size(); i++) {
      values.put(parameters.get(i), arguments.get(i));
    }
    List<Value> results = new ArrayList<>();
    for (HloInstruction root : roots) {
      results.add(value(lanes, root, values));
    }
    return results;
  }

  private static Value value(
      Lanes lanes, HloInstruction instruction, Map<HloInstruction, Value> values) {
    Value known = values.get(instruction);
    if (known != null) {
      return known;
    }
    List<Value> operands = new ArrayList<>();
    for (HloInstruction operand : instruction.operands()) {
      operands.add(value(lanes, operand, values));
    }
    Value value =
        instruction.op() instanceof Constant constant
            ? constant(lanes, constant.literal())
            : ElementFunctions.apply(
                lanes, instruction.op(), types(instruction), type(instruction), operands);
    values.put(instruction, value);
    return value;
  }

  private static Value constant(Lanes lanes, Literal scalar) {
    ElementType type = scalar.elementType();
    Number number = type.isFloating() ? (Number) scalar.doubleAt(0) : (Number) scalar.longAt(0);
    return lanes.constant(Lane.of(type), number);
  }
}
