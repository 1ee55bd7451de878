package org.hlo4j.interpreter.compiled.moves;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
  private final HloComputation body;

  BodyCode(HloComputation body) {
    this.body = body;
  }

  /** Whether there is code for all of it. */
  boolean isKnown() {
    return body.instructions().stream()
        .allMatch(instruction ->
            switch (instruction.op()) {
              case Parameter _, Constant _ -> isScalar(instruction);
              case Tuple _ -> instruction == body.root();
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
        body.parameters().stream()
            .mapToInt(parameter -> Lane.of(type(parameter)).bits())
            .max()
            .orElse(0);
    return Math.max(Math.max(computed, carried), isSum() ? Double.SIZE : 0);
  }

  private Stream<HloInstruction> computing() {
    return body.instructions().stream()
        .filter(instruction ->
            !(instruction.op() instanceof Parameter
                || instruction.op() instanceof Constant
                || instruction.op() instanceof Tuple));
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
    return type(body.parameters().get(parameter));
  }

  /** How many values it folds. */
  int count() {
    return body.parameters().size() / 2;
  }

  /** Whether it is a plain sum of floats, which is kept in double. */
  boolean isSum() {
    return type(0).isFloating()
        && Combine.kind(body).filter(kind -> kind == Elementwise.Kind.ADD).isPresent();
  }

  /** Writes it, given the values of its parameters. */
  List<Value> write(Lanes lanes, List<Value> parameters) {
    if (isSum()) {
      return ImmutableList.of(lanes.add(parameters.get(0), parameters.get(1)));
    }
    Map<HloInstruction, Value> values = new HashMap<>();
    for (int i = 0; i < parameters.size(); i++) {
      values.put(body.parameters().get(i), parameters.get(i));
    }
    HloInstruction root = body.root();
    List<Value> results = new ArrayList<>();
    for (HloInstruction part : root.op() instanceof Tuple ? root.operands() : List.of(root)) {
      results.add(value(lanes, part, values));
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
