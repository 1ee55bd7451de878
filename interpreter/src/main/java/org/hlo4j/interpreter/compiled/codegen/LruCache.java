package org.hlo4j.interpreter.compiled.codegen;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A thread-safe cache of limited size, which drops the entries that have not been used for the
 * longest time. Guava's caches do more than is needed here, and take 18 ms to load, most of it for
 * a logger.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class LruCache<K, V> {
  private final Map<K, V> all;

  /** Creates a cache of at most {@code most} entries. */
  public LruCache(int most) {
    all =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > most;
          }
        };
  }

  /** Returns the values in the cache. */
  public List<V> values() {
    synchronized (all) {
      return List.copyOf(all.values());
    }
  }

  /**
   * Returns the value of a key, which is made now if it is not in the cache. Two threads may both
   * make it; one of the two values is kept.
   *
   * @param making makes the value, and may use the cache itself; if it throws, nothing is kept
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
