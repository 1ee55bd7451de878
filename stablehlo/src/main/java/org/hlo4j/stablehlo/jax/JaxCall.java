package org.hlo4j.stablehlo.jax;

import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.ArraySharding;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.ModuleDevices;
import org.hlo4j.hlo.ir.Sharding;

/** A call of an exported function: the module for these shapes, and its arguments. */
public final class JaxCall {
  private final JaxExport export;
  private final List<long[]> known;
  private final ImmutableList<Literal> arguments;
  private final ImmutableList<Integer> inputs;

  /**
   * Creates a call.
   *
   * @param inputs for each argument, the number of the function's input; -1 for sizes and tokens
   */
  JaxCall(JaxExport export, List<long[]> known, List<Literal> arguments, List<Integer> inputs) {
    this.inputs = ImmutableList.copyOf(inputs);
    this.export = export;
    this.known = known;
    this.arguments = ImmutableList.copyOf(arguments);
  }

  /**
   * Returns the static HLO module for the shapes of this call.
   *
   * @return a new module
   * @throws HloException if the function does not take these shapes; the message is the function's
   *     own
   */
  public HloModule module() {
    return export.specialized(shapes(), known);
  }

  private List<Shape> shapes() {
    return arguments.stream().map(Literal::shape).toList();
  }

  /** Returns a key that is equal for calls with the same module. */
  String key() {
    return shapes() + known.stream().map(Arrays::toString).collect(Collectors.joining());
  }

  /**
   * Returns how the inputs of the function lie on its devices.
   *
   * @param shapes the shapes of all inputs, used or not
   */
  ImmutableList<ArraySharding> inputShardings(List<Shape.Array> shapes) {
    ModuleDevices devices = module().devices();
    List<ArraySharding> all = new ArrayList<>();
    for (Shape.Array shape : shapes) {
      all.add(
          new ArraySharding(
              shape, Sharding.Uniform.REPLICATED, devices.replicas(), devices.partitions()));
    }
    for (int i = 0; i < inputs.size(); i++) {
      if (inputs.get(i) >= 0) {
        all.set(inputs.get(i), devices.parameters().get(i));
      }
    }
    return ImmutableList.copyOf(all);
  }

  /** Returns how the results of the function lie on its devices. */
  ImmutableList<ArraySharding> outputShardings() {
    ImmutableList<ArraySharding> all = module().devices().results();
    return all.subList(export.orderedEffects(), all.size());
  }

  /** Returns the positions of the arguments that are one of some inputs of the function. */
  BitSet positions(Set<Integer> someInputs) {
    BitSet positions = new BitSet();
    for (int i = 0; i < inputs.size(); i++) {
      positions.set(i, someInputs.contains(inputs.get(i)));
    }
    return positions;
  }

  /** {@return the arguments of the module's entry} */
  public Literal[] arguments() {
    return arguments.toArray(new Literal[0]);
  }

  /**
   * Returns the result in the nested form that the function returns.
   *
   * @param value the result of the module's entry
   * @return a literal, or nested lists and maps
   */
  public Object result(Literal value) {
    return export.outTree().unflatten(leaves(value).iterator());
  }

  /**
   * Returns the arrays of the result, in the order of {@link JaxExport#outputs}.
   *
   * @param value the result of the module's entry
   * @return the arrays, without tokens
   */
  public ImmutableList<Literal> leaves(Literal value) {
    List<Literal> all =
        new ArrayList<>(value.shape() instanceof Shape.Tuple ? value.elements() : List.of(value));
    int tokens = export.orderedEffects();
    require(
        all.size() == tokens + export.outputs().size(),
        ARGUMENT,
        "result got %s values, want %s",
        all.size(),
        tokens + export.outputs().size());
    return ImmutableList.copyOf(all.subList(tokens, all.size()));
  }
}
