package org.hlo4j.hlo.source;

import com.google.common.math.LongMath;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;

/**
 * The account of what a file becomes in memory. A small file may stand for much: what it says once,
 * it may use many times. Whoever makes objects from a file takes what they need, roughly, from its
 * account, and refuses the file once that is too much for its size or for half of the heap.
 */
public final class ReadLimits {
  /** The bytes of an instruction with its op and shape. */
  public static final long INSTRUCTION = 1_000;

  /** The bytes of a small object. */
  public static final long OBJECT = 64;

  /** What even a file of a few bytes may become, and what each of its bytes adds. */
  private static final long FREE = 64L << 20;

  private static final long PER_BYTE = 256;

  private final String what;
  private final long most;
  private long taken;

  /**
   * Opens the account of a file.
   *
   * @param what what it is, for the message
   * @param size how many bytes or characters it has
   */
  public ReadLimits(String what, long size) {
    this.what = what;
    long own = LongMath.saturatedAdd(FREE, LongMath.saturatedMultiply(PER_BYTE, size));
    this.most = Math.min(own, Runtime.getRuntime().maxMemory() / 2);
  }

  /**
   * Takes memory for what is made next.
   *
   * @param bytes how much, roughly
   * @throws HloException of kind {@code LIMIT} if the file has taken too much, {@code INTERRUPTED}
   *     if the thread was interrupted
   */
  public void take(long bytes) {
    checkInterrupt(what);
    taken = LongMath.saturatedAdd(taken, bytes);
    if (taken > most) {
      throw new HloException(
          Kind.LIMIT,
          what
              + ": got what stands for more than "
              + most
              + " bytes in memory, want less, or a larger -Xmx");
    }
  }

  /**
   * Ends work that a file or module makes long once its thread is interrupted.
   *
   * @param what what is worked on, for the message
   * @throws HloException of kind {@code INTERRUPTED} if the thread was interrupted; it stays so
   */
  public static void checkInterrupt(String what) {
    if (Thread.currentThread().isInterrupted()) {
      throw new HloException(Kind.INTERRUPTED, what + ": interrupted");
    }
  }

  /**
   * Does work that needs stack for each level of nesting, and heap for what a file holds.
   *
   * @param what what is worked on, for the message
   * @param work what to do
   * @param <T> the type of its result
   * @return its result
   * @throws HloException of kind {@code LIMIT} if the stack of this thread or the heap does not
   *     suffice
   */
  public static <T> T guarded(String what, Supplier<T> work) {
    try {
      return work.get();
    } catch (StackOverflowError deep) {
      throw new HloException(
          Kind.LIMIT, what + ": got too much nesting for the stack of this thread");
    } catch (OutOfMemoryError full) {
      throw new HloException(
          Kind.LIMIT, what + ": got more than the heap has room for, want a larger -Xmx");
    }
  }
}
