package org.hlo4j.interpreter.compiled.codegen;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;

/**
 * Whether generated code may use vectors: the module {@code jdk.incubator.vector} is there, the
 * virtual machine is HotSpot with its C2 compiler, the processor multiplies and adds in one step
 * (what has no AVX does not, and C2 makes no vectors of it), and {@code -Dhlo4j.vectors=false} does
 * not switch them off. Looked up once; {@link #describe} says why not, and so does a line in the
 * log at level DEBUG, unless they were switched off.
 */
public final class VectorSupport {
  private static final String MODULE = "jdk.incubator.vector";
  private static final int BITS_OF_AVX = 256;
  private static final boolean IS_AMD64 = System.getProperty("os.arch", "").equals("amd64");
  private static final boolean IS_TURNED_OFF =
      System.getProperty("hlo4j.vectors", "true").equals("false");
  private static final Found FOUND = lookUp();
  private static final int BITS = FOUND.bits;

  /** Bits of the widest vectors; 0 if they are off, and why. */
  private record Found(int bits, String why) {}

  private VectorSupport() {}

  /** Whether generated code may use vectors. */
  public static boolean isOn() {
    return BITS > 0;
  }

  /** As {@code vectors: on, 256 bits} or {@code vectors: off, want --add-modules …}. */
  public static String describe() {
    return "vectors: " + (isOn() ? "on, " + BITS + " bits" : "off, " + FOUND.why);
  }

  /** Bits of the widest vectors this machine has; 0 if they are off. */
  public static int bits() {
    return BITS;
  }

  /**
   * How many elements a loop computes at a time, given the widest lane in it; 1 if vectors are off
   * or too short for it.
   */
  public static int width(int widestLaneBits) {
    return Math.max(1, BITS / widestLaneBits);
  }

  /** Whether integers of 64 bits become floats, and floats such: not with AVX2. */
  static void requireLongsAsFloats() {
    if (BITS == BITS_OF_AVX && IS_AMD64) {
      throw new NoCodeException("no vectors of longs from or to floats");
    }
  }

  private static Found lookUp() {
    try {
      Optional<Module> module = ModuleLayer.boot().findModule(MODULE);
      String obstacle = obstacle(module.isPresent());
      if (!obstacle.isEmpty()) {
        return off(obstacle);
      }
      VectorSupport.class.getModule().addReads(module.orElseThrow());
      int bits = preferredBits();
      boolean isWithoutAvx = bits < BITS_OF_AVX && IS_AMD64;
      return isWithoutAvx ? off("got vectors of " + bits + " bits, want AVX") : new Found(bits, "");
    } catch (Throwable problem) {
      return off(problem.toString());
    }
  }

  private static String obstacle(boolean found) {
    String machine = System.getProperty("java.vm.name", "");
    String version = System.getProperty("java.vm.version", "");
    String info = System.getProperty("java.vm.info", "");
    if (IS_TURNED_OFF) {
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

  private static Found off(String why) {
    if (!IS_TURNED_OFF) {
      var _ = Thread.ofPlatform().name("hlo4j-log").start(() -> log(why));
    }
    return new Found(0, why);
  }

  /** Not by the thread that waits for a result: a logger takes 30 ms to load. */
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
