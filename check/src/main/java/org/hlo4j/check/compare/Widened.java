package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.External;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.engine.Effects;

/**
 * A module that computes in f64 and c128 what it computed in narrower types, and rounds the result
 * once. More digits are never wrong, also if the text of the program rounds away what it needs.
 * What reads or makes the bits of a type, calls and transfers keep the type.
 */
final class Widened {
  private final Effects effects = new Effects();
  private final IdentityHashMap<HloComputation, HloComputation> computations =
      new IdentityHashMap<>();

  private Widened() {}

  /** Returns the module in f64; empty if it has no narrower floats, or cannot be widened. */
  static Optional<HloModule> of(HloModule module) {
    boolean isNarrow =
        module.computations().stream()
            .flatMap(each -> each.instructions().stream())
            .anyMatch(each -> !widened(each.shape()).equals(each.shape()));
    Widened widened = new Widened();
    boolean isSuited =
        module.computations().stream()
            .flatMap(each -> each.instructions().stream())
            .allMatch(each -> each.called().isEmpty() || !widened.keepsType(each));
    return isNarrow && isSuited
        ? Optional.of(
            HloModule.create(module.name(), widened.new Copy(module.entry(), true).copy())
                .withText(module.attributes(), module.stackFrames()))
        : Optional.empty();
  }

  private static Shape widened(Shape shape) {
    return shape.mapArrays(array ->
        array.elementType().isFloating()
            ? array.withElementType(ElementType.F64)
            : array.elementType().isComplex() ? array.withElementType(ElementType.C128) : array);
  }

  private static Shape.Array widened(Shape.Array shape) {
    return (Shape.Array) widened((Shape) shape);
  }

  private static ElementType widened(ElementType type) {
    return widened(Shape.of(type)).elementType();
  }

  /**
   * Returns whether an instruction reads or makes the bits of its types, or is not computed here.
   */
  private boolean keepsType(HloInstruction instruction) {
    return switch (instruction.op()) {
      case BitcastConvert _, StochasticConvert _, CustomCall _, External _ -> true;
      case Constant constant -> !(constant.literal().shape() instanceof Shape.Array);
      case Op op ->
          effects.hasEffect(instruction)
              || op.opcode().startsWith("async")
              || op.opcode().startsWith("all-")
              || op.opcode().startsWith("rng")
              || op.opcode().contains("bitcast")
              || op.opcode().contains("dynamic-reshape")
              || op.opcode().contains("set-dimension");
    };
  }

  private static Op widened(Op op) {
    return switch (op) {
      case Parameter parameter -> new Parameter(parameter.number(), widened(parameter.shape()));
      case Constant constant ->
          new Constant(
              constant.literal().convertElementType(widened(constant.literal().elementType())));
      case Broadcast broadcast -> new Broadcast(widened(broadcast.shape()), broadcast.dimensions());
      case Iota iota -> new Iota(widened(iota.shape()), iota.iotaDimension());
      case Reshape reshape -> new Reshape(widened(reshape.shape()));
      case Convert convert -> new Convert(widened(convert.newElementType()));
      case Dot dot when dot.preferredElementType().isPresent() ->
          dot.withPreferredElementType(widened(dot.preferredElementType().get()));
      case Convolution op2 when op2.preferredElementType().isPresent() ->
          op2.withPreferredElementType(widened(op2.preferredElementType().get()));
      case Scan scan ->
          new Scan(
              scan.dimensions(),
              scan.numCarries(),
              scan.isReverse(),
              scan.isAssociative(),
              scan.shape().map(Widened::widened));
      default -> op;
    };
  }

  /** The copy of one computation. */
  private final class Copy {
    private final HloComputation computation;
    private final boolean isEntry;
    private final List<HloInstruction> instructions = new ArrayList<>();
    private final IdentityHashMap<HloInstruction, HloInstruction> copies = new IdentityHashMap<>();

    Copy(HloComputation computation, boolean isEntry) {
      this.computation = computation;
      this.isEntry = isEntry;
    }

    HloComputation copy() {
      computation.instructions().forEach(this::add);
      HloInstruction last = copies.getOrDefault(computation.root(), computation.root());
      HloInstruction root = isEntry ? converted(last, computation.root().shape()) : last;
      return HloComputation.create(
          computation.name(), instructions, root, computation.executionThread());
    }

    private void add(HloInstruction original) {
      boolean keeps = keepsType(original) || (isEntry && original.op() instanceof Parameter);
      List<HloInstruction> operands = new ArrayList<>();
      for (HloInstruction operand : original.operands()) {
        HloInstruction copy = copies.getOrDefault(operand, operand);
        operands.add(keeps ? converted(copy, operand.shape()) : copy);
      }
      HloInstruction copy =
          added(
              HloInstruction.create(
                  original.name(),
                  keeps ? original.op() : widened(original.op()),
                  operands,
                  original.called().stream().map(Widened.this::of).toList(),
                  keeps ? original.shape() : widened(original.shape()),
                  original.metadata(),
                  original.attributes()));
      copies.put(original, converted(copy, widened(original.shape())));
    }

    /** Returns a value of other types, array by array. */
    private HloInstruction converted(HloInstruction value, Shape shape) {
      if (value.shape().equals(shape)) {
        return value;
      }
      String name = "widened." + instructions.size() + "." + value.name();
      if (shape instanceof Shape.Array array) {
        return added(create(name, new Convert(array.elementType()), shape, value));
      }
      List<HloInstruction> elements = new ArrayList<>();
      List<Shape> from = ((Shape.Tuple) value.shape()).elements();
      for (int i = 0; i < from.size(); i++) {
        HloInstruction element =
            added(create(name + "." + i, new GetTupleElement(i), from.get(i), value));
        elements.add(converted(element, ((Shape.Tuple) shape).elements().get(i)));
      }
      return added(create(name, new Tuple(), shape, elements.toArray(HloInstruction[]::new)));
    }

    private HloInstruction added(HloInstruction instruction) {
      instructions.add(instruction);
      return instruction;
    }
  }

  private static HloInstruction create(
      String name, Op op, Shape shape, HloInstruction... operands) {
    return HloInstruction.create(
        name, op, ImmutableList.copyOf(operands), ImmutableList.of(), shape, Metadata.NONE);
  }

  private HloComputation of(HloComputation computation) {
    HloComputation known = computations.get(computation);
    if (known == null) {
      known = new Copy(computation, false).copy();
      computations.put(computation, known);
    }
    return known;
  }
}
