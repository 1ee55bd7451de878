package org.hlo4j.hlo.file;

import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Function;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.source.ForeignFile;
import org.hlo4j.hlo.text.Parser;

/**
 * Reads files of every format that {@link FileForm} recognises. StableHLO and jax.export files need
 * {@code hlo4j-stablehlo} on the class path or module path.
 */
public final class HloFiles {
  /** The tag of a module's name: what begins so is a proto, if a damaged one. */
  private static final byte PROTO_FIRST = 0x0a;

  private HloFiles() {}

  /**
   * Returns the module of a file: HLO text, an HloModuleProto, an HloProto, an HloSnapshot,
   * StableHLO as text or artifact, or a jax.export file.
   *
   * @param file the file
   * @return the module, not verified
   * @throws IOException if the file cannot be read
   * @throws HloException if it holds no module; it names the file
   */
  public static HloModule readModule(Path file) throws IOException {
    return read(file, HloFiles::readModule);
  }

  /**
   * Reads a file with a reader of bytes, whose refusals then name the file.
   *
   * @param <T> what is read
   * @param file the file
   * @param reader reads all bytes of the file
   * @return what the reader gives
   * @throws IOException if the file cannot be read
   * @throws HloException of the reader, or if the file is larger than the heap allows; it names the
   *     file
   */
  public static <T> T read(Path file, Function<byte[], T> reader) throws IOException {
    try {
      return reader.apply(readAll(file));
    } catch (HloException refusal) {
      throw refusal.inFile(file.toString());
    }
  }

  /**
   * Reads all bytes of a file. Devices and pipes, whose reported size is 0, can be read as well.
   *
   * @param file the file
   * @return its bytes
   * @throws IOException if the file cannot be read
   * @throws HloException if it is larger than the heap allows
   */
  public static byte[] readAll(Path file) throws IOException {
    requireNonNull(file, "file");
    try (InputStream in = Files.newInputStream(file)) {
      return HloProtos.readAll(in);
    }
  }

  /**
   * Returns the module of the bytes of a file.
   *
   * @param bytes the whole file
   * @return the module, not verified
   * @throws HloException if it holds no module: one of the parser or of {@link HloProtos}, or one
   *     that says what the file is
   */
  public static HloModule readModule(byte[] bytes) {
    FileForm form = FileForm.of(bytes);
    return switch (form) {
      case HLO_TEXT -> Parser.parse(new String(bytes, StandardCharsets.UTF_8));
      case HLO_MODULE_PROTO, HLO_PROTO, HLO_SNAPSHOT -> HloProtos.readModule(bytes);
      case MLIR_BYTECODE, MLIR_TEXT, JAX_EXPORT -> foreign(form).readModules(bytes).get(0);
      case PROTO_TEXT ->
          throw new HloException(
              HloException.Kind.UNSUPPORTED,
              "file: got "
                  + form
                  + ", which is not read, want HLO text or the binary form, as protoc"
                  + " --encode=xla.HloProto makes it");
      case NPY, NPZ, SAFETENSORS, EMPTY -> throw noModule(form.toString());
      case UNKNOWN -> {
        Optional<String> other = ForeignFile.name(bytes);
        if (other.isEmpty() && bytes[0] == PROTO_FIRST) {
          yield HloProtos.readModule(bytes);
        }
        throw noModule(other.or(() -> ForeignFile.whyNoText(bytes)).orElse(form.toString()));
      }
    };
  }

  /**
   * Reads the modules in the bytes of a file: HLO text may contain several, all other forms one.
   *
   * @param bytes the whole file
   * @return the modules in the order of the file, at least one, not verified
   * @throws HloException as {@link #readModule(byte[])}
   */
  public static ImmutableList<HloModule> readModules(byte[] bytes) {
    FileForm form = FileForm.of(bytes);
    return switch (form) {
      case HLO_TEXT -> Parser.parseAll(new String(bytes, StandardCharsets.UTF_8));
      case MLIR_BYTECODE, MLIR_TEXT, JAX_EXPORT -> foreign(form).readModules(bytes);
      case HLO_MODULE_PROTO,
          HLO_PROTO,
          HLO_SNAPSHOT,
          PROTO_TEXT,
          NPY,
          NPZ,
          SAFETENSORS,
          EMPTY,
          UNKNOWN ->
          ImmutableList.of(readModule(bytes));
    };
  }

  /** Returns the reader of a form that is not HLO. */
  private static ModuleReader foreign(FileForm form) {
    return ServiceLoader.load(ModuleReader.class)
        .findFirst()
        .orElseThrow(() ->
            new HloException(
                HloException.Kind.UNSUPPORTED,
                "file: got " + form + ", want hlo4j-stablehlo on the class path, which reads it"));
  }

  private static HloException noModule(String form) {
    return new HloException(
        HloException.Kind.PARSE,
        "file: got " + form + ", want HLO, StableHLO or a jax.export file");
  }
}
