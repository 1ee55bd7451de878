package org.hlo4j.interpreter.child;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The standard output of a child, which is for its answers alone. */
final class StandardStreams {
  private static final Path OUTPUT = Path.of("/dev/fd/1");
  private static final int OUT = 1;
  private static final int ERR = 2;

  private StandardStreams() {}

  /**
   * Returns a stream to the parent. What others write to the standard output from now on, native
   * code as well, goes to the standard error.
   */
  @SuppressWarnings("restricted")
  static OutputStream claimOutput() throws IOException {
    System.setOut(System.err);
    Optional<MemorySegment> dup2 = Linker.nativeLinker().defaultLookup().find("dup2");
    if (dup2.isEmpty() || !Files.exists(OUTPUT)) {
      return new FileOutputStream(FileDescriptor.out);
    }
    OutputStream toParent = new FileOutputStream(OUTPUT.toFile());
    FunctionDescriptor type =
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
    try {
      int number =
          (int) Linker.nativeLinker().downcallHandle(dup2.get(), type).invokeExact(ERR, OUT);
      if (number != OUT) {
        throw new IOException("the standard output cannot be redirected");
      }
      return toParent;
    } catch (RuntimeException | Error | IOException problem) {
      throw problem;
    } catch (Throwable impossible) { // dup2 throws nothing
      throw new AssertionError(impossible);
    }
  }
}
