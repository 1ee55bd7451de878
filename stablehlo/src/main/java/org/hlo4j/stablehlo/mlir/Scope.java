package org.hlo4j.stablehlo.mlir;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The names of the values in scope at a position of the text. */
final class Scope {
  private final Map<String, Value[]> values = new HashMap<>();
  private final List<String> order = new ArrayList<>();
  private final @Nullable Scope outer;

  /** Creates a scope without names. The names of the outer scope are not visible in it. */
  Scope(@Nullable Scope outer) {
    this.outer = outer;
  }

  /**
   * Returns the values of a name: one, or as many as its op has results; null if it is not known.
   */
  Value @Nullable [] find(String name) {
    return values.get(name);
  }

  /** Returns whether an outer scope knows a name. */
  boolean isOutside(String name) {
    for (Scope scope = outer; scope != null; scope = scope.outer) {
      if (scope.values.containsKey(name)) {
        return true;
      }
    }
    return false;
  }

  Set<String> names() {
    return values.keySet();
  }

  /** Names values, and returns false if the name is already taken. */
  boolean define(String name, Value... named) {
    if (values.putIfAbsent(name, named) != null) {
      return false;
    }
    order.add(name);
    return true;
  }

  /** Returns a mark for {@link #reset}: the number of names so far. */
  int mark() {
    return order.size();
  }

  /** Removes all names that were added after a mark. */
  void reset(int mark) {
    while (order.size() > mark) {
      values.remove(order.remove(order.size() - 1));
    }
  }
}
