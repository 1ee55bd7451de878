package org.hlo4j.interpreter.compiled.codegen;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * How many bytes of code may still be generated for a module. It is bound to a thread while that
 * makes kernels, and stays with code that is to be made again in the background. Once it is spent
 * no more classes are made: what needs one is done without.
 */
public final class CodeBudget {
  private static final ScopedValue<CodeBudget> CURRENT = ScopedValue.newInstance();

  private final long limit;
  private final AtomicLong generated = new AtomicLong();

  /**
   * A budget of which nothing is spent.
   *
   * @param limit how many bytes of code there may be; one class more may get beyond it
   */
  public CodeBudget(long limit) {
    this.limit = limit;
  }

  /** {@return what some work gives, the classes that it makes being counted here} */
  public <T> T within(Supplier<T> work) {
    return ScopedValue.where(CURRENT, this).call(work::get);
  }

  /** {@return work for another thread, within the budget of this one if it has one} */
  public static <T> Supplier<T> keep(Supplier<T> work) {
    if (!CURRENT.isBound()) {
      return work;
    }
    CodeBudget budget = CURRENT.get();
    return () -> budget.within(work);
  }

  /** Refuses to begin a class if nothing is left. */
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

  /** {@return whether there may be no more code} */
  public boolean isSpent() {
    return generated.get() >= limit;
  }

  /** {@return how many bytes of code there are} */
  public long generated() {
    return generated.get();
  }
}
