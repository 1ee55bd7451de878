package org.hlo4j.interpreter.compiled.dots;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The generated tiles that are ready: made when first asked for, then run on little data by a
 * thread in the background until C2 has compiled them. Before that they would be a thousand times
 * slower, so that those who ask do without.
 */
final class Tiles {
  private static final Logger LOG = System.getLogger(Tiles.class.getName());
  private static final int STEPS = 32;
  private static final int RUNS_AT_ONCE = 100;
  private static final int MOST_RUNS = 200_000;
  private static final int ENOUGH_RUNS = 6_000;
  private static final long MILLISECOND = 1_000_000;
  private static final double NANOS_PER_PRODUCT = 0.5;
  private static final double LEAST_NANOS = 1500;

  private static final ThreadFactory DAEMON =
      Thread.ofPlatform().daemon().name("hlo4j-tiles-", 0).factory();
  private static final ExecutorService TRAINER = Executors.newSingleThreadExecutor(DAEMON);
  private static final ConcurrentMap<TileForm, Training> ALL = new ConcurrentHashMap<>();

  /** What becomes of a tile. */
  private static final class Training {
    volatile @Nullable Tile ready;
    final Future<?> done;

    Training(TileForm form) {
      done = TRAINER.submit(() -> ready = trained(form));
    }
  }

  private Tiles() {}

  /** The tile if it is ready; else its training begins, or goes on. */
  static @Nullable Tile ready(TileForm form) {
    Training known = ALL.get(form);
    return (known == null ? ALL.computeIfAbsent(form, Training::new) : known).ready;
  }

  /** Waits until all tiles asked for so far are ready or given up. */
  static void await() {
    for (Training training : ALL.values()) {
      try {
        training.done.get();
      } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
        return;
      } catch (ExecutionException problem) {
        throw new IllegalStateException(problem.getCause());
      }
    }
  }

  private static @Nullable Tile trained(TileForm form) {
    try {
      Tile tile = form.copies() ? CopyCode.tile(form) : TileCode.tile(form);
      if (isFast(tile, form)) {
        return tile;
      }
      LOG.log(Level.WARNING, "hlo4j: C2 does not compile {0}; plain loops do its work", form);
    } catch (LinkageError | RuntimeException problem) {
      LOG.log(Level.WARNING, "hlo4j: no vector kernel " + form + "; plain loops do it", problem);
    }
    return null;
  }

  private static boolean isFast(Tile tile, TileForm form) {
    Numbers numbers = Numbers.of(form.carrier());
    int rows = Math.max(1, form.rows());
    int reach = rows * form.rowStride() + STEPS * form.stepStride() + form.width();
    int size = Math.max(reach, STEPS * form.width());
    Object a = numbers.allocate(size);
    Object b = numbers.allocate(STEPS * Math.max(form.width(), form.laneStride()) + form.width());
    Object c = numbers.allocate(Math.max(rows, STEPS) * form.width());
    double enough = NANOS_PER_PRODUCT * rows * form.width() * STEPS;
    for (int runs = 0; runs < MOST_RUNS; runs += RUNS_AT_ONCE) {
      long[] nanos = new long[RUNS_AT_ONCE];
      for (int i = 0; i < RUNS_AT_ONCE; i++) {
        long start = System.nanoTime();
        tile.run(a, 0, b, 0, c, 0, form.width(), STEPS, i % 2 == 0);
        nanos[i] = System.nanoTime() - start;
      }
      if (runs > ENOUGH_RUNS) {
        LockSupport.parkNanos(MILLISECOND); // C2 may be short of time
      }
      Arrays.sort(nanos);
      if (nanos[RUNS_AT_ONCE / 2] < Math.max(enough, LEAST_NANOS)) {
        return true;
      }
    }
    return false;
  }
}
