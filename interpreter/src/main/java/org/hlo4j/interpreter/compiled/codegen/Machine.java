package org.hlo4j.interpreter.compiled.codegen;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;

/**
 * The machine that kernels are made for: its vectors and registers, and how much work is worth a
 * chunk or a second thread. Sizes of work are the same everywhere, because some decide in which
 * order sums are added, and a program computes the same bits on all machines.
 *
 * <p>Generated code uses vectors if there is the module {@code jdk.incubator.vector}, the HotSpot
 * virtual machine with its C2 compiler, and a processor with fused multiply-add (without AVX there
 * is none, and C2 does not vectorize that operation). {@code -Dhlo4j.vectors=false} switches
 * vectors off. The conditions are checked once. If they do not hold, {@link #describeVectors} gives
 * the reason, and so does a log message at level DEBUG unless vectors were switched off.
 */
public final class Machine {
  /** The size of a cache line in bytes. */
  public static final int CACHE_LINE = 64;

  /** The size of the header of an array in bytes. */
  public static final int ARRAY_HEADER = 16;

  /** The number of elements in a chunk of work that reads and writes each element once. */
  public static final int COPY_GRAIN = 1 << 14;

  /** The number of elements in a chunk of work that computes something of each. */
  public static final int GRAIN = 1 << 15;

  /**
   * The multiply-adds of the smallest product that threads share. Fewer take a few microseconds,
   * which is the time that it takes to wake another thread.
   */
  public static final double MIN_PARALLEL_WORK = 250_000;

  /** The multiply-adds in a chunk of products of small matrices by vectors. */
  public static final double SMALL_PRODUCT_GRAIN = 100_000;

  /** The multiply-adds in a chunk of products of small matrices by scalar code. */
  public static final double SCALAR_PRODUCT_GRAIN = 50_000;

  private static final int WIDEST_BITS = 512;
  private static final String MODULE = "jdk.incubator.vector";
  private static final int BITS_OF_AVX = 256;
  private static final boolean IS_AMD64 = System.getProperty("os.arch", "").equals("amd64");
  private static final boolean IS_DISABLED =
      System.getProperty("hlo4j.vectors", "true").equals("false");
  private static final Detection DETECTION = lookUp();
  private static final int BITS = DETECTION.bits;

  /** The result of the check: the number of bits of the widest vectors, or 0 and the reason. */
  private record Detection(int bits, String why) {}

  private Machine() {}

  /** Returns whether generated code may use vectors. */
  public static boolean isVectorApiOn() {
    return BITS > 0;
  }

  /** Returns {@code vectors: on, 256 bits} or {@code vectors: off, want --add-modules …}. */
  public static String describeVectors() {
    return "vectors: " + (isVectorApiOn() ? "on, " + BITS + " bits" : "off, " + DETECTION.why);
  }

  /** Returns the number of bits of the widest vectors of this machine; 0 if they are off. */
  public static int vectorBits() {
    return BITS;
  }

  /** Returns the number of vector registers. */
  public static int registers() {
    return registers(BITS);
  }

  /** Returns the number of vector registers of a machine with vectors of the given length. */
  public static int registers(int vectorBits) {
    return vectorBits == WIDEST_BITS ? 32 : 16;
  }

  /**
   * Returns the number of elements that a loop computes at a time, given the widest lane in it; 1
   * if vectors are off or too short for it.
   */
  public static int width(int widestLaneBits) {
    return Math.max(1, BITS / widestLaneBits);
  }

  /**
   * Rejects conversions between 64-bit integers and floats if only AVX2 is available, which has
   * none.
   */
  static void requireLongsAsFloats() {
    if (BITS == BITS_OF_AVX && IS_AMD64) {
      throw new NoCodeException("no vectors of longs from or to floats");
    }
  }

  private static Detection lookUp() {
    try {
      Optional<Module> module = ModuleLayer.boot().findModule(MODULE);
      String obstacle = obstacle(module.isPresent());
      if (!obstacle.isEmpty()) {
        return off(obstacle);
      }
      Machine.class.getModule().addReads(module.orElseThrow());
      int bits = preferredBits();
      boolean isWithoutAvx = bits < BITS_OF_AVX && IS_AMD64;
      return isWithoutAvx
          ? off("got vectors of " + bits + " bits, want AVX")
          : new Detection(bits, "");
    } catch (Throwable problem) {
      return off(problem.toString());
    }
  }

  private static String obstacle(boolean found) {
    String machine = System.getProperty("java.vm.name", "");
    String version = System.getProperty("java.vm.version", "");
    String info = System.getProperty("java.vm.info", "");
    if (IS_DISABLED) {
      return "-Dhlo4j.vectors=false";
    } else if (!found) {
      return "want --add-modules " + MODULE;
    } else if (!machine.contains("Server VM") || version.contains("jvmci")) {
      return "got " + machine + " " + version + ", want HotSpot with C2";
    } else if (info.contains("interpreted") || info.contains("emulated-client")) {
      return "got " + info + ", want C2";
    }
    return "";
  }

  private static Detection off(String why) {
    if (!IS_DISABLED) {
      var _ = Thread.ofPlatform().name("hlo4j-log").start(() -> log(why));
    }
    return new Detection(0, why);
  }

  /**
   * Logs on another thread, because loading a logger takes 30 ms and the caller waits for a result.
   */
  private static void log(String why) {
    System.getLogger("org.hlo4j.interpreter")
        .log(System.Logger.Level.DEBUG, "vectors are off: {0}", why);
  }

  private static int preferredBits() throws Throwable {
    Class<?> shape = Class.forName(JavaTypes.PACKAGE + "VectorShape");
    MethodHandles.Lookup lookup = MethodHandles.publicLookup();
    Object preferred =
        lookup.findStatic(shape, "preferredShape", MethodType.methodType(shape)).invoke();
    return (int)
        lookup
            .findVirtual(shape, "vectorBitSize", MethodType.methodType(int.class))
            .invoke(preferred);
  }
}
