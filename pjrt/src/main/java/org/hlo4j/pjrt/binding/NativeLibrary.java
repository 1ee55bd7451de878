package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;

/**
 * Loads a plugin's library, for as long as the process lives, and says why one cannot be loaded.
 */
public final class NativeLibrary {
  private NativeLibrary() {}

  /**
   * Loads a library and calls its {@code GetPjrtApi}.
   *
   * @param file its real path
   * @return the address of the table of functions
   * @throws HloException if it is no library for this machine, or has no such function
   */
  @SuppressWarnings("restricted")
  public static MemorySegment load(Path file) {
    Optional<MemorySegment> function = lookup(file).find("GetPjrtApi");
    HloException.require(
        function.isPresent(),
        Kind.UNSUPPORTED,
        "%s: got a library without GetPjrtApi, want a PJRT plugin",
        file);
    return (MemorySegment) call(function.get(), FunctionDescriptor.of(ADDRESS));
  }

  /** {@return what a function of C gives, which throws nothing} */
  static Object call(MemorySegment function, FunctionDescriptor type, Object... arguments) {
    try {
      return Linker.nativeLinker().downcallHandle(function, type).invokeWithArguments(arguments);
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** {@return a function of the C library} */
  static Optional<MemorySegment> function(String name) {
    return Linker.nativeLinker().defaultLookup().find(name);
  }

  private static SymbolLookup lookup(Path file) {
    try {
      return SymbolLookup.libraryLookup(file, Arena.global());
    } catch (IllegalArgumentException refused) {
      String why = reason(file);
      throw new HloException(
          Kind.UNSUPPORTED, file + ": got a library that cannot be loaded" + why + otherLibc(why));
    }
  }

  /** Returns what the system's loader says, which names a library that is missing. */
  private static String reason(Path file) {
    try {
      System.load(file.toString());
      return "";
    } catch (UnsatisfiedLinkError refused) {
      return ": " + String.valueOf(refused.getMessage()).replace(file + ": ", "");
    }
  }

  /** Returns a hint if what is missing is the C library of another kind of Linux. */
  private static String otherLibc(String reason) {
    if (reason.contains("musl")) {
      return ", the library of a Linux with musl; want a plugin for glibc";
    }
    return reason.matches("(?s).*(ld-linux|GLIBC_|libc\\.so\\.6).*")
        ? ", of glibc, in a version that this system does not have; want a plugin for it"
        : "";
  }

  /**
   * Refuses to begin where the JVM does not permit native code.
   *
   * @throws HloException if it does not
   */
  public static void requireNativeAccess() {
    try {
      MemorySegment.ofAddress(1).reinterpret(1); // restricted, and does nothing
    } catch (IllegalCallerException denied) {
      throw new HloException(
          Kind.UNSUPPORTED,
          "plugin: got a JVM that denies native access, want java"
              + " --enable-native-access=org.hlo4j.pjrt (on the class path: ALL-UNNAMED)");
    }
  }

  /** Sets a variable of the environment that native code sees, unless it is set. */
  public static void setEnvironment(String name, String value) {
    FunctionDescriptor type = FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
    int keepsOthers = 0;
    function("setenv")
        .ifPresent(setenv -> {
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment nameThere = arena.allocateFrom(name);
            Object _ = call(setenv, type, nameThere, arena.allocateFrom(value), keepsOthers);
          }
        });
  }
}
