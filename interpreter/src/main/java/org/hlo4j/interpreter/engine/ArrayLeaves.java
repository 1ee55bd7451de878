package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.MapMaker;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/** The leaves of a literal: the arrays in it, with tuples flattened. */
public final class ArrayLeaves {
  /** The arrays, by identity, that somebody beside the caller of a run holds. */
  private static final Set<Object> SHARED =
      Collections.newSetFromMap(new MapMaker().weakKeys().makeMap());

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

  /** Returns the arrays that hold the elements of a value, except those that are left out. */
  private static List<Object> storages(Literal value) {
    return of(value).stream().filter(leaf -> !leaf.isElided()).map(Literal::unsafeStorage).toList();
  }

  /**
   * Declares that somebody beside the caller of a run holds the arrays of a value, such as a module
   * its constants, so that no run may write its result there.
   */
  public static void share(Literal value) {
    SHARED.addAll(storages(value));
  }

  /**
   * Declares the arrays of results shared that are also in an argument, or there several times: a
   * program may hand on its arguments.
   */
  static void shareHandedOn(List<Literal> results, List<Literal> arguments) {
    Set<Object> held = Collections.newSetFromMap(new IdentityHashMap<>());
    arguments.forEach(argument -> held.addAll(storages(argument)));
    for (Literal result : results) {
      storages(result).stream().filter(storage -> !held.add(storage)).forEach(SHARED::add);
    }
  }

  /** Returns zeros in arrays of their own. */
  static Literal fresh(Shape shape) {
    return switch (shape) {
      case Shape.Array array -> Literal.zeros(requireStatic(array));
      case Shape.Tuple tuple ->
          Literal.tuple(tuple.elements().stream().map(ArrayLeaves::fresh).toList());
      case Shape.Token _ -> Literal.token();
      case Shape.Buffer _, Shape.Opaque _ ->
          throw new HloException("", "newResult: result got " + shape + ", want arrays");
    };
  }

  private static Shape.Array requireStatic(Shape.Array array) {
    require(!array.isDynamic(), "", "newResult: result got %s, want static sizes", array);
    return array;
  }

  /**
   * Throws if a literal may not be written to as the result of a run: if it has another shape, or
   * shares an array with itself, with an argument or with what is declared shared.
   */
  static void requireWritableResult(Literal result, Shape root, Literal[] arguments) {
    require(result != null, "", "run: result got null, want a literal of %s", root);
    require(result.shape().equals(root), "", "run: result got %s, want %s", result.shape(), root);
    Set<Object> own = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Literal leaf : of(result)) {
      Object storage = leaf.unsafeStorage();
      requireUnshared(own.add(storage) && !SHARED.contains(storage), leaf);
    }
    for (Literal argument : arguments) {
      of(argument)
          .forEach(leaf ->
              requireUnshared(leaf.isElided() || !own.contains(leaf.unsafeStorage()), leaf));
    }
  }

  private static void requireUnshared(boolean isOwn, Literal leaf) {
    require(
        isOwn,
        "",
        "run: result got an array of %s that is also a constant, an argument, bound, in a queue or"
            + " there twice, want one of its own, as newResult() makes them",
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
