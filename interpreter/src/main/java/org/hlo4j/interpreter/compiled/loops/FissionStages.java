package org.hlo4j.interpreter.compiled.loops;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.Maps;
import com.google.common.collect.SetMultimap;
import com.google.common.collect.Sets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.hlo4j.interpreter.compiled.arrays.StripArrays;
import org.hlo4j.interpreter.compiled.arrays.StripArrays.StripArray;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.expr.Term;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;

/**
 * Loop fission: the cut of an expression graph into stages of limited weight. The values that one
 * stage hands to the next go through workspace arrays. A processor overlaps only few iterations of
 * a long loop body; several short loops over strips that stay in the L1 cache are faster.
 */
final class FissionStages {
  private static final int MIN_VECTOR_WEIGHT = 12;
  private static final int HEAVY_WEIGHT = 20;
  private static final int MAX_WEIGHT = 30;

  private final LoopNest nest;
  private final int limit;
  private final boolean separatesVectors;
  private final Map<LoopNode, Integer> stageOf = new LinkedHashMap<>();
  private final Map<LoopNode, Boolean> invariant = new LinkedHashMap<>();

  /** The values that each stage loads from workspace arrays. */
  private final SetMultimap<Integer, LoopNode> loads = LinkedHashMultimap.create();

  private final Map<LoopNode, Integer> lastLoads = new LinkedHashMap<>();
  private int stage;
  private int weight;
  private boolean isVectorStage;
  private boolean isHeavy;

  private FissionStages(LoopNest nest, int limit, boolean separatesVectors) {
    this.nest = nest;
    this.limit = limit;
    this.separatesVectors = separatesVectors;
  }

  /**
   * Returns the stages of a region, in order.
   *
   * @param limit the maximum weight of a stage, as {@link #weight} counts it; a single node may be
   *     heavier
   */
  static ImmutableList<Stage> of(OutputRegion part, LoopNest nest, int limit) {
    FissionStages probe = new FissionStages(nest, Integer.MAX_VALUE, false);
    part.values().forEach(probe::place);
    return new FissionStages(nest, limit, Machine.isVectorApiOn() && probe.isWorthSeparating(limit))
        .split(part);
  }

  /**
   * Returns whether to put the operations that vectors can do into other stages than the rest: ops
   * without a vector form, and reads with a stride that vectors cannot load. This pays only if
   * vectors have enough to do.
   */
  private boolean isWorthSeparating(int ofStages) {
    int ofVectors =
        stageOf.keySet().stream()
            .mapToInt(node ->
                node instanceof LoopNode.Apply apply && apply.term().traits().isVectorizable()
                    ? weight(apply.term())
                    : 0)
            .sum();
    return ofVectors >= MIN_VECTOR_WEIGHT
        && weight > 0
        && ofStages <= CompiledLoopNest.STAGE_WEIGHT;
  }

  /** Returns about how many instructions a node takes. */
  static int weight(Term.Applied<LoopNode> applied) {
    ElementFunctions.Traits traits = applied.traits();
    return traits.isVectorizable() ? Math.max(1, traits.operations()) : MAX_WEIGHT;
  }

  /** Returns whether a value is the same in all iterations of the innermost loop. */
  static boolean isInvariant(LoopNode node, LoopNest nest) {
    return new FissionStages(nest, 0, false).isInvariant(node);
  }

  private ImmutableList<Stage> split(OutputRegion part) {
    if (separatesVectors) {
      LoopNode.all(part.values()).forEach(this::placeIfScattered);
    }
    part.values().forEach(this::place);
    stageOf.forEach((node, at) -> operands(node).forEach(operand -> load(operand, at)));
    List<Map<Integer, LoopNode>> outputs = new ArrayList<>();
    IntStream.rangeClosed(0, stage).forEach(_ -> outputs.add(new LinkedHashMap<>()));
    for (int i = 0; i < part.values().size(); i++) {
      int at = lastStage(part, part.targets().get(i).output());
      outputs.get(at).put(i, part.values().get(i));
      load(part.values().get(i), at);
    }
    StripArrays.Assignment assignment = new StripArrays.Assignment();
    Map<LoopNode, StripArray> arrays = new HashMap<>();
    ImmutableList.Builder<Stage> stages = ImmutableList.builder();
    for (int s = 0; s <= stage; s++) {
      int at = s;
      ImmutableMap<LoopNode, StripArray> saves =
          Maps.toMap(
              Sets.filter(lastLoads.keySet(), node -> requireNonNull(stageOf.get(node)) == at),
              node ->
                  assignment.assign(
                      Stage.workspaceType(node), at, requireNonNull(lastLoads.get(node))));
      arrays.putAll(saves);
      stages.add(
          new Stage(
              Maps.toMap(loads.get(s), node -> requireNonNull(arrays.get(node))),
              saves,
              ImmutableMap.copyOf(outputs.get(s))));
    }
    return stages.build();
  }

  /**
   * Makes a stage load a value from a workspace array, if an earlier stage computes the value. The
   * last stage that loads it may store another value there, because a stage reads all its operands
   * before it stores.
   */
  private void load(LoopNode node, int at) {
    if (stageOf.getOrDefault(node, at) < at) {
      loads.put(at, node);
      lastLoads.merge(node, at, Math::max);
    }
  }

  /** Returns the first stage at which all parts of the elements of an output are available. */
  private int lastStage(OutputRegion part, int output) {
    return IntStream.range(0, part.values().size())
        .filter(i -> part.targets().get(i).output() == output)
        .map(i -> stageOf.getOrDefault(part.values().get(i), stage))
        .max()
        .orElse(stage);
  }

  private static ImmutableList<LoopNode> operands(LoopNode node) {
    return node instanceof LoopNode.Apply apply ? apply.operands() : ImmutableList.of();
  }

  /** Puts a read that vectors cannot do into the first stage, which only copies. */
  private void placeIfScattered(LoopNode node) {
    if (node instanceof LoopNode.Read read && isScattered(read)) {
      stageOf.put(node, stage);
      weight = 1;
    }
  }

  private boolean isScattered(LoopNode.Read read) {
    long stride = nest.innerStride(nest.position(read.position()));
    return !StridedVectors.isReadable(read.type(), stride);
  }

  /**
   * Puts a node after its operands: into the current stage, or into a new one if the current stage
   * has no room for it or is of another kind.
   */
  private void place(LoopNode node) {
    if (!(node instanceof LoopNode.Apply apply) || stageOf.containsKey(node) || isInvariant(node)) {
      return;
    }
    apply.operands().forEach(this::place);
    int added = weight(apply.term());
    boolean vectors = apply.term().traits().isVectorizable();
    boolean secondHeavy =
        isHeavy && added >= HEAVY_WEIGHT && limit <= CompiledLoopNest.STAGE_WEIGHT;
    boolean unlike = separatesVectors && vectors != isVectorStage;
    if (weight > 0 && (weight + added > limit || secondHeavy || unlike)) {
      stage++;
      weight = 0;
      isHeavy = false;
    }
    weight += added;
    isVectorStage = vectors;
    isHeavy |= added >= HEAVY_WEIGHT;
    stageOf.put(node, stage);
  }

  private boolean isInvariant(LoopNode node) {
    Boolean known = invariant.get(node);
    if (known == null) {
      known =
          switch (node) {
            case LoopNode.Immediate _, LoopNode.Reduced _ -> true;
            case LoopNode.Read read -> nest.innerStride(nest.position(read.position())) == 0;
            case LoopNode.Count count -> nest.innerStride(nest.position(count.value())) == 0;
            case LoopNode.Apply apply -> apply.operands().stream().allMatch(this::isInvariant);
          };
      invariant.put(node, known);
    }
    return known;
  }
}
