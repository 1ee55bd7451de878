package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.lang.ref.SoftReference;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/**
 * What was made for the sizes of arguments; the last few are kept, while the heap has room. Sizes
 * are compiled for when they are first met; once as many are kept as may be, when they are met
 * again.
 *
 * @param <T> what is made
 */
final class KnownSizes<T> {
  /** How many sets of sizes are kept. */
  private static final int MAX_KEPT = 16;

  /** How many sets of sizes are remembered that were met once. */
  private static final int MAX_MET = 256;

  /** A map that forgets what nobody asked for lately. */
  private static final class Recent<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1L;
    private final int most;

    Recent(int most) {
      super(16, 0.75f, true);
      this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      return size() > most;
    }
  }

  private final Function<ImmutableList<Shape>, T> make;
  private final T none;
  private final ReentrantLock making = new ReentrantLock();
  private final Recent<ImmutableList<Shape>, SoftReference<T>> kept = new Recent<>(MAX_KEPT);
  private final Recent<ImmutableList<Shape>, Boolean> met = new Recent<>(MAX_MET);

  /**
   * Creates it.
   *
   * @param make makes something for the shapes of arguments
   * @param none what there is for sizes that are not compiled for yet
   */
  KnownSizes(Function<ImmutableList<Shape>, T> make, T none) {
    this.make = make;
    this.none = none;
  }

  /** Returns what there is for arguments of these shapes. */
  T of(ImmutableList<Shape> shapes) {
    synchronized (kept) {
      T known = known(shapes);
      if (known != null) {
        return known;
      }
      if (kept.size() == MAX_KEPT && met.put(shapes, true) == null) {
        return none;
      }
    }
    return Limits.exclusively(making, () -> made(shapes));
  }

  private @Nullable T known(ImmutableList<Shape> shapes) {
    SoftReference<T> reference = kept.get(shapes);
    return reference == null ? null : reference.get();
  }

  private T made(ImmutableList<Shape> shapes) {
    synchronized (kept) {
      T known = known(shapes); // another thread may have made it meanwhile
      if (known != null) {
        return known;
      }
    }
    T made = make.apply(shapes);
    synchronized (kept) {
      kept.put(shapes, new SoftReference<>(made));
    }
    return made;
  }

  /** Returns all that is kept. */
  ImmutableMap<ImmutableList<Shape>, T> all() {
    ImmutableMap.Builder<ImmutableList<Shape>, T> all = ImmutableMap.builder();
    synchronized (kept) {
      kept.forEach((shapes, reference) -> {
        T known = reference.get();
        if (known != null) {
          all.put(shapes, known);
        }
      });
    }
    return all.buildOrThrow();
  }
}
