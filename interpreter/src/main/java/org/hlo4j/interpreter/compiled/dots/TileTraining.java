package org.hlo4j.interpreter.compiled.dots;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings a tile to where C2 compiles it: runs it on little data, most calls only counting, until it
 * is fast. Several tiles are trained by turns: while C2 compiles one, another practises, and one
 * that C2 spoils delays no other.
 */
final class TileTraining {
  private static final Logger LOG = System.getLogger(TileTraining.class.getName());
  private static final int STEPS = 32;

  /** Of a round: calls that multiply, and how many before each only count. */
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
  private static final long REST_MICROS = 1_000;
  private static final long PATIENCE_NANOS = 8_000_000_000L;

  /** Now and then C2 makes a bad job of a class, for good; then another one is better. */
  private static final int ATTEMPTS = 3;

  private static final double NANOS_PER_PRODUCT = 0.5;
  private static final double LEAST_NANOS = 1500;

  private static final ScheduledExecutorService TRAINER =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("hlo4j-tiles").factory());

  private final TileForm form;
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile @Nullable Tile ready;
  private int attempt;

  private TileTraining(TileForm form) {
    this.form = form;
  }

  /** Trains a tile, in the background. */
  static TileTraining start(TileForm form) {
    TileTraining training = new TileTraining(form);
    TRAINER.execute(training::begin);
    return training;
  }

  /** The tile, if it is ready. */
  @Nullable Tile ready() {
    return ready;
  }

  /** Waits until it is ready or given up. */
  void await() {
    try {
      over.await();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  private void begin() {
    try {
      goOn(new Trial(form.copies() ? CopyCode.tile(form) : TileCode.tile(form)));
    } catch (LinkageError | RuntimeException problem) {
      giveUp("no vector kernel " + form, problem);
    }
  }

  private void goOn(Trial trial) {
    try {
      if (trial.isFast()) {
        ready = trial.tile;
        over.countDown();
      } else if (System.nanoTime() < trial.deadline) {
        trial.practise();
        var _ = TRAINER.schedule(() -> goOn(trial), REST_MICROS, TimeUnit.MICROSECONDS);
      } else if (++attempt < ATTEMPTS) {
        begin();
      } else {
        giveUp("C2 does not compile " + form, null);
      }
    } catch (LinkageError | RuntimeException problem) {
      giveUp("no vector kernel " + form, problem);
    }
  }

  private void giveUp(String why, @Nullable Throwable problem) {
    LOG.log(Level.WARNING, "hlo4j: " + why + "; plain loops do its work", problem);
    over.countDown();
  }

  /** A tile, and data for it. */
  private final class Trial {
    final Tile tile;
    final long deadline = System.nanoTime() + PATIENCE_NANOS;
    private final IntConsumer call;
    private final double enough;
    private int round;
    private int called;

    Trial(Tile tile) {
      Movement movement = Movement.of(form.carrier());
      int rows = Math.max(1, form.rows());
      int width = form.width();
      int reach = rows * form.rowStride() + STEPS * form.stepStride() + width;
      Object a = movement.allocate(Math.max(reach, STEPS * width));
      Object b = movement.allocate(STEPS * Math.max(width, form.laneStride()) + width);
      Object c = movement.allocate(Math.max(rows, STEPS) * width);
      this.tile = tile;
      this.call = steps -> tile.run(a, 0, b, 0, c, 0, width, steps, steps % 2 == 0);
      this.enough = Math.max(NANOS_PER_PRODUCT * rows * width * STEPS, LEAST_NANOS);
    }

    void practise() {
      long end = System.nanoTime() + ROUND_NANOS;
      int counted = round > ROUNDS_WITH_IDLE_TURNS ? -1 : -IDLE_TURNS;
      for (int i = 0; i < CALLS && System.nanoTime() < end; i++) {
        for (int idle = 0; idle < IDLE_CALLS; idle++) {
          call.accept(counted);
        }
        if (round <= ROUNDS || round % AGAIN == 0) {
          call.accept(STEPS - called++ % 2);
        }
      }
      round++;
    }

    /** Whether half of some calls are: others work too. */
    boolean isFast() {
      if (round == 0) {
        return false;
      }
      long[] nanos = new long[TIMED_CALLS];
      for (int i = 0; i < TIMED_CALLS; i++) {
        long start = System.nanoTime();
        call.accept(STEPS - i % 2);
        nanos[i] = System.nanoTime() - start;
      }
      Arrays.sort(nanos);
      return nanos[TIMED_CALLS / 2] < enough;
    }
  }
}
