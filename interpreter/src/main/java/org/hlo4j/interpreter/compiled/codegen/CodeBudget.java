package org.hlo4j.interpreter.compiled.codegen;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * A limit on the number of bytes of code that are generated for a module. It is bound to a thread
 * while the thread makes kernels. Once it is spent, no more classes are generated, and callers fall
 * back to other implementations.
 *
 * <p>Code is shared by modules, whose budgets differ. So that no module is slower for ever because
 * another one came first, a budget decides only whether code is made at all: what is made for the
 * whole process is outside of it ({@link #shared}), and the faster form of code that was made is
 * counted, but never refused ({@link #keep}).
 */
public final class CodeBudget {
  private static final ScopedValue<CodeBudget> CURRENT = ScopedValue.newInstance();

  private final long limit;
  private final AtomicLong generated;

  /**
   * Creates an unspent budget.
   *
   * @param limit the maximum number of bytes of code; the last class may exceed it
   */
  public CodeBudget(long limit) {
    this(limit, new AtomicLong());
  }

  private CodeBudget(long limit, AtomicLong generated) {
    this.limit = limit;
    this.generated = generated;
  }

  /** {@return the result of some work, with the classes that it generates counted here} */
  public <T> T within(Supplier<T> work) {
    return ScopedValue.where(CURRENT, this).call(work::get);
  }

  /** {@return the result of work that is done once for all modules, outside of any budget} */
  public static <T> T shared(Supplier<T> work) {
    return new CodeBudget(Long.MAX_VALUE).within(work);
  }

  /**
   * {@return work for another thread, which generates the faster form of code that was made within
   * the budget of this thread} Its classes are counted there, if this thread has a budget.
   */
  public static <T> Supplier<T> keep(Supplier<T> work) {
    if (!CURRENT.isBound()) {
      return work;
    }
    CodeBudget counting = new CodeBudget(Long.MAX_VALUE, CURRENT.get().generated);
    return () -> counting.within(work);
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
