package org.hlo4j.hlo.text;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Op;

/**
 * A numbering of computations by structure: two computations have the same number if they differ
 * only in names and metadata.
 */
final class Structures {
  private record Node(
      Op op,
      Shape shape,
      ImmutableList<Integer> operands,
      ImmutableList<Integer> called,
      ImmutableMap<String, String> attributes) {}

  private record Body(ImmutableList<Node> nodes, Integer root) {}

  private final Map<Body, Integer> numbers = new HashMap<>();
  private final Map<HloComputation, Integer> known = new HashMap<>();

  /** Returns the number of a computation, which is the same for all with the same structure. */
  int of(HloComputation computation) {
    Integer number = known.get(computation);
    if (number == null) {
      number = numbers.computeIfAbsent(body(computation), body -> numbers.size());
      known.put(computation, number);
    }
    return number;
  }

  private Body body(HloComputation computation) {
    Map<HloInstruction, Integer> places = new HashMap<>();
    ImmutableList.Builder<Node> nodes = ImmutableList.builder();
    for (HloInstruction instruction : computation.instructions()) {
      nodes.add(node(instruction, places));
      places.put(instruction, places.size());
    }
    return new Body(nodes.build(), places.getOrDefault(computation.root(), -1));
  }

  private Node node(HloInstruction instruction, Map<HloInstruction, Integer> places) {
    Map<String, String> attributes = new HashMap<>(instruction.attributes());
    attributes.remove("control-predecessors");
    attributes.remove("backend_config");
    return new Node(
        instruction.op(),
        instruction.shape().withDefaultLayout(),
        instruction.operands().stream().map(places::get).collect(toImmutableList()),
        numbersOf(instruction.called()),
        ImmutableMap.copyOf(attributes));
  }

  private ImmutableList<Integer> numbersOf(List<HloComputation> computations) {
    return computations.stream().map(this::of).collect(toImmutableList());
  }
}
