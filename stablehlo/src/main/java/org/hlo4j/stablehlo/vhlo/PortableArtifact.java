package org.hlo4j.stablehlo.vhlo;

import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.mlir.BytecodeReader;
import org.hlo4j.stablehlo.mlir.Operation;

/**
 * Portable artifacts: StableHLO modules in MLIR bytecode, whose operations carry versions so that
 * later readers know them.
 */
public final class PortableArtifact {
  private PortableArtifact() {}

  /**
   * {@return whether bytes begin as an artifact or other MLIR bytecode does}
   *
   * @param file the bytes
   */
  public static boolean isBytecode(byte[] file) {
    return BytecodeReader.isBytecode(file);
  }

  /**
   * Reads an artifact of StableHLO 0.9.0 to 1.x, or plain MLIR bytecode of StableHLO's operations.
   * Older versions of an operation are read as the newest one.
   *
   * @param file the bytes of the file; they must not change as long as the module is used, as large
   *     constants are decoded when they are first asked for
   * @return the {@code builtin.module}
   * @throws HloException if it is not such a file; the message begins with the number of the byte
   *     and the name of the operation
   */
  public static Operation read(byte[] file) {
    Operation module = BytecodeReader.read(file, new ArtifactDialects());
    HloException.require(
        module.name().equals("builtin.module"),
        HloException.Kind.PARSE,
        "the file has %s at its top, want builtin.module",
        module.name());
    return module;
  }
}
