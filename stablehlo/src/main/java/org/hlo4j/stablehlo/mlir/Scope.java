package org.hlo4j.stablehlo.mlir;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The names of values that can be used at a place of the text. */
final class Scope {
  private final Map<String, Value[]> values = new HashMap<>();
  private final List<String> order = new ArrayList<>();
  private final @Nullable Scope outer;

  /** No names, inside of a scope whose names are not seen. */
  Scope(@Nullable Scope outer) {
    this.outer = outer;
  }

  /** The values of a name, one or as many as its op has results; null if it is not known. */
  Value @Nullable [] find(String name) {
    return values.get(name);
  }

  /** Whether a scope around this one knows a name. */
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

  /** Names values, unless the name is taken. */
  boolean define(String name, Value... named) {
    if (values.putIfAbsent(name, named) != null) {
      return false;
    }
    order.add(name);
    return true;
  }

  /** The number of names, to go back to. */
  int mark() {
    return order.size();
  }

  /** Forgets all names given since there were as many. */
  void reset(int mark) {
    while (order.size() > mark) {
      values.remove(order.remove(order.size() - 1));
    }
  }
}
