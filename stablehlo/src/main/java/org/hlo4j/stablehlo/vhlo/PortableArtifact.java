package org.hlo4j.stablehlo.vhlo;

import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.require;

import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.source.ReadLimits;
import org.hlo4j.stablehlo.mlir.BytecodeReader;
import org.hlo4j.stablehlo.mlir.BytecodeWriter;
import org.hlo4j.stablehlo.mlir.Operation;

/**
 * A reader and writer of portable artifacts: StableHLO modules in MLIR bytecode, whose operations
 * have versions so that later readers can read them.
 */
public final class PortableArtifact {
  private PortableArtifact() {}

  /**
   * {@return whether bytes have the signature of MLIR bytecode, such as a portable artifact}
   *
   * @param file the bytes
   */
  public static boolean isBytecode(byte[] file) {
    return BytecodeReader.isBytecode(file);
  }

  /**
   * Reads an artifact of StableHLO 0.9.0 to 1.x, or plain MLIR bytecode of StableHLO's operations.
   * Older versions of an operation are converted to the newest one.
   *
   * @param file the bytes of the file; they must not change while the module is used, since large
   *     constants are decoded on first access
   * @return the {@code builtin.module}
   * @throws HloException if it is not such a file; the message begins with the offset of the byte
   *     and the name of the operation
   */
  public static Operation read(byte[] file) {
    Operation module = guarded(() -> BytecodeReader.read(file, new ArtifactDialects()));
    require(
        module.name().equals("builtin.module"),
        PARSE,
        "the file has %s at its top, want builtin.module",
        module.name());
    return module;
  }

  /**
   * Writes an artifact of the first version from 1.0.0 on that has all operations.
   *
   * @param module a {@code builtin.module} of functions and operations of StableHLO
   * @return the bytes of the file
   * @throws HloException if an operation or attribute cannot be written
   */
  public static byte[] write(Operation module) {
    return write(module, leastVersion(module));
  }

  /**
   * Writes an artifact of a version.
   *
   * @param module a {@code builtin.module} of functions and operations of StableHLO
   * @param version the least version that its readers need, 0.9.0 to {@link Version#NEWEST}
   * @return the bytes of the file
   * @throws HloException if an operation or attribute cannot be written, or if the version lacks
   *     operations; all of these are named
   */
  public static byte[] write(Operation module, Version version) {
    requireSupported(version);
    return guarded(() -> {
      requirements(module).check(version);
      return BytecodeWriter.write(module, new ArtifactForm(version, true));
    });
  }

  /**
   * Writes an artifact for a reader whose version is known: of that version, or of {@link
   * Version#NEWEST} if it is newer. Locations that are ranges become their starts for an older
   * reader.
   *
   * @param module a {@code builtin.module} of functions and operations of StableHLO
   * @param reader the version of the reader
   * @return the bytes of the file
   * @throws HloException if the reader is older than {@link Version#OLDEST}, an operation or
   *     attribute cannot be written, or the version lacks operations; all of these are named
   */
  public static byte[] writeFor(Operation module, Version reader) {
    boolean isOlder = reader.isBefore(Version.NEWEST);
    Version target = isOlder ? reader : Version.NEWEST;
    requireSupported(target);
    return guarded(() -> {
      Requirements.ofReader(wanted(module)).check(target);
      return BytecodeWriter.write(module, new ArtifactForm(target, !isOlder));
    });
  }

  /**
   * {@return the first version from 1.0.0 on that has all operations of a module in the form in
   * which they are used}
   *
   * @param module a {@code builtin.module}
   * @throws HloException if there is none
   */
  public static Version leastVersion(Operation module) {
    return guarded(() -> requirements(module).least());
  }

  /**
   * {@return the first version of all that has all operations of a module in the form in which they
   * are used, and which of them earlier versions lack}
   *
   * @param module a {@code builtin.module}
   * @throws HloException if there is none
   */
  public static LeastVersion leastOfAll(Operation module) {
    return guarded(() -> requirements(module).leastOfAll());
  }

  private static <T> T guarded(Supplier<T> work) {
    return ReadLimits.guarded("artifact", work);
  }

  private static void requireSupported(Version version) {
    require(
        !version.isBefore(Version.OLDEST) && !Version.NEWEST.isBefore(version),
        ARGUMENT,
        "got StableHLO version %s, want one of %s to %s",
        version,
        Version.OLDEST,
        Version.NEWEST);
  }

  private static Requirements requirements(Operation module) {
    return Requirements.of(wanted(module));
  }

  private static Operation wanted(Operation module) {
    require(
        module.name().equals("builtin.module"),
        ARGUMENT,
        "got %s, want builtin.module",
        module.name());
    return module;
  }
}
