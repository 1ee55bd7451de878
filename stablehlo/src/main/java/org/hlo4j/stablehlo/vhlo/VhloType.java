package org.hlo4j.stablehlo.vhlo;

import org.hlo4j.stablehlo.mlir.Type;

/**
 * A type without parameters in portable artifacts.
 *
 * @param type the type
 * @param since the first version that has it
 */
record VhloType(Type type, Version since) {
  static VhloType of(Type type, int major, int minor) {
    return new VhloType(type, new Version(major, minor, 0));
  }

  static VhloType floating(String name, int major, int minor) {
    return of(new Type.Floating(name), major, minor);
  }

  static VhloType signed(int width, int major, int minor) {
    return of(new Type.Int(width, Type.Signedness.SIGNLESS), major, minor);
  }

  static VhloType unsigned(int width, int major, int minor) {
    return of(new Type.Int(width, Type.Signedness.UNSIGNED), major, minor);
  }
}
