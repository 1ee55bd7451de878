package org.hlo4j.check.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.ModuleCopy;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.External;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.interpreter.engine.Effects;

/**
 * A module that computes in f64 and c128 what it computed in narrower types, and rounds the result
 * once. More digits are never wrong, also if the text of the program rounds away what it needs.
 * What reads or makes the bits of a type, calls and transfers keep the type.
 */
final class Widened extends ModuleCopy {
  private final Effects effects = new Effects();
  private final HloComputation entry;

  private Widened(HloComputation entry) {
    this.entry = entry;
  }

  /** Returns the module in f64; empty if it has no narrower floats, or cannot be widened. */
  static Optional<HloModule> of(HloModule module) {
    Widened widened = new Widened(module.entry());
    return module.instructions().anyMatch(each -> !widened(each.shape()).equals(each.shape()))
            && module
                .instructions()
                .allMatch(each -> each.called().isEmpty() || !widened.keepsType(each))
        ? Optional.of(widened.copy(module))
        : Optional.empty();
  }

  private static Shape widened(Shape shape) {
    return shape.mapArrays(array -> array.withElementType(widened(array.elementType())));
  }

  private static ElementType widened(ElementType type) {
    return type.isFloating() ? ElementType.F64 : type.isComplex() ? ElementType.C128 : type;
  }

  /**
   * Returns whether an instruction reads or makes the bits of its types, or is not computed here.
   */
  private boolean keepsType(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Bitcast _,
          BitcastConvert _,
          StochasticConvert _,
          RngBitGenerator _,
          CustomCall _,
          External _ ->
          true;
      case Constant constant -> !(constant.literal().shape() instanceof Shape.Array);
      default -> effects.hasEffect(instruction);
    };
  }

  private static Object widened(Object attribute) {
    return switch (attribute) {
      case Shape shape -> widened(shape);
      case ElementType type -> widened(type);
      case Literal literal -> literal.convertElementType(widened(literal.elementType()));
      case Optional<?> some -> some.map(Widened::widened);
      default -> attribute;
    };
  }

  @Override
  protected void write(
      HloComputation computation, HloInstruction instruction, List<HloInstruction> to) {
    HloInstruction updated = updated(instruction);
    if (keepsType(instruction)
        || (computation.equals(entry) && instruction.op() instanceof Parameter)) {
      List<HloInstruction> operands = new ArrayList<>();
      for (HloInstruction each : instruction.operands()) {
        operands.add(converted(copy(each), each.shape(), to));
      }
      to.add(updated.withOperands(operands));
    } else {
      Op op = OpSchema.with(updated.op(), (name, value) -> widened(value));
      to.add(updated.withOp(op, widened(updated.shape())));
    }
    put(instruction, converted(to.getLast(), widened(instruction.shape()), to));
  }

  @Override
  protected HloInstruction root(HloComputation computation, List<HloInstruction> to) {
    HloInstruction root = copy(computation.root());
    return computation.equals(entry) ? converted(root, computation.root().shape(), to) : root;
  }

  /** Returns a value of other types, array by array. */
  private static HloInstruction converted(
      HloInstruction value, Shape shape, List<HloInstruction> to) {
    if (value.shape().equals(shape)) {
      return value;
    }
    String name = "widened." + to.size() + "." + value.name();
    Op op = shape instanceof Shape.Array array ? new Convert(array.elementType()) : new Tuple();
    List<HloInstruction> operands = new ArrayList<>(List.of(value));
    if (shape instanceof Shape.Tuple tuple) {
      operands.clear();
      for (int i = 0; i < tuple.elements().size(); i++) {
        to.add(HloInstruction.of(name + "." + i, new GetTupleElement(i), value));
        operands.add(converted(to.getLast(), tuple.elements().get(i), to));
      }
    }
    to.add(HloInstruction.of(name, op, operands.toArray(HloInstruction[]::new)).withOp(op, shape));
    return to.getLast();
  }
}
