package org.hlo4j.stablehlo.mlir;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The names of values that can be used at a place of the text. */
final class Scope {
  private final Map<String, Value[]> values = new HashMap<>();
  private final Deque<String> order = new ArrayDeque<>();

  Optional<Value[]> find(String name) {
    return Optional.ofNullable(values.get(name));
  }

  /** Names values, unless the name is taken. */
  boolean define(String name, Value[] named) {
    if (values.putIfAbsent(name, named) != null) {
      return false;
    }
    order.push(name);
    return true;
  }

  /** The number of names, to go back to. */
  int mark() {
    return order.size();
  }

  /** Forgets all names given since there were as many. */
  void reset(int mark) {
    while (order.size() > mark) {
      values.remove(order.pop());
    }
  }
}
