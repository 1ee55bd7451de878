package org.hlo4j.stablehlo.exporter;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.AsyncChain;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Location;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Region;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The conversion of an HLO module to a StableHLO module. The entry becomes the function {@code
 * main}. Computations that are called become functions; others become regions of the ops that use
 * them.
 */
public final class ModuleExport {
  /**
   * The largest nesting depth of regions. A deeper computation becomes a function, which its region
   * calls.
   */
  private static final int MAX_DEPTH = 50;

  /**
   * The largest number of instructions of a computation that is duplicated in each region that uses
   * it.
   */
  private static final int MAX_COPIED = 64;

  private final HloModule module;
  private final Map<HloComputation, Integer> uses = new HashMap<>();
  private final Map<HloComputation, String> names = new HashMap<>();
  private final Set<String> usedNames = new HashSet<>();
  private final Deque<HloComputation> functionWorklist = new ArrayDeque<>();
  private final Set<String> refused = new LinkedHashSet<>();
  private final StackFrames frames;

  private ModuleExport(HloModule module) {
    this.module = module;
    this.frames = new StackFrames(module.stackFrames());
    module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .flatMap(instruction -> instruction.called().stream())
        .forEach(called -> uses.merge(called, 1, Integer::sum));
  }

  /**
   * Converts an HLO module to a StableHLO module that computes the same.
   *
   * @param module the module
   * @return a {@code builtin.module}
   * @throws HloException if the module is not valid, or if StableHLO lacks some of its ops; all of
   *     them are named
   */
  public static Operation of(HloModule module) {
    Verifier.lenient().verify(module);
    return new ModuleExport(AsyncChain.bindAtOnce(module)).export();
  }

  private Operation export() {
    List<Operation> functions = new ArrayList<>();
    Set<String> header = ModuleAttributes.notExpressed(module);
    if (!header.isEmpty()) {
      refused.add("HloModule " + module.name() + " (with " + String.join(", ", header) + ")");
    }
    names.put(module.entry(), "main");
    usedNames.add("main");
    functionWorklist.add(module.entry());
    while (!functionWorklist.isEmpty()) {
      HloComputation next = functionWorklist.remove();
      functions.add(FunctionExport.of(this, next, names.getOrDefault(next, "")));
    }
    if (!refused.isEmpty()) {
      throw new HloException(
          UNSUPPORTED, "StableHLO has no counterpart of %s", String.join(", ", refused));
    }
    return Operation.of(
        "builtin.module",
        List.of(),
        List.of(),
        Attributes.of(ModuleAttributes.of(module)),
        Region.of(new Block(ImmutableList.of(), ImmutableList.copyOf(functions))));
  }

  HloModule module() {
    return module;
  }

  /** Returns the location of an instruction in the user's program. */
  Location location(HloInstruction instruction) {
    return Annotations.location(instruction.metadata(), frames);
  }

  /** Records an instruction that has no counterpart. */
  void refuse(HloInstruction instruction, HloException refusal) {
    String reason = refusal.summary();
    refused.add(
        instruction.op().opcode()
            + " %"
            + instruction.name()
            + (reason.isEmpty() ? "" : " (" + reason + ")"));
  }

  /** Returns the name of the function that a computation becomes. */
  Attribute.Symbol function(HloComputation computation) {
    String name = names.get(computation);
    if (name == null) {
      name = computation.name();
      for (int i = 1; !usedNames.add(name); i++) {
        name = computation.name() + "." + i;
      }
      names.put(computation, name);
      functionWorklist.add(computation);
    }
    return Attribute.Symbol.of(name);
  }

  /** Returns a region whose arguments are the leaves of a computation's parameters. */
  Region region(HloComputation computation, int depth) {
    List<ImmutableList<Value>> arguments =
        computation.parameters().stream().map(ModuleExport::leaves).toList();
    return region(computation, arguments, ImmutableList.copyOf(Iterables.concat(arguments)), depth);
  }

  private static ImmutableList<Value> leaves(HloInstruction parameter) {
    return ShapeTypes.leaves(parameter.shape()).stream().map(Value::of).collect(toImmutableList());
  }

  /** Returns a region without arguments, in which the parameters are captured values. */
  Region branch(HloComputation computation, List<ImmutableList<Value>> arguments, int depth) {
    return region(computation, arguments, ImmutableList.of(), depth);
  }

  private Region region(
      HloComputation computation,
      List<ImmutableList<Value>> parameters,
      List<Value> arguments,
      int depth) {
    BlockExport block = new BlockExport(this, depth);
    List<Value> results =
        isFunction(computation, depth)
            ? call(block, computation, parameters)
            : block.run(computation, parameters);
    return Region.of(block.end("stablehlo.return", arguments, results));
  }

  private List<Value> call(
      BlockExport block, HloComputation computation, List<ImmutableList<Value>> parameters) {
    return block
        .operation("func.call", Location.unknown())
        .withOperands(ImmutableList.copyOf(Iterables.concat(parameters)))
        .withResultTypes(ShapeTypes.leaves(computation.root().shape()))
        .with("callee", function(computation))
        .emit();
  }

  /**
   * Returns whether a computation becomes a function, because duplicating it in each region would
   * be too large or too deep.
   */
  private boolean isFunction(HloComputation computation, int depth) {
    boolean large =
        computation.instructions().size() > MAX_COPIED
            || computation.instructions().stream()
                .anyMatch(instruction -> !instruction.called().isEmpty());
    return depth > MAX_DEPTH || (large && uses.getOrDefault(computation, 0) > 1);
  }
}
