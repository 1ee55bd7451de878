package org.hlo4j.interpreter.compiled.codegen;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * A limit on the number of bytes of code that are generated for a module. It is bound to a thread
 * while the thread makes kernels, and is passed on to background threads that generate code again.
 * Once it is spent, no more classes are generated, and callers fall back to other implementations.
 */
public final class CodeBudget {
  private static final ScopedValue<CodeBudget> CURRENT = ScopedValue.newInstance();

  private final long limit;
  private final AtomicLong generated = new AtomicLong();

  /**
   * Creates an unspent budget.
   *
   * @param limit the maximum number of bytes of code; the last class may exceed it
   */
  public CodeBudget(long limit) {
    this.limit = limit;
  }

  /** {@return the result of some work, with the classes that it generates counted here} */
  public <T> T within(Supplier<T> work) {
    return ScopedValue.where(CURRENT, this).call(work::get);
  }

  /** {@return work for another thread, bound to the budget of this thread if it has one} */
  public static <T> Supplier<T> keep(Supplier<T> work) {
    if (!CURRENT.isBound()) {
      return work;
    }
    CodeBudget budget = CURRENT.get();
    return () -> budget.within(work);
  }

  /** Rejects a new class if the budget is spent. */
  static void require(String name) {
    if (CURRENT.isBound() && CURRENT.get().isSpent()) {
      throw new TooLargeException(name, CURRENT.get().limit);
    }
  }

  /** Counts a class. */
  static void spend(int bytes) {
    if (CURRENT.isBound()) {
      CURRENT.get().generated.addAndGet(bytes);
    }
  }

  /** {@return whether no more code may be generated} */
  public boolean isSpent() {
    return generated.get() >= limit;
  }

  /** {@return the number of bytes of code generated so far} */
  public long generated() {
    return generated.get();
  }
}
