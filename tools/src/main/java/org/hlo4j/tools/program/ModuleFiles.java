package org.hlo4j.tools.program;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.file.FileForm;
import org.hlo4j.hlo.file.HloFiles;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.tools.console.StandardInput;

/** The reading of files that hold programs, whose format is recognized by their contents. */
public final class ModuleFiles {
  private static final int SNIFFED = 1 << 16;

  private ModuleFiles() {}

  /**
   * A program and the text it was read from.
   *
   * @param name the name of the file on the command line
   * @param source the program, not verified
   * @param text the text of the whole file; empty if the file is binary
   */
  public record Loaded(String name, ProgramSource source, Optional<String> text) {
    /** Creates a program from an HLO module. */
    Loaded(String name, HloModule module, Optional<String> text) {
      this(name, new ProgramSource.Hlo(module), text);
    }

    /** Returns the module; refused if it depends on inputs. */
    public HloModule module() {
      return named(source::module);
    }

    /** Returns the name of the module, which one that depends on inputs or has no entry has too. */
    String moduleName() {
      return source.isStatic()
          ? module().name()
          : source.stableHlo().map(StableHlo::name).orElseThrow();
    }

    /** Returns the inputs that a user gives. */
    public ImmutableList<ProgramSource.Input> inputs() {
      return named(source::inputs);
    }

    /** Returns the module for certain inputs, and the arguments of its entry. */
    public ProgramSource.Bound bind(List<Literal> inputs) {
      return named(() -> source.bind(inputs));
    }

    /** Returns the program as StableHLO; refused if StableHLO cannot express it. */
    public Operation stableHlo() {
      return named(() -> source.stableHlo().orElseGet(() -> StableHlo.fromHlo(source.module())));
    }

    /** Runs some work on the program, and adds the name of the file to its refusals. */
    public <T> T named(Supplier<T> work) {
      try {
        return work.get();
      } catch (HloException refusal) {
        throw refusal.inFile(name);
      }
    }

    /** Returns the same program with another module. */
    public Loaded with(HloModule module) {
      return new Loaded(name, module, text);
    }

    /** Returns the program with another source. */
    public Loaded with(UnaryOperator<ProgramSource> change) {
      return new Loaded(name, named(() -> change.apply(source)), text);
    }
  }

  /**
   * Reads the programs of a file, or of the standard input if the name is {@code -}: one, or all
   * that the text holds.
   */
  public static ImmutableList<Loaded> loadAll(String name) throws IOException {
    byte[] bytes =
        StandardInput.isStandardInput(name) ? StandardInput.read(name) : bytes(Path.of(name));
    try {
      return loadAll(name, bytes);
    } catch (HloException refusal) {
      throw refusal.inFile(name);
    }
  }

  /** Returns whether a file looks like HLO text. */
  static boolean looksLikeHlo(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(SNIFFED), ISO_8859_1).contains("HloModule ");
    } catch (IOException unreadable) {
      return true; // reading it reports the problem
    }
  }

  private static ImmutableList<ProgramSource> sources(FileForm form, byte[] bytes) {
    return switch (form) {
      case MLIR_TEXT, MLIR_BYTECODE ->
          StableHlo.readAll(bytes).stream().map(ModuleFiles::source).collect(toImmutableList());
      case JAX_EXPORT -> ImmutableList.of(new ProgramSource.Exported(JaxExport.read(bytes), "cpu"));
      case HLO_TEXT, HLO_MODULE_PROTO, HLO_PROTO, HLO_SNAPSHOT ->
          HloFiles.readModules(bytes).stream()
              .map(ProgramSource.Hlo::new)
              .collect(toImmutableList());
      case PROTO_TEXT, NPY, NPZ, SAFETENSORS, EMPTY, UNKNOWN ->
          ImmutableList.of(new ProgramSource.Hlo(HloFiles.readModule(bytes)));
    };
  }

  /** Returns a StableHLO program. */
  static ProgramSource source(Operation module) {
    return !StableHlo.hasEntry(module) || StableHlo.hasOpenSizes(module)
        ? new ProgramSource.Open(module)
        : new ProgramSource.Imported(module);
  }

  private static byte[] bytes(Path file) throws IOException {
    require(!Files.isDirectory(file), "", "%s: is a directory, want a file", file);
    try {
      return HloFiles.readAll(file);
    } catch (HloException tooLarge) {
      throw tooLarge.prefixed(file + ": ");
    }
  }

  /** Reads the programs in the content of a file. */
  public static ImmutableList<Loaded> loadAll(String name, byte[] bytes) {
    FileForm form = FileForm.of(bytes);
    Optional<String> text =
        form == FileForm.HLO_TEXT || form == FileForm.MLIR_TEXT
            ? Optional.of(new String(bytes, UTF_8))
            : Optional.empty();
    return sources(form, bytes).stream()
        .map(source -> new Loaded(name, source, text))
        .collect(toImmutableList());
  }
}
