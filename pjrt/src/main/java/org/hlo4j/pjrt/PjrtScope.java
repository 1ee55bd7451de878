package org.hlo4j.pjrt;

import com.google.common.base.Throwables;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;

/**
 * Closes what was given to it when it is closed itself, the last first.
 *
 * {@snippet :
 * try (PjrtScope scope = new PjrtScope()) {
 *   PjrtBuffer x = scope.add(client.buffer(literal));
 *   return scope.addAll(executable.execute(List.of(x))).get(0).toLiteral();
 * }
 * }
 */
public final class PjrtScope implements AutoCloseable {
  private final Deque<AutoCloseable> all = new ArrayDeque<>();

  /** Creates a scope that has nothing to close. */
  public PjrtScope() {}

  /**
   * Adds something to close.
   *
   * @param made a buffer, an executable or a client
   * @param <T> its type
   * @return the same
   */
  public <T extends AutoCloseable> T add(T made) {
    all.push(made);
    return made;
  }

  /**
   * Adds all of something to close.
   *
   * @param made buffers, as a run gives them
   * @param <T> the type of their collection
   * @return the same
   */
  public <T extends Collection<? extends AutoCloseable>> T addAll(T made) {
    made.forEach(all::push);
    return made;
  }

  /** Closes what was added. */
  @Override
  public void close() {
    while (!all.isEmpty()) {
      try {
        all.pop().close();
      } catch (Exception failure) {
        Throwables.throwIfUnchecked(failure);
        throw new AssertionError(failure);
      }
    }
  }
}
