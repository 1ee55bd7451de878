package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Cuts a formula into stages of limited weight. A processor works on few turns of a long loop at
 * once; on short ones in turn, over strips that stay in its first cache, it is faster.
 */
final class Stages {
  private final Nest nest;
  private final int limit;
  private final Map<Node, Integer> stageOf = new LinkedHashMap<>();
  private final Map<Node, Boolean> invariant = new LinkedHashMap<>();
  private int stage;
  private int weight;

  private Stages(Nest nest, int limit) {
    this.nest = nest;
    this.limit = limit;
  }

  /**
   * The stages of a part, in order.
   *
   * @param limit the weight of a stage, as {@link Traits} has it; one node may be heavier
   */
  static ImmutableList<Stage> of(Part part, Nest nest, int limit) {
    return new Stages(nest, limit).cut(part);
  }

  /** Whether a value is the same in all turns of the innermost loop. */
  static boolean isInvariant(Node node, Nest nest) {
    return new Stages(nest, 0).isInvariant(node);
  }

  private ImmutableList<Stage> cut(Part part) {
    part.values().forEach(this::place);
    Map<Node, Integer> scratch = new LinkedHashMap<>();
    List<Map<Node, Integer>> loads = maps();
    List<Map<Node, Integer>> saves = maps();
    stageOf.forEach((node, at) -> {
      for (Node operand : ((Node.Apply) node).operands()) {
        int from = stageOf.getOrDefault(operand, at);
        if (from < at) {
          int number = scratch.computeIfAbsent(operand, unused -> scratch.size());
          loads.get(at).put(operand, number);
          saves.get(from).put(operand, number);
        }
      }
    });
    List<Map<Integer, Node>> outputs = maps();
    for (int i = 0; i < part.values().size(); i++) {
      Node value = part.values().get(i);
      outputs.get(stageOf.getOrDefault(value, stage)).put(i, value);
    }
    return IntStream.rangeClosed(0, stage)
        .mapToObj(s ->
            new Stage(
                ImmutableMap.copyOf(loads.get(s)),
                ImmutableMap.copyOf(saves.get(s)),
                ImmutableMap.copyOf(outputs.get(s))))
        .collect(ImmutableList.toImmutableList());
  }

  private <K, V> List<Map<K, V>> maps() {
    List<Map<K, V>> maps = new ArrayList<>();
    for (int s = 0; s <= stage; s++) {
      maps.add(new LinkedHashMap<>());
    }
    return maps;
  }

  /** Puts a value behind its operands, in a new stage if it is too much for the current one. */
  private void place(Node node) {
    if (!(node instanceof Node.Apply apply) || stageOf.containsKey(node) || isInvariant(node)) {
      return;
    }
    apply.operands().forEach(this::place);
    int added = Traits.weight(apply);
    if (weight > 0 && weight + added > limit) {
      stage++;
      weight = 0;
    }
    weight += added;
    stageOf.put(node, stage);
  }

  private boolean isInvariant(Node node) {
    Boolean known = invariant.get(node);
    if (known == null) {
      known =
          switch (node) {
            case Node.Immediate immediate -> true;
            case Node.Read read -> nest.innerStride(nest.position(read.position())) == 0;
            case Node.Count count -> nest.innerStride(nest.position(count.value())) == 0;
            case Node.Apply apply -> apply.operands().stream().allMatch(this::isInvariant);
          };
      invariant.put(node, known);
    }
    return known;
  }
}
