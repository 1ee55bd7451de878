package org.hlo4j.interpreter.compiled.folds;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.compiled.lanes.ElementFunctions;
import org.hlo4j.interpreter.compiled.lanes.Lane;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/** Writes one step of a fold: accumulators and elements in, accumulators out. */
final class BodyCode {
  private final Lanes lanes;
  private final Body body;

  BodyCode(Lanes lanes, Body body) {
    this.lanes = lanes;
    this.body = body;
  }

  /** Whether all ops of a body can be written. */
  static boolean knows(Body body) {
    if (body.isSum() || (body.single().isPresent() && body.isUnordered())) {
      return true;
    }
    HloComputation computation = body.computation();
    return computation.instructions().stream()
        .allMatch(instruction ->
            switch (instruction.op()) {
              case Parameter parameter -> true;
              case Constant constant -> isScalar(instruction);
              case Tuple tuple -> instruction == computation.root();
              default ->
                  isScalar(instruction)
                      && instruction.operands().stream().allMatch(BodyCode::isScalar)
                      && ElementFunctions.supports(
                          instruction.op(), types(instruction), type(instruction));
            });
  }

  private static boolean isScalar(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array && array.isScalar();
  }

  private static ElementType type(HloInstruction instruction) {
    return ((Shape.Array) instruction.shape()).elementType();
  }

  private static List<ElementType> types(HloInstruction instruction) {
    return instruction.operands().stream().map(BodyCode::type).toList();
  }

  /** What tells a computation of scalars from others. */
  static String structure(HloComputation computation) {
    Map<HloInstruction, Integer> numbers = new HashMap<>();
    StringBuilder text = new StringBuilder();
    for (HloInstruction instruction : computation.instructions()) {
      text.append(numbers.size()).append('=').append(instruction.shape());
      if (instruction.op() instanceof Constant constant) {
        text.append(constant.literal().toHloText());
      } else {
        text.append(instruction.op());
      }
      instruction.operands().forEach(operand -> text.append(' ').append(numbers.get(operand)));
      text.append('\n');
      numbers.put(instruction, numbers.size());
    }
    return text.append(numbers.get(computation.root())).toString();
  }

  /** The type of what is folded. */
  ElementType elementType(int number) {
    return elementType(body, number);
  }

  /** The type of what a body folds. */
  static ElementType elementType(Body body, int number) {
    return type(body.computation().parameters().get(body.count() + number));
  }

  /** The type of what it is folded into: f64 for a sum of floats. */
  ElementType accumulatorType(int number) {
    return accumulatorType(body, number);
  }

  /** The type of what a body folds into: f64 for a sum of floats. */
  static ElementType accumulatorType(Body body, int number) {
    return body.isSum() ? ElementType.F64 : elementType(body, number);
  }

  List<Value> write(List<Value> accumulators, List<Value> elements) {
    if (body.isSum()) {
      return List.of(Single.of(body).write(lanes, accumulators.get(0), elements.get(0)));
    }
    Map<HloInstruction, Value> values = new HashMap<>();
    List<HloInstruction> parameters = body.computation().parameters();
    for (int k = 0; k < body.count(); k++) {
      values.put(parameters.get(k), accumulators.get(k));
      values.put(parameters.get(body.count() + k), elements.get(k));
    }
    HloInstruction root = body.computation().root();
    List<HloInstruction> results = root.op() instanceof Tuple ? root.operands() : List.of(root);
    List<Value> next = new ArrayList<>();
    results.forEach(result -> next.add(value(result, values)));
    return next;
  }

  private Value value(HloInstruction instruction, Map<HloInstruction, Value> values) {
    Value known = values.get(instruction);
    if (known != null) {
      return known;
    }
    Value value =
        instruction.op() instanceof Constant constant
            ? constant(lanes, constant.literal())
            : ElementFunctions.apply(
                lanes,
                instruction.op(),
                types(instruction),
                type(instruction),
                instruction.operands().stream().map(operand -> value(operand, values)).toList());
    values.put(instruction, value);
    return value;
  }

  /** A scalar in all elements. */
  static Value constant(Lanes lanes, Literal scalar) {
    ElementType type = scalar.elementType();
    Number number = type.isFloating() ? (Number) scalar.doubleAt(0) : (Number) scalar.longAt(0);
    return lanes.constant(Lane.of(type), number);
  }
}
