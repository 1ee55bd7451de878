package org.hlo4j.interpreter.engine;

import com.google.common.collect.MapMaker;
import java.util.concurrent.ConcurrentMap;
import org.hlo4j.hlo.Literal;
import org.jspecify.annotations.Nullable;

/**
 * The arrays that others are the first part of, since a bounded dimension was given a smaller size.
 *
 * <p>XLA keeps an array with bounded dimensions in the room of its bounds, and may give it a larger
 * size again. A literal has no more than the elements that it is said to have; the others are kept
 * here, for as long as the literal itself is in use. They are known by the identity of the literal
 * and within a run only, so that equal literals are the same to all else.
 */
public final class WholeArrays {
  private volatile @Nullable ConcurrentMap<Literal, Literal> wholeByPart;

  /** Notes that an array is the first part of another, and returns it. */
  public Literal note(Literal part, Literal whole) {
    ConcurrentMap<Literal, Literal> map = wholeByPart;
    if (map == null) {
      map = created();
    }
    map.put(part, whole);
    return part;
  }

  private synchronized ConcurrentMap<Literal, Literal> created() {
    ConcurrentMap<Literal, Literal> map = wholeByPart;
    if (map == null) {
      map = new MapMaker().weakKeys().makeMap();
      wholeByPart = map;
    }
    return map;
  }

  /** Returns the array that an array is the first part of: the array itself if none is known. */
  public Literal of(Literal part) {
    ConcurrentMap<Literal, Literal> map = wholeByPart;
    return map == null ? part : map.getOrDefault(part, part);
  }
}
