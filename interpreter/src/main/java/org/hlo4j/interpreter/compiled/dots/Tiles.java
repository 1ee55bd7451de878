package org.hlo4j.interpreter.compiled.dots;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The generated tiles that are ready: made when first asked for, then trained in the background
 * until C2 has compiled them. Before that they would be a thousand times slower, so that those who
 * ask do without.
 */
final class Tiles {
  private static final ConcurrentMap<TileForm, TileTraining> ALL = new ConcurrentHashMap<>();

  private Tiles() {}

  /** The tile if it is ready; else its training begins, or goes on. */
  static @Nullable Tile ready(TileForm form) {
    TileTraining known = ALL.get(form);
    return (known == null ? ALL.computeIfAbsent(form, TileTraining::start) : known).ready();
  }

  /** Waits until all tiles asked for so far are ready or given up. */
  static void await() {
    ALL.values().forEach(TileTraining::await);
  }
}
