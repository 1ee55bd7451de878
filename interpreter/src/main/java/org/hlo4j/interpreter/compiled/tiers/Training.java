package org.hlo4j.interpreter.compiled.tiers;

import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes a form of vectors and trains it, in the background, until it is ready or given up. Several
 * are trained by turns: while C2 compiles one, another practises, and one that C2 spoils delays no
 * other.
 *
 * @param <T> the type of the code
 */
public final class Training<T> {
  private static final long REST_MICROS = 1_000;

  /** Now and then C2 makes a bad job of a class, for good; then another one is better. */
  private static final int ATTEMPTS = 3;

  private static final ScheduledExecutorService TRAINER =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("hlo4j-trainer").factory());

  private final @Nullable T first;
  private final Supplier<@Nullable T> making;
  private final Supplier<Practice<T>> practice;
  private final CompletableFuture<@Nullable T> over = new CompletableFuture<>();
  private int attempts;

  private Training(
      @Nullable T first, Supplier<@Nullable T> making, Supplier<Practice<T>> practice) {
    this.first = first;
    this.making = making;
    this.practice = practice;
  }

  /**
   * Begins to train.
   *
   * @param first a form that is fast at once, which the other has to be as fast as; if there is one
   * @param making makes the form of vectors; gives null if there is none
   * @param practice makes scratch data, and runs code on it
   * @return the form of vectors, once it is ready; null, once it is given up
   */
  public static <T> CompletableFuture<@Nullable T> start(
      @Nullable T first, Supplier<@Nullable T> making, Supplier<Practice<T>> practice) {
    Training<T> training = new Training<>(first, making, practice);
    TRAINER.execute(() -> training.orGiveUp(training::attempt));
    return training.over;
  }

  private void attempt() {
    attempts++;
    T made = making.get();
    if (made == null) {
      over.complete(null);
    } else {
      Trial<T> trial = new Trial<>(first, made, practice.get());
      trial.begin();
      rest(trial);
    }
  }

  private void rest(Trial<T> trial) {
    var _ = TRAINER.schedule(() -> orGiveUp(() -> goOn(trial)), REST_MICROS, TimeUnit.MICROSECONDS);
  }

  private void goOn(Trial<T> trial) {
    switch (trial.goOn()) {
      case PRACTISING -> rest(trial);
      case READY -> over.complete(trial.made());
      case SLOWER -> over.complete(null);
      case SPOILT -> {
        if (attempts < ATTEMPTS) {
          attempt();
        } else {
          giveUp(trial.made() + " is not compiled well", null);
        }
      }
    }
  }

  private void orGiveUp(Runnable step) {
    try {
      step.run();
    } catch (LinkageError | RuntimeException problem) {
      giveUp("a vector kernel does not work", problem);
    }
  }

  private void giveUp(String why, @Nullable Throwable problem) {
    System.getLogger(Training.class.getName())
        .log(Level.WARNING, "hlo4j: " + why + "; loops without vectors do its work", problem);
    over.complete(null);
  }
}
