package org.hlo4j.interpreter.reference;

import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.interpreter.engine.DynamicShapes;
import org.hlo4j.interpreter.engine.WholeArrays;
import org.jspecify.annotations.Nullable;

/**
 * Values that enter a computation whose parameters are declared static. An array that was cut is
 * whole again there, as XLA keeps the room of the bound; one that never had more elements is
 * refused.
 */
final class EnteringValues {
  private EnteringValues() {}

  /** Returns the operands of an instruction as the computations that it calls take them. */
  static List<Literal> of(
      HloInstruction instruction, List<Literal> operands, WholeArrays wholeArrays) {
    List<Literal> entering = new ArrayList<>(operands);
    for (int i = 0; i < entering.size(); i++) {
      Shape declared = parameter(instruction, i);
      if (declared != null) {
        entering.set(i, of(instruction, declared, operands.get(i), wholeArrays));
      }
    }
    return entering;
  }

  /** Returns the shape that the parameter is declared with which an operand becomes. */
  private static @Nullable Shape parameter(HloInstruction instruction, int operand) {
    List<HloComputation> called = instruction.called();
    return switch (instruction.op()) {
      case AsyncStart _, Call _, Fusion _ -> called.get(0).parameters().get(operand).shape();
      default -> null;
    };
  }

  /**
   * Returns a value as it is where it is declared.
   *
   * @throws org.hlo4j.hlo.HloException if it has fewer elements than are declared
   */
  static Literal of(
      HloInstruction instruction, Shape declared, Literal value, WholeArrays wholeArrays) {
    if (DynamicShapes.within(declared, value.shape())) {
      return value;
    }
    Literal whole = whole(declared, value, wholeArrays);
    require(
        whole != null,
        "",
        "%s: got %s at run time, want %s",
        instruction.op().opcode(),
        value.shape(),
        declared.withoutLayout());
    return requireNonNull(whole);
  }

  private static @Nullable Literal whole(Shape declared, Literal value, WholeArrays wholeArrays) {
    if (declared instanceof Shape.Tuple tuple) {
      ImmutableList.Builder<Literal> elements = ImmutableList.builder();
      for (int i = 0; i < tuple.elements().size(); i++) {
        Literal element = whole(tuple.elements().get(i), value.element(i), wholeArrays);
        if (element == null) {
          return null;
        }
        elements.add(element);
      }
      return Literal.tuple(elements.build());
    }
    return DynamicShapes.within(declared, value.shape())
        ? value
        : Boxes.first(value, sizes((Shape.Array) declared, value), wholeArrays);
  }

  private static Dims sizes(Shape.Array declared, Literal value) {
    Dims sizes = declared.sizes();
    for (int dimension : declared.dynamicDimensions()) {
      sizes = sizes.with(dimension, value.arrayShape().size(dimension));
    }
    return sizes;
  }
}
