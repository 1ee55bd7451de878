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
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The generated tiles that are ready: made when first asked for, then run on little data by a
 * thread in the background until C2 has compiled them. Before that they would be a thousand times
 * slower, so that those who ask do without.
 */
final class Tiles {
  private static final Logger LOG = System.getLogger(Tiles.class.getName());
  private static final int STEPS = 32;

  /** Of a round of training: calls that multiply, and how many before each only count. */
  private static final int CALLS = 36;

  private static final int IDLE_CALLS = 30;

  /** Turns of a call that only counts; in later rounds as few as can be. */
  private static final int IDLE_TURNS = 16;

  private static final int ROUNDS_WITH_IDLE_TURNS = 2;

  /** After so many rounds C2 has seen enough, but has others to serve first. */
  private static final int ROUNDS = 8;

  /** If C2 took back what it made, it has to see some more. */
  private static final int AGAIN = 16;

  private static final int TIMED_CALLS = 5;
  private static final long ROUND_NANOS = 4_000_000;
  private static final long REST_NANOS = 1_000_000;
  private static final long PATIENCE_NANOS = 12_000_000_000L;

  /** What C2 made of a class at an unlucky time it does not make of another. */
  private static final int ATTEMPTS = 2;

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
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        Tile tile = form.copies() ? CopyCode.tile(form) : TileCode.tile(form);
        if (isFast(tile, form)) {
          return tile;
        }
      }
      LOG.log(Level.WARNING, "hlo4j: C2 does not compile {0}; plain loops do its work", form);
    } catch (LinkageError | RuntimeException problem) {
      LOG.log(Level.WARNING, "hlo4j: no vector kernel " + form + "; plain loops do it", problem);
    }
    return null;
  }

  private static boolean isFast(Tile tile, TileForm form) {
    Movement movement = Movement.of(form.carrier());
    int rows = Math.max(1, form.rows());
    int reach = rows * form.rowStride() + STEPS * form.stepStride() + form.width();
    int size = Math.max(reach, STEPS * form.width());
    Object a = movement.allocate(size);
    Object b = movement.allocate(STEPS * Math.max(form.width(), form.laneStride()) + form.width());
    Object c = movement.allocate(Math.max(rows, STEPS) * form.width());
    double enough = NANOS_PER_PRODUCT * rows * form.width() * STEPS;
    IntConsumer call = steps -> tile.run(a, 0, b, 0, c, 0, form.width(), steps, steps % 2 == 0);
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    for (int round = 0; System.nanoTime() < deadline; round++) {
      practise(call, round);
      LockSupport.parkNanos(REST_NANOS); // C2 may be short of time
      if (median(call) < Math.max(enough, LEAST_NANOS)) {
        return true;
      }
    }
    return false;
  }

  private static void practise(IntConsumer call, int round) {
    long end = System.nanoTime() + ROUND_NANOS;
    int counted = round > ROUNDS_WITH_IDLE_TURNS ? -1 : -IDLE_TURNS;
    for (int i = 0; i < CALLS && System.nanoTime() < end; i++) {
      for (int idle = 0; idle < IDLE_CALLS; idle++) {
        call.accept(counted);
      }
      if (round <= ROUNDS || round % AGAIN == 0) {
        call.accept(STEPS - i % 2);
      }
    }
  }

  private static long median(IntConsumer call) {
    long[] nanos = new long[TIMED_CALLS];
    for (int i = 0; i < TIMED_CALLS; i++) {
      long start = System.nanoTime();
      call.accept(STEPS - i % 2);
      nanos[i] = System.nanoTime() - start;
    }
    Arrays.sort(nanos);
    return nanos[TIMED_CALLS / 2];
  }
}
