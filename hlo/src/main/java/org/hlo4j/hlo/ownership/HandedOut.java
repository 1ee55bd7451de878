package org.hlo4j.hlo.ownership;

import com.google.common.collect.MapMaker;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.hlo4j.hlo.Literal;

/**
 * The arrays that somebody was handed: whoever takes from a queue, a custom call's handler, a
 * listener, another device, an executable with bound arguments, a module with constants.
 *
 * <p>The invariant of all evaluators is that <b>an array that was handed out is never written
 * again</b>. Who hands a value out says so here first; who is about to write to an array that
 * existed before asks {@link #contains}. Within a run that is the one place that gives kernels
 * storage, at its end the one that takes the arrays of a result. Arrays are known by identity, as
 * long as they are in use.
 *
 * <p>A run hands out arrays of its own from its own thread, so it need not ask about them if {@link
 * #count} is what it was when it began.
 */
public final class HandedOut {
  private static final Set<Object> ARRAYS =
      Collections.newSetFromMap(new MapMaker().weakKeys().makeMap());

  private static final AtomicLong COUNT = new AtomicLong();

  private HandedOut() {}

  /**
   * Notes that somebody is about to be handed a value, and returns it.
   *
   * @param value what is handed out
   * @return the value
   */
  public static Literal note(Literal value) {
    for (Literal array : value.arrays()) {
      if (!array.isElided()) {
        ARRAYS.add(array.unsafeStorage());
      }
    }
    COUNT.incrementAndGet();
    return value;
  }

  /**
   * Returns how many values were handed out so far, by whomever.
   *
   * @return the number of calls of {@link #note}
   */
  public static long count() {
    return COUNT.get();
  }

  /**
   * Returns whether somebody was handed an array, which nobody may write to any more.
   *
   * @param storage an array of a literal
   * @return whether it was handed out
   */
  public static boolean contains(Object storage) {
    return ARRAYS.contains(storage);
  }
}
