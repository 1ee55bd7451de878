package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * The writer of parallel assignments to the carried values of a loop or the results of a branch,
 * which are local variables and arrays.
 *
 * @param emitter writes the code
 * @param arrays where the values are
 * @param code writes the code of whole arrays
 * @param strategy which arrays are possible
 * @param updates which arrays may be overwritten
 */
record Assignments(
    CodeEmitter emitter,
    ScalarArrays arrays,
    ArrayCode code,
    CodegenStrategy strategy,
    InPlaceUpdates updates) {
  /** Writes the assignments. A source that is overwritten before it is read is copied first. */
  void write(Operand targets, Operand sources) {
    List<Operand.Leaf> places = targets.leaves().toList();
    List<Operand.Leaf> leaves = new ArrayList<>(sources.leaves().toList());
    for (int i = 0; i < places.size(); i++) {
      if (isOverwrittenBefore(leaves, places, i)) {
        leaves.set(i, copy(leaves.get(i)));
      }
    }
    Map<Value, Value> moves = new LinkedHashMap<>();
    for (int i = 0; i < places.size(); i++) {
      collect(places.get(i), leaves.get(i), moves);
    }
    for (int i = 0; i < places.size(); i++) {
      if (places.get(i) instanceof Operand.InMemory buffer
          && !buffer.sharesBufferWith(leaves.get(i))) {
        requireWritable(buffer);
        code.overwrite(buffer, leaves.get(i));
      }
    }
    moves.entrySet().removeIf(move -> move.getKey().equals(move.getValue()));
    Set<Value> assigned = moves.keySet();
    moves.replaceAll((to, from) -> assigned.contains(from) ? emitter.variable(from) : from);
    moves.forEach(emitter::assign);
  }

  private void requireWritable(Operand.InMemory buffer) {
    if (!strategy.hasArrays() || !arrays.isOwned(buffer)) {
      throw new NoCodeException("arrays change their places: " + buffer);
    }
    code.requireFits(buffer.shape());
  }

  /**
   * Returns whether a source is read from an array that is overwritten by one of the assignments.
   */
  private static boolean isOverwrittenBefore(
      List<Operand.Leaf> leaves, List<Operand.Leaf> places, int number) {
    Operand.Leaf leaf = leaves.get(number);
    for (int i = 0; i < places.size(); i++) {
      boolean isWritten =
          places.get(i) instanceof Operand.InMemory buffer
              && !buffer.sharesBufferWith(leaves.get(i));
      boolean isRead = places.get(i).reads().stream().anyMatch(leaf.reads()::contains);
      boolean isOwn = i == number && leaf instanceof Operand.InMemory;
      if (isWritten && isRead && !isOwn) {
        return true;
      }
    }
    return false;
  }

  private Operand.Leaf copy(Operand.Leaf leaf) {
    return leaf instanceof Operand.InMemory buffer
        ? updates.copyToWorkspace(buffer)
        : code.inMemory(leaf);
  }

  /** Collects which local variables are set to which values. */
  private void collect(Operand.Leaf place, Operand.Leaf leaf, Map<Value, Value> moves) {
    switch (place) {
      case Operand.Scalar scalar -> moves.put(scalar.value(), leaf.scalar().value());
      case Operand.InLocals elements -> {
        List<ImmutableList<Value>> all = code.indices().all(elements.shape().sizes());
        for (int i = 0; i < all.size(); i++) {
          moves.put(elements.values().get(i), code.at(leaf, all.get(i)));
        }
      }
      case Operand.InMemory buffer -> {
        if (leaf instanceof Operand.InMemory source) {
          arrays.requireCurrent(source);
        }
      }
      case Operand.Deferred deferred -> throw new AssertionError(deferred);
    }
  }
}
