package org.hlo4j.interpreter.compiled.reduce;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** A function that computes each value once. It may call itself. */
final class Memo<K, V> {
  private final Map<K, V> known = new HashMap<>();
  private final Function<K, V> function;

  Memo(Function<K, V> function) {
    this.function = function;
  }

  V get(K key) {
    V value = known.get(key);
    if (value == null) {
      value = function.apply(key);
      known.put(key, value);
    }
    return value;
  }
}
