package org.hlo4j.pjrt.form;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Maps;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
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
final class FlatEntry {
  /** What the header says by the numbers of parameters and results. */
  private static final Set<String> BY_NUMBER =
      Set.of("buffer_donor", "entry_computation_layout", "input_output_alias");

  private final List<HloInstruction> written = new ArrayList<>();
  private int parameters;
  private int made;

  private FlatEntry() {}

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
    return isFlat ? module : new FlatEntry().flat(module);
  }

  private HloModule flat(HloModule module) {
    HloComputation entry = module.entry();
    Map<HloInstruction, HloInstruction> known = new HashMap<>();
    for (HloInstruction parameter : entry.parameters()) {
      known.put(parameter, parameter(parameter.name(), parameter.shape()));
    }
    for (HloInstruction each : entry.instructions()) {
      if (!known.containsKey(each)) {
        List<HloInstruction> operands = new ArrayList<>();
        each.operands().forEach(operand -> operands.add(known(known, operand)));
        known.put(each, add(each.withOperands(operands)));
      }
    }
    List<HloInstruction> leaves = new ArrayList<>();
    leaves(known(known, entry.root()), leaves);
    HloInstruction root = add("flat.result", new Tuple(), leaves);
    HloComputation flat = HloComputation.create(entry.name(), written, root);
    ImmutableList<HloComputation> all =
        module.computations().stream()
            .map(each -> each == entry ? flat : each)
            .collect(toImmutableList());
    return HloModule.create(module.name(), all, flat)
        .withText(
            Maps.filterKeys(module.attributes(), name -> !BY_NUMBER.contains(name)),
            module.stackFrames());
  }

  private static HloInstruction known(
      Map<HloInstruction, HloInstruction> all, HloInstruction instruction) {
    return Objects.requireNonNull(all.get(instruction));
  }

  private HloInstruction parameter(String name, Shape shape) {
    return switch (shape) {
      case Shape.Array array ->
          add(
              HloInstruction.create(
                  name,
                  new Parameter(parameters++, array),
                  ImmutableList.of(),
                  ImmutableList.of(),
                  array,
                  Metadata.NONE));
      case Shape.Token _ -> add(name, new AfterAll(), ImmutableList.of());
      case Shape.Tuple tuple -> {
        List<HloInstruction> elements = new ArrayList<>();
        for (Shape element : tuple.elements()) {
          elements.add(parameter("flat." + made++, element));
        }
        yield add(name, new Tuple(), elements);
      }
      case Shape.Buffer _, Shape.Opaque _ -> throw refusal("parameter " + name, shape);
    };
  }

  private void leaves(HloInstruction value, List<HloInstruction> into) {
    switch (value.shape()) {
      case Shape.Array _ -> into.add(value);
      case Shape.Token _ -> {}
      case Shape.Tuple tuple -> {
        for (int i = 0; i < tuple.elements().size(); i++) {
          leaves(add("flat." + made++, new GetTupleElement(i), List.of(value)), into);
        }
      }
      case Shape.Buffer _, Shape.Opaque _ -> throw refusal("result", value.shape());
    }
  }

  private static HloException refusal(String what, Shape shape) {
    return new HloException(
        Kind.UNSUPPORTED, "pjrt: the " + what + " got " + shape + ", want arrays and tokens");
  }

  private HloInstruction add(String name, Op op, List<HloInstruction> operands) {
    return add(
        HloInstruction.create(
            name,
            op,
            operands,
            ImmutableList.of(),
            op.infer(HloInstruction.inputs(operands, ImmutableList.of())),
            Metadata.NONE));
  }

  private HloInstruction add(HloInstruction instruction) {
    written.add(instruction);
    return instruction;
  }
}
