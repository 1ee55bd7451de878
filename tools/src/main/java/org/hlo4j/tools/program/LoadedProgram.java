package org.hlo4j.tools.program;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
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
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.tools.console.StandardInput;

/**
 * A program and the text it was read from.
 *
 * @param name the name of the file on the command line
 * @param source the program, not verified
 * @param text the text of the whole file; empty if the file is binary
 */
public record LoadedProgram(String name, ProgramSource source, Optional<String> text) {
  /** Creates a program from an HLO module. */
  LoadedProgram(String name, HloModule module, Optional<String> text) {
    this(name, new ProgramSource.Hlo(module), text);
  }

  /**
   * Reads the programs of a file, or of the standard input if the name is {@code -}: one, or all
   * that the text holds.
   */
  public static ImmutableList<LoadedProgram> all(String name) throws IOException {
    byte[] bytes =
        StandardInput.isStandardInput(name) ? StandardInput.read(name) : bytes(Path.of(name));
    try {
      return all(name, bytes);
    } catch (HloException refusal) {
      throw refusal.inFile(name);
    }
  }

  private static byte[] bytes(Path file) throws IOException {
    require(!Files.isDirectory(file), "", "%s: is a directory, want a file", file);
    try {
      return HloFiles.readAll(file);
    } catch (HloException tooLarge) {
      throw tooLarge.prefixed(file + ": ");
    }
  }

  /** Reads the programs in the content of a file, whose form is recognized by it. */
  public static ImmutableList<LoadedProgram> all(String name, byte[] bytes) {
    FileForm form = FileForm.of(bytes);
    Optional<String> text =
        form == FileForm.HLO_TEXT || form == FileForm.MLIR_TEXT
            ? Optional.of(new String(bytes, UTF_8))
            : Optional.empty();
    return ProgramSource.all(form, bytes).stream()
        .map(source -> new LoadedProgram(name, source, text))
        .collect(toImmutableList());
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
  public LoadedProgram with(HloModule module) {
    return new LoadedProgram(name, module, text);
  }

  /** Returns the program with another source. */
  LoadedProgram with(UnaryOperator<ProgramSource> change) {
    return new LoadedProgram(name, named(() -> change.apply(source)), text);
  }
}
