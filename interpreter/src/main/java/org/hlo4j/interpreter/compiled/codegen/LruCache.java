package org.hlo4j.interpreter.compiled.codegen;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What was made, by what it was made of; of more than a limit, what was used last. Guava's caches
 * do more than is needed here, and take 18 ms to load, most of it for a logger.
 *
 * @param <K> what things are made of
 * @param <V> the things
 */
public final class LruCache<K, V> {
  private final Map<K, V> all;

  /** Keeps at most so many. */
  public LruCache(int most) {
    all =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > most;
          }
        };
  }

  /**
   * What is kept, or is made now. Two threads may both make it; one of the two is kept.
   *
   * @param making makes it, and may ask for others; what it throws is thrown, and nothing kept
   */
  public V get(K key, Supplier<? extends V> making) {
    synchronized (all) {
      V known = all.get(key);
      if (known != null) {
        return known;
      }
    }
    V made = making.get();
    synchronized (all) {
      V earlier = all.putIfAbsent(key, made);
      return earlier == null ? made : earlier;
    }
  }
}
