package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;

/**
 * Loads a plugin's library, for as long as the process lives, and says why one cannot be loaded.
 */
public final class NativeLibrary {
  /** Numbers of processors in ELF files. */
  private static final int X86_64 = 62;

  private static final int AARCH64 = 183;
  private static final int ELF_HEADER = 20;
  private static final int MACHINE = 18;

  private NativeLibrary() {}

  /**
   * Loads a library and calls its {@code GetPjrtApi}.
   *
   * @param file its real path
   * @return the address of the table of functions
   * @throws HloException if it is no library for this machine, or has no such function
   */
  public static MemorySegment load(Path file) {
    requireThisMachine(file);
    MemorySegment function =
        lookup(file)
            .find("GetPjrtApi")
            .orElseThrow(() ->
                new HloException(
                    Kind.UNSUPPORTED,
                    file + ": got a library without GetPjrtApi, want a PJRT plugin"));
    try {
      return (MemorySegment)
          Linker.nativeLinker()
              .downcallHandle(function, FunctionDescriptor.of(ADDRESS))
              .invokeExact();
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static SymbolLookup lookup(Path file) {
    try {
      return SymbolLookup.libraryLookup(file, Arena.global());
    } catch (IllegalArgumentException refused) {
      throw new HloException(
          Kind.UNSUPPORTED,
          file
              + ": got a library that cannot be loaded"
              + reason(file).map(why -> ": " + why + otherLibc(why)).orElse(""));
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

  private static void requireThisMachine(Path file) {
    byte[] header = header(file);
    boolean isElf =
        header.length == ELF_HEADER && header[0] == 0x7f && header[1] == 'E' && header[2] == 'L';
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    HloException.require(
        isElf || !system.startsWith("linux"),
        Kind.UNSUPPORTED,
        "%s: got a file that is no ELF library, want a PJRT plugin for Linux",
        file);
    if (isElf) {
      int machine = (header[MACHINE] & 0xff) | (header[MACHINE + 1] & 0xff) << 8;
      int want = System.getProperty("os.arch").equals("aarch64") ? AARCH64 : X86_64;
      HloException.require(
          machine == want,
          Kind.UNSUPPORTED,
          "%s: got a library for %s, want one for %s",
          file,
          processor(machine),
          processor(want));
    }
  }

  private static byte[] header(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return in.readNBytes(ELF_HEADER);
    } catch (IOException e) {
      throw new HloException(Kind.IO, file + ": cannot be read: " + e.getMessage());
    }
  }

  private static String processor(int machine) {
    return switch (machine) {
      case X86_64 -> "x86-64";
      case AARCH64 -> "aarch64";
      default -> "processor " + machine + " of ELF";
    };
  }

  /** Returns what the system's loader says, which names a library that is missing. */
  private static Optional<String> reason(Path file) {
    Linker linker = Linker.nativeLinker();
    Optional<MemorySegment> open = linker.defaultLookup().find("dlopen");
    Optional<MemorySegment> error = linker.defaultLookup().find("dlerror");
    if (open.isEmpty() || error.isEmpty()) {
      return Optional.empty();
    }
    MethodHandle dlopen =
        linker.downcallHandle(open.get(), FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));
    MethodHandle dlerror = linker.downcallHandle(error.get(), FunctionDescriptor.of(ADDRESS));
    try (Arena arena = Arena.ofConfined()) {
      int lazily = 1;
      MemorySegment none =
          (MemorySegment) dlopen.invokeExact(arena.allocateFrom(file.toString()), lazily);
      MemorySegment text = (MemorySegment) dlerror.invokeExact();
      return none.address() != 0 || text.address() == 0
          ? Optional.empty()
          : Optional.of(text.reinterpret(Integer.MAX_VALUE).getString(0));
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }

  /**
   * Sets a variable of the environment that native code sees, unless it is set.
   *
   * @param name its name
   * @param value its value
   */
  public static void setEnvironment(String name, String value) {
    Linker linker = Linker.nativeLinker();
    Optional<MemorySegment> setenv = linker.defaultLookup().find("setenv");
    if (setenv.isEmpty()) {
      return; // a system without it
    }
    MethodHandle set =
        linker.downcallHandle(
            setenv.get(), FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
    try (Arena arena = Arena.ofConfined()) {
      int keep = 0;
      int done = (int) set.invokeExact(arena.allocateFrom(name), arena.allocateFrom(value), keep);
      assert done == 0;
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }
}
