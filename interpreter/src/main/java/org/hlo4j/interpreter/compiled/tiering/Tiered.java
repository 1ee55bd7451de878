package org.hlo4j.interpreter.compiled.tiering;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.hlo4j.interpreter.compiled.codegen.CodeBudget;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;
import org.hlo4j.interpreter.compiled.fission.LoopFission;
import org.jspecify.annotations.Nullable;

/**
 * Generated code in two forms that compute the same bits: one that is fast at once, and one that is
 * faster when C2 has compiled it: of vectors, which run a thousand times slower until then, or
 * without the Vector API of loops that are cut ({@link LoopFission}). Once there has been enough
 * work, the latter is made and warmed up ({@link WarmupQueue}), and offered once it has won ({@link
 * TimingComparison}): for a few types and ops it never does.
 *
 * @param <T> the type of the code
 */
public final class Tiered<T> {
  private final T first;
  private final Supplier<@Nullable T> making;
  private final Supplier<WarmupInput<T>> warmup;
  private final long enough;
  private final AtomicLong work = new AtomicLong();
  private final AtomicBoolean asked = new AtomicBoolean();
  private volatile @Nullable T second;
  private volatile boolean isOver;

  /**
   * Code in two forms.
   *
   * @param first the form that is fast at once
   * @param making makes the other; gives null if there is none
   * @param warmup makes input, and runs code on it
   * @param enough how much work makes it worth while
   */
  public Tiered(
      T first, Supplier<@Nullable T> making, Supplier<WarmupInput<T>> warmup, long enough) {
    this.first = first;
    this.making = CodeBudget.keep(making);
    this.warmup = warmup;
    this.enough = enough;
  }

  /**
   * Code in two forms that is written once.
   *
   * @param type as {@link HiddenClasses#instance} has it
   * @param name what to call the classes
   * @param writing writes the method
   * @param width how many elements vectors are to have; 1 if there are to be none
   * @param warmup makes input, and runs code on it
   * @param enough how much work makes the second form worth while
   * @throws TooLargeException if the code for single elements is too long
   */
  public static <T> Tiered<T> of(
      Class<T> type,
      String name,
      Consumer<CodeEmitter> writing,
      int width,
      Supplier<WarmupInput<T>> warmup,
      long enough) {
    return of(scalar(type, name, writing), type, name, writing, width, warmup, enough);
  }

  /** The code for single elements. */
  public static <T> T scalar(Class<T> type, String name, Consumer<CodeEmitter> writing) {
    return HiddenClasses.instance(type, name, code -> writing.accept(CodeEmitter.scalar(code)));
  }

  /** The same where there is code for single elements already. */
  public static <T> Tiered<T> of(
      T first,
      Class<T> type,
      String name,
      Consumer<CodeEmitter> writing,
      int width,
      Supplier<WarmupInput<T>> warmup,
      long enough) {
    return new Tiered<>(first, () -> second(type, name, writing, width), warmup, enough);
  }

  /** How many elements the second form is for, or more, if vectors have so many. */
  public static int least(int width) {
    return VectorSupport.isOn() ? width : Math.max(width, LoopFission.MIN);
  }

  private static <T> @Nullable T second(
      Class<T> type, String name, Consumer<CodeEmitter> writing, int width) {
    if (width == 1) {
      return VectorSupport.isOn() ? null : strips(type, name, writing);
    }
    try {
      return HiddenClasses.instance(
          type, name + "Vector", code -> writing.accept(CodeEmitter.vector(code, width)));
    } catch (NoCodeException scalarOnly) {
      return null;
    }
  }

  private static <T> @Nullable T strips(Class<T> type, String name, Consumer<CodeEmitter> writing) {
    try {
      return LoopFission.instance(
              type, name + "Strips", code -> writing.accept(CodeEmitter.branchless(code)))
          .orElse(null);
    } catch (TooLargeException oneLoop) {
      return null;
    }
  }

  /**
   * Writes the beginning of a method that has a loop: with nothing to do, it counts from one bound
   * up to the other, and returns. The virtual machine compiles what has been called often and has
   * made many iterations; so that can be had without them. What C2 makes of it does nothing.
   *
   * <pre>
   * if (from &gt;= to) {
   *   while (to &lt; from) to++;
   *   return;
   * }
   * </pre>
   */
  public static void writeCounting(CodeBuilder code, int fromLocal, int toLocal) {
    Label work = code.newLabel();
    Label done = code.newLabel();
    code.iload(fromLocal).iload(toLocal).if_icmplt(work);
    Label next = code.newBoundLabel();
    code.iload(toLocal).iload(fromLocal).if_icmpge(done);
    code.iinc(toLocal, 1).goto_(next);
    code.labelBinding(done).return_();
    code.labelBinding(work);
  }

  /** {@return the form that is fast at once} */
  public T first() {
    return first;
  }

  /**
   * {@return the second form, or null as long as it is not ready}
   *
   * @param amount how much work it is asked for
   */
  public @Nullable T second(long amount) {
    T ready = second;
    if (ready == null && !isOver && work.addAndGet(amount) >= enough) {
      warmUp();
    }
    return ready;
  }

  private void warmUp() {
    if (asked.compareAndSet(false, true)) {
      var _ =
          WarmupQueue.start(first, making, warmup, work::get)
              .thenAccept(vectorForm -> {
                second = vectorForm;
                isOver = true;
              });
    }
  }

  /** Makes the second form ready now, slow as it may still be. */
  public void prepare() {
    if (asked.compareAndSet(false, true)) {
      second = making.get();
      isOver = true;
    }
  }
}
