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

/** Collects what a loop computes, finds what it reads, and makes it. */
final class StripPlan {
  /**
   * Where a value is read.
   *
   * @param place the place
   * @param splat whether one element is for all iterations
   */
  record Source(ArrayLocation place, boolean splat) {}

  private final Function<ReduceNode, Optional<Source>> leaf;
  private final int inner;
  private final Map<ReduceNode, List<ArrayLocation>> stores = new LinkedHashMap<>();
  private ImmutableList<ArrayLocation> prefetched = ImmutableList.of();
  private Optional<SingleOpReducer> extremum = Optional.empty();

  /**
   * A loop.
   *
   * @param inner how many positions belong together
   * @param leaf says what is read, and what is not but computed
   */
  StripPlan(int inner, Function<ReduceNode, Optional<Source>> leaf) {
    this.inner = inner;
    this.leaf = leaf;
  }

  /** Computes a value and puts it somewhere. */
  void store(ReduceNode node, ArrayLocation place) {
    List<ArrayLocation> places = stores.computeIfAbsent(node, key -> new ArrayList<>());
    if (!places.contains(place)) {
      places.add(place);
    }
  }

  /**
   * Has the loop touch an array of f32 that is read later, so that it is near by then: memory has
   * time while quotients are computed.
   *
   * @param place where
   * @param sink where a few ints go that keep the reads from being left out
   */
  void prefetch(ArrayLocation place, ArrayLocation sink) {
    this.prefetched = ImmutableList.of(place, sink);
  }

  /**
   * Has the loop reduce what is read later, rather than only touch it.
   *
   * @param place where
   * @param accumulators what it is reduced into
   * @param single how: by the greater or the lesser
   */
  void prefetchExtremum(ArrayLocation place, ArrayLocation accumulators, SingleOpReducer single) {
    this.prefetched = ImmutableList.of(place, accumulators);
    this.extremum = Optional.of(single);
  }

  /** Where a value is put, if it is. */
  Optional<ArrayLocation> stored(ReduceNode node) {
    return Optional.ofNullable(stores.get(node)).map(places -> places.get(0));
  }

  /** The loop; empty if it has nothing to do. */
  Optional<Strip> build(String name) {
    if (stores.isEmpty()) {
      return Optional.empty();
    }
    Map<ReduceNode, StripCode.Leaf> leaves = new LinkedHashMap<>();
    Map<Integer, ReduceNode> roots = new LinkedHashMap<>();
    List<ArrayLocation> places = new ArrayList<>();
    List<ElementType> types = new ArrayList<>();
    Set<ReduceNode> seen = new HashSet<>();
    stores.keySet().forEach(node -> read(node, seen, leaves, places, types));
    stores.forEach((node, targets) ->
        targets.forEach(target -> {
          roots.put(places.size(), node);
          places.add(target);
          types.add(node.type());
        }));
    Optional<Prefetch.Read> read = Optional.empty();
    if (!prefetched.isEmpty()) {
      read = Optional.of(new Prefetch.Read(places.size(), extremum));
      places.addAll(prefetched);
      types.add(ElementType.F32);
      types.add(extremum.isPresent() ? ElementType.F32 : ElementType.S32);
    }
    StripCode code = new StripCode(leaves, roots, shared(places), read);
    ReduceLoop loop = ReduceLoops.strip(name, code, types);
    return Optional.of(new Strip(loop, places));
  }

  /**
   * For each place the first one with the same positions: the same index for all, without which C2
   * makes no vectors of single elements.
   */
  private ImmutableList<Integer> shared(List<ArrayLocation> places) {
    ImmutableList.Builder<Integer> first = ImmutableList.builder();
    for (ArrayLocation place : places) {
      int number = 0;
      while (!place.isAlong(places.get(number), inner)) {
        number++;
      }
      first.add(number);
    }
    return first.build();
  }

  private void read(
      ReduceNode node,
      Set<ReduceNode> seen,
      Map<ReduceNode, StripCode.Leaf> leaves,
      List<ArrayLocation> places,
      List<ElementType> types) {
    if (!seen.add(node)) {
      return;
    }
    Optional<Source> source = leaf.apply(node);
    if (source.isPresent()) {
      leaves.put(node, new StripCode.Leaf(places.size(), source.get().splat()));
      places.add(source.get().place());
      types.add(node.type());
    } else if (node instanceof ReduceNode.Apply apply) {
      apply.operands.forEach(operand -> read(operand, seen, leaves, places, types));
    }
  }
}
