package org.hlo4j.benchmarks;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/** A server of the matrix products that uses OpenBLAS: {@code BlasServer LIBRARY}. */
public final class BlasServer {
  private static final int ROW_MAJOR = 101;
  private static final int NO_TRANSPOSE = 111;

  private BlasServer() {}

  /**
   * Runs the server.
   *
   * @param args the file of the library
   * @throws Exception if a program fails
   */
  public static void main(String[] args) throws Exception {
    SymbolLookup library = SymbolLookup.libraryLookup(Path.of(args[0]), Arena.global());
    // The library in NumPy uses 64-bit integers, and its function names say so.
    Optional<MemorySegment> wide =
        Stream.of("scipy_cblas_sgemm64_", "cblas_sgemm64_")
            .flatMap(name -> library.find(name).stream())
            .findFirst();
    MemorySegment gemm = wide.or(() -> library.find("cblas_sgemm")).orElseThrow();
    ValueLayout count = wide.isPresent() ? ValueLayout.JAVA_LONG : ValueLayout.JAVA_INT;
    FunctionDescriptor type =
        FunctionDescriptor.ofVoid(
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            count,
            count,
            count,
            ValueLayout.JAVA_FLOAT,
            ValueLayout.ADDRESS,
            count,
            ValueLayout.ADDRESS,
            count,
            ValueLayout.JAVA_FLOAT,
            ValueLayout.ADDRESS,
            count);
    MethodHandle call = Linker.nativeLinker().downcallHandle(gemm, type);
    Server.serve(folder -> product(folder, call, wide.isPresent()));
  }

  private static Server.Program product(Path folder, MethodHandle gemm, boolean wide) {
    String name = folder.getFileName().toString();
    if (!name.startsWith("matmul")) {
      throw new IllegalArgumentException("products of matrices only");
    }
    int size = Integer.parseInt(name.substring("matmul".length()));
    MemorySegment a = random(size);
    MemorySegment b = random(size);
    MemorySegment c = random(size);
    Object n = wide ? (Object) (long) size : (Object) size;
    Object[] arguments = {ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, n, n, n, 1f, a, n, b, n, 0f, c, n};
    return new Server.Program() {
      @Override
      public void run() {
        try {
          gemm.invokeWithArguments(arguments);
        } catch (Throwable broken) {
          throw new IllegalStateException(broken);
        }
      }

      @Override
      public void compile() {}
    };
  }

  private static MemorySegment random(int size) {
    Random random = new Random(1);
    MemorySegment matrix = Arena.global().allocate(4L * size * size, 64);
    for (long i = 0; i < (long) size * size; i++) {
      matrix.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
    }
    return matrix;
  }
}
