package org.hlo4j.pjrt.form;

import com.google.common.collect.Maps;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.ModuleCopy;
import org.hlo4j.hlo.ir.UnknownFields;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;

/**
 * A module whose entry takes and gives arrays only, as plugins do: a parameter for each array in
 * the parameters, and a tuple of the arrays in the result. A token that comes in is made inside,
 * and one that goes out is left out: it orders nothing beyond the run.
 */
final class FlatEntry extends ModuleCopy {
  /** What the header says by the numbers of parameters and results. */
  private static final Set<String> BY_NUMBER =
      Set.of("buffer_donor", "entry_computation_layout", "input_output_alias");

  private final HloComputation entry;
  private int parameters;
  private int made;

  private FlatEntry(HloComputation entry) {
    this.entry = entry;
  }

  /**
   * Returns the module with such an entry.
   *
   * @throws HloException if a parameter or the result has something else than arrays and tokens
   */
  static HloModule of(HloModule module) {
    HloComputation entry = module.entry();
    boolean isFlat =
        entry.parameters().stream().allMatch(each -> each.shape() instanceof Shape.Array)
            && (entry.root().shape() instanceof Shape.Array
                || (entry.root().shape() instanceof Shape.Tuple tuple
                    && tuple.elements().stream().allMatch(Shape.Array.class::isInstance)));
    return isFlat
        ? module
        : new FlatEntry(entry)
            .copy(module)
            .withText(
                Maps.filterKeys(module.attributes(), name -> !BY_NUMBER.contains(name)),
                module.stackFrames())
            .withUnknownFields(UnknownFields.NONE);
  }

  @Override
  protected boolean changes(HloComputation computation) {
    return computation == entry;
  }

  @Override
  protected void write(
      HloComputation computation, HloInstruction instruction, List<HloInstruction> to) {
    if (computation == entry && to.isEmpty()) {
      entry.parameters().forEach(each -> put(each, parameter(each.name(), each.shape(), to)));
    }
    if (computation != entry || !(instruction.op() instanceof Parameter)) {
      replace(instruction, updated(instruction), to);
    }
  }

  @Override
  protected HloInstruction root(HloComputation computation, List<HloInstruction> to) {
    HloInstruction root = super.root(computation, to);
    if (computation != entry) {
      return root;
    }
    List<HloInstruction> leaves = new ArrayList<>();
    leaves(root, leaves, to);
    return add("flat.result", new Tuple(), leaves, to);
  }

  private HloInstruction parameter(String name, Shape shape, List<HloInstruction> to) {
    return switch (shape) {
      case Shape.Array array -> {
        Parameter op = new Parameter(parameters++, array);
        yield add(HloInstruction.of(name, op).withOp(op, array), to); // with its layout
      }
      case Shape.Token _ -> add(name, new AfterAll(), List.of(), to);
      case Shape.Tuple tuple -> {
        List<HloInstruction> elements = new ArrayList<>();
        for (Shape element : tuple.elements()) {
          elements.add(parameter("flat." + made++, element, to));
        }
        yield add(name, new Tuple(), elements, to);
      }
      case Shape.Buffer _, Shape.Opaque _ -> throw refusal("parameter " + name, shape);
    };
  }

  private void leaves(HloInstruction value, List<HloInstruction> into, List<HloInstruction> to) {
    switch (value.shape()) {
      case Shape.Array _ -> into.add(value);
      case Shape.Token _ -> {}
      case Shape.Tuple tuple -> {
        for (int i = 0; i < tuple.elements().size(); i++) {
          leaves(add("flat." + made++, new GetTupleElement(i), List.of(value), to), into, to);
        }
      }
      case Shape.Buffer _, Shape.Opaque _ -> throw refusal("result", value.shape());
    }
  }

  private static HloException refusal(String what, Shape shape) {
    return new HloException(
        Kind.UNSUPPORTED, "pjrt: the " + what + " got " + shape + ", want arrays and tokens");
  }

  private static HloInstruction add(
      String name, Op op, List<HloInstruction> operands, List<HloInstruction> to) {
    return add(HloInstruction.of(name, op, operands.toArray(HloInstruction[]::new)), to);
  }

  private static HloInstruction add(HloInstruction made, List<HloInstruction> to) {
    to.add(made);
    return made;
  }
}
