package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.Expressions;
import org.hlo4j.interpreter.compiled.expr.Formula;
import org.hlo4j.interpreter.compiled.expr.Term;
import org.hlo4j.interpreter.compiled.loops.LoopNode;

/**
 * The code generator of the loop of a {@link Strip}: it collects the values that the loop computes,
 * finds what it reads, and writes it.
 */
final class StripCode {
  /**
   * The location from which a value is read.
   *
   * @param location the location
   * @param splat whether all iterations read one element
   */
  record Source(ArrayLocation location, boolean splat) {}

  /** An array of the loop: what is read from it or stored in it; a store has no source. */
  private record Access(LoopNode node, ArrayLocation location, Optional<Source> source) {}

  private final Function<LoopNode, Optional<Source>> leaf;
  private final int inner;
  private final Map<LoopNode, List<ArrayLocation>> stores = new LinkedHashMap<>();
  private final Map<LoopNode, Source> reads = new LinkedHashMap<>();
  private final List<Access> accesses = new ArrayList<>();

  /**
   * Creates a code generator.
   *
   * @param inner the number of innermost positions in a row
   * @param leaf returns the source of a node that is read; empty for a node that is computed
   */
  StripCode(int inner, Function<LoopNode, Optional<Source>> leaf) {
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

  /** {@return the loop with its locations; empty if there is nothing to store} */
  Optional<Strip> build(String name) {
    if (stores.isEmpty()) {
      return Optional.empty();
    }
    Set<LoopNode> seen = new HashSet<>();
    stores.keySet().forEach(node -> read(node, seen));
    reads.forEach(
        (node, source) -> accesses.add(new Access(node, source.location, Optional.of(source))));
    stores.forEach((node, targets) ->
        targets.forEach(target -> accesses.add(new Access(node, target, Optional.empty()))));
    Formula<LoopNode> formula = new Formula<>(reads.keySet(), stores.keySet(), this::term);
    List<Integer> positions = positions();
    List<ElementType> types = accesses.stream().map(access -> access.node.type()).toList();
    List<Object> structure = new ArrayList<>(formula.structure(this::number));
    structure.add(positions);
    structure.add(types);
    stores.values().forEach(targets -> structure.add(targets.size()));
    int widest = Math.max(Lane.I32.bits(), formula.widestBits());
    ReduceLoop loop =
        ReduceLoops.cached(
            List.of("strip", structure),
            () ->
                TieredReduceLoop.of(
                    name, emitter -> write(emitter, positions), widest, 1, types, types.size()));
    return Optional.of(new Strip(loop, accesses.stream().map(Access::location).toList(), inner));
  }

  private void read(LoopNode node, Set<LoopNode> seen) {
    if (!seen.add(node)) {
      return;
    }
    Optional<Source> source = leaf.apply(node);
    if (source.isPresent()) {
      reads.put(node, source.get());
    } else if (node instanceof LoopNode.Apply apply) {
      apply.operands().forEach(operand -> read(operand, seen));
    }
  }

  private Term<LoopNode> term(LoopNode node) {
    return reads.containsKey(node) ? new Term.Input<>(node.type()) : node.term();
  }

  private String number(LoopNode node) {
    return (requireNonNull(reads.get(node)).splat ? "splat " : "read ")
        + List.copyOf(reads.keySet()).indexOf(node);
  }

  /**
   * Returns for each location the first one with the same positions, whose index the loop shares.
   * Without a shared index, C2 does not vectorize the scalar form.
   */
  private List<Integer> positions() {
    List<Integer> first = new ArrayList<>();
    for (Access access : accesses) {
      int number = 0;
      while (!access.location.hasSameIndex(accesses.get(number).location, inner)) {
        number++;
      }
      first.add(number);
    }
    return first;
  }

  private void write(CodeEmitter emitter, List<Integer> positions) {
    ReduceLoopWriter writer = new ReduceLoopWriter(emitter);
    emitter.body(() -> {
      Map<Integer, Integer> locals = new HashMap<>();
      positions.forEach(number -> locals.computeIfAbsent(number, writer::position));
      List<Integer> position =
          positions.stream().map(locals::get).collect(ImmutableList.toImmutableList());
      List<Integer> arrays = new ArrayList<>();
      Expressions<LoopNode> values = new Expressions<>(emitter, this::term, StripCode::unread);
      for (Access access : accesses) {
        int number = arrays.size();
        arrays.add(writer.array(number, access.node.type()));
        if (isSplat(access)) {
          values.put(
              access.node,
              emitter.loadSplat(access.node.type(), arrays.get(number), position.get(number)));
        }
      }
      writer.start();
      writer.steps(
          emitter.width(),
          () -> {
            int mark = emitter.mark();
            for (int k = 0; k < reads.size(); k++) {
              Access access = accesses.get(k);
              if (!isSplat(access)) {
                int index = writer.index(position.get(k), 0);
                values.put(access.node, emitter.load(access.node.type(), arrays.get(k), index));
              }
            }
            stores.keySet().forEach(values::value);
            for (int k = reads.size(); k < accesses.size(); k++) {
              LoopNode node = accesses.get(k).node;
              int index = writer.index(position.get(k), 0);
              emitter.store(node.type(), arrays.get(k), index, values.value(node));
            }
            emitter.release(mark);
          });
      emitter.code().return_();
    });
  }

  private static boolean isSplat(Access access) {
    return access.source.filter(Source::splat).isPresent();
  }

  private static Value unread(LoopNode node) {
    throw new AssertionError("a leaf that is not given: " + node);
  }
}
