package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/** The leaves of a literal: the arrays in it, with tuples flattened. */
public final class ArrayLeaves {
  private ArrayLeaves() {}

  /** Returns the arrays in a value, in order. An array that occurs twice is listed twice. */
  public static List<Literal> of(Literal value) {
    List<Literal> leaves = new ArrayList<>();
    append(value, leaves);
    return leaves;
  }

  private static void append(Literal value, List<Literal> leaves) {
    if (value.shape() instanceof Shape.Array) {
      leaves.add(value);
    }
    value.elements().forEach(element -> append(element, leaves));
  }

  /**
   * Throws if a literal may not be written to as the result of a run: if it has another shape, or
   * shares an array with itself or with an argument.
   */
  static void requireWritableResult(Literal result, Shape root, Literal[] arguments) {
    require(result != null, "", "run: result got null, want a literal of %s", root);
    require(result.shape().equals(root), "", "run: result got %s, want %s", result.shape(), root);
    Set<Object> own = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Literal leaf : of(result)) {
      requireUnshared(own.add(leaf.unsafeStorage()), leaf);
    }
    for (Literal argument : arguments) {
      requireNotArgument(own, argument);
    }
  }

  private static void requireNotArgument(Set<Object> own, Literal argument) {
    if (argument.shape() instanceof Shape.Array) {
      requireUnshared(!own.contains(argument.unsafeStorage()), argument);
    }
    argument.elements().forEach(element -> requireNotArgument(own, element));
  }

  private static void requireUnshared(boolean isOwn, Literal leaf) {
    require(
        isOwn,
        "",
        "run: result got an array of %s that is also an argument, or there twice, want one of its"
            + " own",
        leaf.shape());
  }

  /**
   * Copies the elements of one value into the arrays of another, except where both share an array.
   */
  static void copy(Literal from, Literal to) {
    List<Literal> sources = of(from);
    List<Literal> targets = of(to);
    for (int i = 0; i < sources.size(); i++) {
      Object source = sources.get(i).unsafeStorage();
      Object target = targets.get(i).unsafeStorage();
      if (source != target) {
        System.arraycopy(source, 0, target, 0, Array.getLength(source));
      }
    }
  }
}
