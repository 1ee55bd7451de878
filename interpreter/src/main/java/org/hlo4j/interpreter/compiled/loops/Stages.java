package org.hlo4j.interpreter.compiled.loops;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;

/**
 * Cuts a formula into stages of limited weight. A processor works on few turns of a long loop at
 * once; on short ones in turn, over strips that stay in its first cache, it is faster.
 */
final class Stages {
  private static final int WORTH_A_STAGE = 12;
  private static final int HEAVY = 20;

  private final Nest nest;
  private final int limit;
  private final boolean separates;
  private final Map<Node, Integer> stageOf = new LinkedHashMap<>();
  private final Map<Node, Boolean> invariant = new LinkedHashMap<>();
  private int stage;
  private int weight;
  private boolean inVectors;
  private boolean isHeavy;

  private Stages(Nest nest, int limit, boolean separates) {
    this.nest = nest;
    this.limit = limit;
    this.separates = separates;
  }

  /**
   * The stages of a part, in order.
   *
   * @param limit the weight of a stage, as {@link Traits} has it; one node may be heavier
   */
  static ImmutableList<Stage> of(Part part, Nest nest, int limit) {
    Stages probe = new Stages(nest, Integer.MAX_VALUE, false);
    part.values().forEach(probe::place);
    return new Stages(nest, limit, VectorSupport.isOn() && probe.isWorthSeparating(limit))
        .cut(part);
  }

  /**
   * Whether to keep what vectors can do apart from what they cannot: other ops, and reads of
   * elements that do not lie side by side. Only where vectors have enough to do.
   */
  private boolean isWorthSeparating(int ofStages) {
    int ofVectors =
        stageOf.keySet().stream()
            .mapToInt(node ->
                node instanceof Node.Apply apply && Traits.isVector(apply.term())
                    ? Traits.weight(apply.term())
                    : 0)
            .sum();
    return ofVectors >= WORTH_A_STAGE && weight > 0 && ofStages <= Piece.STAGE_WEIGHT;
  }

  /** Whether a value is the same in all turns of the innermost loop. */
  static boolean isInvariant(Node node, Nest nest) {
    return new Stages(nest, 0, false).isInvariant(node);
  }

  private ImmutableList<Stage> cut(Part part) {
    if (separates) {
      part.values().forEach(value -> placeScattered(value, new HashSet<>()));
    }
    part.values().forEach(this::place);
    Handing handing = new Handing();
    stageOf.forEach((node, at) -> operands(node).forEach(operand -> handing.hand(operand, at)));
    List<Map<Integer, Node>> outputs = new ArrayList<>();
    IntStream.rangeClosed(0, stage).forEach(_ -> outputs.add(new LinkedHashMap<>()));
    for (int i = 0; i < part.values().size(); i++) {
      int at = lastStage(part, part.targets().get(i).output());
      outputs.get(at).put(i, part.values().get(i));
      handing.hand(part.values().get(i), at);
    }
    handing.number();
    return IntStream.rangeClosed(0, stage)
        .mapToObj(s ->
            new Stage(
                handing.numbered(handing.loads.get(s)),
                handing.numbered(handing.saves.get(s)),
                ImmutableMap.copyOf(outputs.get(s))))
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Which scratch arrays values go by to later stages. One that no stage reads any more is used
   * again, by the last that reads it already: that reads before it stores.
   */
  private final class Handing {
    private final List<Set<Node>> loads = new ArrayList<>();
    private final List<Set<Node>> saves = new ArrayList<>();
    private final Map<Node, Integer> lastLoads = new HashMap<>();
    private final Map<Node, Integer> numbers = new HashMap<>();

    Handing() {
      for (int s = 0; s <= stage; s++) {
        loads.add(new LinkedHashSet<>());
        saves.add(new LinkedHashSet<>());
      }
    }

    /** Has a stage find a value that an earlier one computes, if one does. */
    private void hand(Node node, int at) {
      int from = stageOf.getOrDefault(node, at);
      if (from < at) {
        loads.get(at).add(node);
        saves.get(from).add(node);
        lastLoads.merge(node, at, Math::max);
      }
    }

    /** Gives each value an array, once all have been handed. */
    private void number() {
      List<Node> holders = new ArrayList<>();
      for (int s = 0; s <= stage; s++) {
        for (Node node : saves.get(s)) {
          int number = firstFree(holders, Stage.scratchType(node), s);
          numbers.put(node, number);
          if (number == holders.size()) {
            holders.add(node);
          } else {
            holders.set(number, node);
          }
        }
      }
    }

    private int firstFree(List<Node> holders, ElementType type, int at) {
      return IntStream.range(0, holders.size())
          .filter(number -> Stage.scratchType(holders.get(number)) == type)
          .filter(number -> requireNonNull(lastLoads.get(holders.get(number))) <= at)
          .findFirst()
          .orElse(holders.size());
    }

    private ImmutableMap<Node, Integer> numbered(Set<Node> nodes) {
      return Maps.toMap(nodes, node -> requireNonNull(numbers.get(node)));
    }
  }

  /** The stage at which all parts of the elements of an output are there. */
  private int lastStage(Part part, int output) {
    return IntStream.range(0, part.values().size())
        .filter(i -> part.targets().get(i).output() == output)
        .map(i -> stageOf.getOrDefault(part.values().get(i), stage))
        .max()
        .orElse(stage);
  }

  private static ImmutableList<Node> operands(Node node) {
    return node instanceof Node.Apply apply ? apply.operands() : ImmutableList.of();
  }

  /** Puts the reads of what does not lie side by side into the first stage, which only copies. */
  private void placeScattered(Node node, Set<Node> seen) {
    if (!seen.add(node)) {
      return;
    }
    if (node instanceof Node.Read read && isScattered(read)) {
      stageOf.put(node, stage);
      weight = 1;
    }
    operands(node).forEach(operand -> placeScattered(operand, seen));
  }

  private boolean isScattered(Node.Read read) {
    long stride = nest.innerStride(nest.position(read.position()));
    return !Strided.isReadable(read.type(), stride);
  }

  /** Puts a value behind its operands, in a new stage if it does not suit the current one. */
  private void place(Node node) {
    if (!(node instanceof Node.Apply apply) || stageOf.containsKey(node) || isInvariant(node)) {
      return;
    }
    apply.operands().forEach(this::place);
    int added = Traits.weight(apply.term());
    boolean vectors = Traits.isVector(apply.term());
    boolean secondHeavy = isHeavy && added >= HEAVY && limit <= Piece.STAGE_WEIGHT;
    boolean unlike = separates && vectors != inVectors;
    if (weight > 0 && (weight + added > limit || secondHeavy || unlike)) {
      stage++;
      weight = 0;
      isHeavy = false;
    }
    weight += added;
    inVectors = vectors;
    isHeavy |= added >= HEAVY;
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
