package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Ordering;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * What the process does on signals. The JVM needs SIGSEGV for its null checks and safepoints; some
 * plugins put handlers of their own in its place when they are loaded, after which the JVM ends at
 * the next null check.
 */
public final class SignalHandlers {
  /** Enough for {@code struct sigaction} of any system. */
  private static final long SIZE = 256;

  private static final int LAST_SIGNAL = 31;

  private static final FunctionDescriptor TYPE =
      FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);

  private SignalHandlers() {}

  /**
   * Runs something that may change handlers, and puts those back that it changed.
   *
   * @param call what to run
   * @param changed gets the numbers of the signals whose handlers were put back
   * @return what the call returns
   */
  public static <T> T keeping(Supplier<T> call, ImmutableList.Builder<Integer> changed) {
    try (Arena arena = Arena.ofConfined()) {
      ImmutableSortedMap<Integer, MemorySegment> before = read(arena);
      try {
        return call.get();
      } finally {
        ImmutableSortedMap<Integer, MemorySegment> after = read(arena);
        before.forEach((signal, action) -> {
          if (handler(action) != handler(after.getOrDefault(signal, action))) {
            act(signal, action, MemorySegment.NULL);
            changed.add(signal);
          }
        });
      }
    }
  }

  /** The address of the handler, the first field of the struct. */
  private static long handler(MemorySegment action) {
    return action.get(JAVA_LONG, 0);
  }

  private static ImmutableSortedMap<Integer, MemorySegment> read(Arena arena) {
    ImmutableSortedMap.Builder<Integer, MemorySegment> all =
        new ImmutableSortedMap.Builder<>(Ordering.natural());
    for (int signal = 1; signal <= LAST_SIGNAL; signal++) {
      MemorySegment action = arena.allocate(SIZE, JAVA_LONG.byteAlignment());
      if (act(signal, MemorySegment.NULL, action)) {
        all.put(signal, action);
      }
    }
    return all.buildOrThrow();
  }

  /** Sets and reads what a signal does, either of which may be null; false if it has no handler. */
  private static boolean act(int signal, MemorySegment next, MemorySegment last) {
    return NativeLibrary.function("sigaction")
        .map(action -> NativeLibrary.call(action, TYPE, signal, next, last).equals(0))
        .orElse(false);
  }
}
