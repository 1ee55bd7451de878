package org.hlo4j.stablehlo.jax;

import static org.hlo4j.hlo.HloException.Kind.INTERRUPTED;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.jspecify.annotations.Nullable;

/**
 * What was compiled for sets of shapes; those asked for last are kept. A set is compiled by the
 * thread that asks for it first. Others that want the same set wait for it, and nobody else does.
 *
 * @param <T> what is compiled
 */
final class CompiledShapes<T> {
  /** How many sets are remembered that were thrown away. */
  private static final int MAX_REMEMBERED = 1_000;

  private final int most;

  @GuardedBy("this")
  private final Map<String, T> kept = new LinkedHashMap<>(16, 0.75f, true);

  @GuardedBy("this")
  private final Map<String, CompletableFuture<T>> compiling = new HashMap<>();

  @GuardedBy("this")
  private final Map<String, Boolean> thrownAway = new LinkedHashMap<>();

  @GuardedBy("this")
  private int compiledAgain;

  /** Creates an empty one, which keeps at most {@code most} sets. */
  CompiledShapes(int most) {
    this.most = most;
  }

  /** {@return how many sets are kept at most} */
  int most() {
    return most;
  }

  /**
   * Returns what was compiled for a set of shapes.
   *
   * @param shapes the set
   * @param compile compiles it; what it throws goes to all who wait, except where an interrupt or
   *     an error of its thread says nothing about the set: they try by themselves
   */
  T get(String shapes, Supplier<? extends T> compile) {
    while (true) {
      CompletableFuture<T> own = new CompletableFuture<>();
      CompletableFuture<T> other;
      synchronized (this) {
        T known = kept.get(shapes);
        if (known != null) {
          return known;
        }
        other = compiling.putIfAbsent(shapes, own);
      }
      if (other == null) {
        return compile(shapes, own, compile);
      }
      T made = await(other);
      if (made != null) {
        return made;
      }
    }
  }

  private T compile(String shapes, CompletableFuture<T> own, Supplier<? extends T> compile) {
    try {
      T made = compile.get();
      keep(shapes, made);
      own.complete(made);
      return made;
    } catch (Throwable failure) {
      synchronized (this) {
        compiling.remove(shapes);
      }
      own.completeExceptionally(failure);
      throw failure;
    }
  }

  private void keep(String shapes, T made) {
    boolean isThrashing;
    synchronized (this) {
      compiling.remove(shapes);
      isThrashing = thrownAway.remove(shapes) != null && ++compiledAgain == most;
      kept.put(shapes, made);
      if (kept.size() > most) {
        throwAway(kept.keySet().iterator().next());
      }
    }
    if (isThrashing) {
      System.getLogger(JaxFunction.class.getName())
          .log(
              Level.WARNING,
              "{0} sets of shapes were compiled again, since only the last {0} are kept:"
                  + " withMaxCompiled keeps more",
              most);
    }
  }

  @GuardedBy("this")
  private void throwAway(String shapes) {
    kept.remove(shapes);
    thrownAway.put(shapes, true);
    if (thrownAway.size() > MAX_REMEMBERED) {
      thrownAway.remove(thrownAway.keySet().iterator().next());
    }
  }

  /** Returns what another thread compiles; null if it was kept from it. */
  private static <T> @Nullable T await(CompletableFuture<T> other) {
    try {
      return other.get();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new HloException(INTERRUPTED, "call: interrupted");
    } catch (ExecutionException failure) {
      if (failure.getCause() instanceof HloException refusal && refusal.kind() != INTERRUPTED) {
        throw refusal;
      }
      return null;
    }
  }
}
