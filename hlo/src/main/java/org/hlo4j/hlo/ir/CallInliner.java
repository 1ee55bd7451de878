package org.hlo4j.hlo.ir;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import com.google.common.math.LongMath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;

/**
 * Inlining: the instructions of a computation in place of its call. In a module without calls and
 * fusions, the names of their instructions begin with the name of the call and a separator. What is
 * ordered before or after a call is ordered before or after its root. Its other attributes are left
 * out, since it is no instruction any more.
 */
public final class CallInliner {
  private static final String CONTROL_PREDECESSORS = "control-predecessors";
  private static final long MAX_INSTRUCTIONS = 1_000_000;

  private final String separator;
  private final IdentityHashMap<HloComputation, HloComputation> computations =
      new IdentityHashMap<>();

  /** The names of the roots of fusions and calls, by the name of the fusion. */
  private final Map<String, String> roots = new HashMap<>();

  private CallInliner(String separator) {
    this.separator = separator;
  }

  /**
   * Copies the instructions of a computation but its parameters, as in place of a call.
   *
   * @param body the computation
   * @param arguments what stands for its parameters, in order
   * @param place takes each instruction with its new operands, and returns what stands for it
   * @return what stands for the root
   * @throws HloException if there are not as many arguments as parameters
   */
  public static HloInstruction inline(
      HloComputation body, List<HloInstruction> arguments, UnaryOperator<HloInstruction> place) {
    requireNonNull(place, "place");
    int parameters = requireNonNull(body, "body").parameters().size();
    require(
        requireNonNull(arguments, "arguments").size() == parameters,
        "",
        "inline: arguments got %s, want %s, one for each parameter of %s",
        arguments.size(),
        parameters,
        body.name());
    IdentityHashMap<HloInstruction, HloInstruction> copies = new IdentityHashMap<>();
    for (HloInstruction each : body.instructions()) {
      copies.put(
          each,
          each.op() instanceof Parameter parameter
              ? arguments.get(parameter.number())
              : place.apply(
                  each.withOperands(
                      each.operands().stream()
                          .map(operand -> copies.getOrDefault(operand, operand))
                          .collect(toImmutableList()))));
    }
    return copies.getOrDefault(body.root(), body.root());
  }

  /**
   * Inlines all calls and fusions of a module, but for those of a CHLO function.
   *
   * @param module a module
   * @param separator what stands between the name of a call and of an instruction in it
   * @return the module without calls and fusions
   * @throws HloException if it would have more than a million instructions, as a chain of
   *     computations that each call the next one twice
   */
  public static HloModule inlined(HloModule module, String separator) {
    requireNonNull(module, "module");
    requireNonNull(separator, "separator");
    IdentityHashMap<HloComputation, Long> sizes = new IdentityHashMap<>();
    for (HloComputation each : module.computations()) {
      sizes.put(each, size(each, sizes));
    }
    long size = sizes.values().stream().reduce(0L, LongMath::saturatedAdd);
    require(
        size <= MAX_INSTRUCTIONS,
        "",
        "flattened module got %s instructions, want at most %s",
        size,
        MAX_INSTRUCTIONS);
    CallInliner inliner = new CallInliner(separator);
    HloComputation entry = inliner.computation(module.entry());
    return HloModule.create(module.name(), entry)
        .withText(module.attributes(), module.stackFrames());
  }

  private static long size(HloComputation computation, Map<HloComputation, Long> sizes) {
    long size = computation.instructions().size();
    for (HloInstruction each : computation.instructions()) {
      if (isInlined(each)) {
        size = LongMath.saturatedAdd(size, sizes.getOrDefault(each.called().get(0), 0L));
      }
    }
    return size;
  }

  private static boolean isInlined(HloInstruction instruction) {
    return instruction.op() instanceof Fusion
        || (instruction.op() instanceof Call && CompositeFunction.of(instruction).isEmpty());
  }

  private HloComputation computation(HloComputation computation) {
    HloComputation known = computations.get(computation);
    if (known == null) {
      List<HloInstruction> instructions = new ArrayList<>();
      HloInstruction root =
          append(computation, "", new IdentityHashMap<>(), ImmutableList.of(), instructions);
      known =
          HloComputation.create(
              computation.name(), used(instructions, root), root, computation.executionThread());
      computations.put(computation, known);
    }
    return known;
  }

  /**
   * Appends the instructions of a computation and returns the copy of its root.
   *
   * @param prefix the beginning of their names
   * @param copies the values of the parameters; none for a computation that stays one
   * @param before what the root is ordered after
   */
  private HloInstruction append(
      HloComputation computation,
      String prefix,
      Map<HloInstruction, HloInstruction> copies,
      List<String> before,
      List<HloInstruction> instructions) {
    for (HloInstruction each : computation.instructions()) {
      if (!copies.containsKey(each)) {
        List<String> predecessors = new ArrayList<>(predecessors(each, prefix));
        predecessors.addAll(each == computation.root() ? before : List.of());
        copies.put(each, copy(each, prefix, copies, predecessors, instructions));
      }
    }
    return copies.getOrDefault(computation.root(), computation.root());
  }

  private HloInstruction copy(
      HloInstruction instruction,
      String prefix,
      Map<HloInstruction, HloInstruction> copies,
      List<String> predecessors,
      List<HloInstruction> instructions) {
    ImmutableList<HloInstruction> operands =
        instruction.operands().stream()
            .map(operand -> copies.getOrDefault(operand, operand))
            .collect(toImmutableList());
    if (isInlined(instruction)) {
      HloComputation callee = instruction.called().get(0);
      IdentityHashMap<HloInstruction, HloInstruction> arguments = new IdentityHashMap<>();
      for (HloInstruction each : callee.parameters()) {
        arguments.put(each, operands.get(((Parameter) each.op()).number()));
      }
      HloInstruction root =
          append(
              callee,
              prefix + instruction.name() + separator,
              arguments,
              predecessors,
              instructions);
      roots.put(prefix + instruction.name(), root.name());
      return root;
    }
    if (instruction.op() instanceof GetTupleElement element
        && operands.get(0).op() instanceof Tuple) {
      return operands.get(0).operands().get(element.index());
    }
    HloInstruction copy =
        HloInstruction.create(
                prefix + instruction.name(),
                instruction.op(),
                operands,
                instruction.called().stream().map(this::computation).toList(),
                instruction.shape(),
                instruction.metadata(),
                ordered(instruction.attributes(), predecessors))
            .withSharding(instruction.sharding());
    instructions.add(copy);
    return copy;
  }

  private List<String> predecessors(HloInstruction instruction, String prefix) {
    return instruction.controlPredecessors().stream()
        .map(name -> roots.getOrDefault(prefix + name, prefix + name))
        .toList();
  }

  private static ImmutableMap<String, String> ordered(
      Map<String, String> attributes, List<String> predecessors) {
    ImmutableMap.Builder<String, String> all = ImmutableMap.builder();
    all.putAll(Maps.filterKeys(attributes, name -> !name.equals(CONTROL_PREDECESSORS)));
    if (!predecessors.isEmpty()) {
      all.put(CONTROL_PREDECESSORS, "{%" + String.join(", %", predecessors) + "}");
    }
    return all.buildOrThrow();
  }

  /** Returns the instructions but for tuples that only held the results of a fusion. */
  private static List<HloInstruction> used(List<HloInstruction> all, HloInstruction root) {
    Set<HloInstruction> used = new HashSet<>();
    used.add(root);
    all.forEach(each -> used.addAll(each.operands()));
    return all.stream()
        .filter(each -> !(each.op() instanceof Tuple) || used.contains(each))
        .toList();
  }
}
