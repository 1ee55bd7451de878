package org.hlo4j.pjrt.binding;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Java functions that a plugin calls. Their stubs live as long as the process: one that is freed
 * while an event is pending ends it. A Throwable that leaves one would end it, too, so that each of
 * these functions catches all.
 */
public final class Upcalls {
  private static final ThreadLocal<Boolean> INSIDE = ThreadLocal.withInitial(() -> false);

  private Upcalls() {}

  /** {@return a stub for a function that throws nothing} */
  public static MemorySegment stub(MethodHandle function, FunctionDescriptor descriptor) {
    return Linker.nativeLinker().upcallStub(function, descriptor, Arena.global());
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
