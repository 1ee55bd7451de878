package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * Java functions that a plugin calls. Their stubs live as long as the process: one that is freed
 * while an event is pending ends it. A Throwable that leaves one would end it, too, so that each of
 * these functions catches all.
 */
public final class Upcalls {
  private static final ThreadLocal<Boolean> INSIDE = ThreadLocal.withInitial(() -> false);

  private Upcalls() {}

  /** {@return a stub for a function of a number that throws nothing} */
  public static MemorySegment stub(LongUnaryOperator function) {
    return stub(LongUnaryOperator.class, function, FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
  }

  /** {@return a stub for a function of two numbers that throws nothing} */
  static MemorySegment stub(LongBinaryOperator function) {
    FunctionDescriptor numbers = FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG);
    return stub(LongBinaryOperator.class, function, numbers);
  }

  private static <T> MemorySegment stub(Class<T> type, T function, FunctionDescriptor numbers) {
    try {
      MethodHandle call =
          MethodHandles.publicLookup().findVirtual(type, "applyAsLong", numbers.toMethodType());
      return Linker.nativeLinker().upcallStub(call.bindTo(function), numbers, Arena.global());
    } catch (ReflectiveOperationException impossible) {
      throw new LinkageError(type.getName(), impossible);
    }
  }

  /** {@return whether this thread runs a user's function that the plugin has called} */
  static boolean isInside() {
    return INSIDE.get();
  }

  /** Runs a user's function that the plugin has called: until its end, the plugin is refused. */
  public static void inside(Runnable function) {
    INSIDE.set(true);
    try {
      function.run();
    } finally {
      INSIDE.set(false);
    }
  }
}
