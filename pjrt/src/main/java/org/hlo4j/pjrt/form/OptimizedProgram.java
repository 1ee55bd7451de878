package org.hlo4j.pjrt.form;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.proto.HloProtos;

/** A reader of the program that a plugin made of a module. */
public final class OptimizedProgram {
  private OptimizedProgram() {}

  /**
   * Reads a program.
   *
   * @param format its format: {@code hlo}, or {@code hlo_with_config}, which has the module in its
   *     first field, as an HloProto has
   * @param code the bytes
   * @return the module, not verified
   * @throws HloException if it has another format, or cannot be read
   */
  public static HloModule read(String format, byte[] code) {
    return switch (format) {
      case "hlo", "hlo_with_config" -> HloProtos.readModule(code);
      default ->
          throw new HloException(
              Kind.UNSUPPORTED,
              "pjrt: the optimized program has the format "
                  + format
                  + ", want hlo or hlo_with_config");
    };
  }
}
