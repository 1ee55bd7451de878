package org.hlo4j.interpreter.compiled.dots;

import java.util.Optional;

/** Whether there is a Vector API, and how wide its vectors are. */
final class Vectors {
  private static final int BITS = preferredBits();

  private Vectors() {}

  /** The preferred width in bits, 0 if there is none. */
  static int bits() {
    return BITS;
  }

  private static int preferredBits() {
    Optional<Module> module = ModuleLayer.boot().findModule("jdk.incubator.vector");
    if (module.isEmpty()) {
      return 0;
    }
    try {
      Vectors.class.getModule().addReads(module.get());
      Class<?> shape =
          Class.forName(module.get(), "jdk.incubator.vector.VectorShape");
      Object preferred = shape.getMethod("preferredShape").invoke(null);
      return (int) shape.getMethod("vectorBitSize").invoke(preferred);
    } catch (ReflectiveOperationException problem) {
      return 0;
    }
  }
}
