package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.loops.LoopNode;

/**
 * A builder of a {@link Strip}: it collects the values that a loop computes, finds what the loop
 * reads, and generates the loop.
 */
final class StripBuilder {
  /**
   * The location from which a value is read.
   *
   * @param location the location
   * @param splat whether all iterations read one element
   */
  record Source(ArrayLocation location, boolean splat) {}

  private final Function<LoopNode, Optional<Source>> leaf;
  private final int inner;
  private final Map<LoopNode, List<ArrayLocation>> stores = new LinkedHashMap<>();

  /**
   * Creates a builder.
   *
   * @param inner the number of innermost positions in a row
   * @param leaf returns the source of a node that is read; empty for a node that is computed
   */
  StripBuilder(int inner, Function<LoopNode, Optional<Source>> leaf) {
    this.inner = inner;
    this.leaf = leaf;
  }

  /** Adds a value that is computed and stored at a location. */
  void store(LoopNode node, ArrayLocation location) {
    List<ArrayLocation> locations = stores.computeIfAbsent(node, key -> new ArrayList<>());
    if (!locations.contains(location)) {
      locations.add(location);
    }
  }

  /** {@return a location at which a value is stored, if it is stored} */
  Optional<ArrayLocation> stored(LoopNode node) {
    return Optional.ofNullable(stores.get(node)).map(locations -> locations.get(0));
  }

  /** {@return the loop with its locations; empty if there is nothing to store} */
  Optional<Strip> build(String name) {
    if (stores.isEmpty()) {
      return Optional.empty();
    }
    Map<LoopNode, StripCode.Leaf> leaves = new LinkedHashMap<>();
    Map<Integer, LoopNode> roots = new LinkedHashMap<>();
    List<ArrayLocation> locations = new ArrayList<>();
    List<ElementType> types = new ArrayList<>();
    Set<LoopNode> seen = new HashSet<>();
    stores.keySet().forEach(node -> read(node, seen, leaves, locations, types));
    stores.forEach((node, targets) ->
        targets.forEach(target -> {
          roots.put(locations.size(), node);
          locations.add(target);
          types.add(node.type());
        }));
    StripCode code = new StripCode(leaves, roots, shared(locations));
    ReduceLoop loop = ReduceLoops.strip(name, code, types);
    return Optional.of(new Strip(loop, locations));
  }

  /**
   * Returns for each location the first one with the same positions, whose index the loop shares.
   * Without a shared index, C2 does not vectorize the scalar form.
   */
  private ImmutableList<Integer> shared(List<ArrayLocation> locations) {
    ImmutableList.Builder<Integer> first = ImmutableList.builder();
    for (ArrayLocation location : locations) {
      int number = 0;
      while (!location.hasSameIndex(locations.get(number), inner)) {
        number++;
      }
      first.add(number);
    }
    return first.build();
  }

  private void read(
      LoopNode node,
      Set<LoopNode> seen,
      Map<LoopNode, StripCode.Leaf> leaves,
      List<ArrayLocation> locations,
      List<ElementType> types) {
    if (!seen.add(node)) {
      return;
    }
    Optional<Source> source = leaf.apply(node);
    if (source.isPresent()) {
      leaves.put(node, new StripCode.Leaf(locations.size(), source.get().splat()));
      locations.add(source.get().location());
      types.add(node.type());
    } else if (node instanceof LoopNode.Apply apply) {
      apply.operands().forEach(operand -> read(operand, seen, leaves, locations, types));
    }
  }
}
