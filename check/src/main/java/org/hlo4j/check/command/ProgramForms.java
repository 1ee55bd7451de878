package org.hlo4j.check.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import com.google.common.collect.Maps;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Printer;

/**
 * The files in which a command gets a program. By their placeholders they are <code>{hlo}</code>
 * (or <code>{}</code>), the HLO text, <code>{pb}</code>, the HloModuleProto, and further forms; and
 * <code>{inputs}</code>, a {@code .npy} file for each array in the arguments. Element types that
 * NumPy lacks are stored as their bits.
 *
 * @param forms what writes a module, by placeholder
 */
public record ProgramForms(ImmutableMap<String, Function<HloModule, byte[]>> forms) {
  /** The placeholder of the arguments. */
  public static final String INPUTS = "inputs";

  /**
   * Work with the files of a program.
   *
   * @param <T> what the work gives
   */
  @FunctionalInterface
  public interface Work<T> {
    /**
     * Does the work.
     *
     * @param folder the folder of the files, which may hold others meanwhile
     * @param values the files, by placeholder
     * @return what it gives
     * @throws IOException if a file cannot be read or written
     */
    T on(Path folder, Map<String, ImmutableList<String>> values) throws IOException;
  }

  /**
   * Returns the forms that hlo4j's core writes, and others.
   *
   * @param more further forms by their placeholders, such as {@code mlir}
   * @return the forms
   */
  public static ProgramForms of(Map<String, Function<HloModule, byte[]>> more) {
    return new ProgramForms(
        ImmutableMap.<String, Function<HloModule, byte[]>>builder()
            .put("", ProgramForms::text)
            .put("hlo", ProgramForms::text)
            .put("pb", HloProtos::writeModule)
            .putAll(more)
            .buildOrThrow());
  }

  private static byte[] text(HloModule module) {
    return Printer.print(module).getBytes(UTF_8);
  }

  /**
   * Returns the placeholders of the forms.
   *
   * @return their names, without braces
   */
  public ImmutableSet<String> names() {
    return forms.keySet();
  }

  /**
   * Writes a module.
   *
   * @param name the placeholder of a form; another name is HLO text
   * @param module the module
   * @return what a file of this form holds
   * @throws HloException if the form cannot express the module
   */
  public byte[] write(String name, HloModule module) {
    return Objects.requireNonNull(forms.getOrDefault(name, ProgramForms::text)).apply(module);
  }

  /**
   * Writes a program to files in a new folder, which are deleted after some work with them.
   *
   * @param <T> what the work gives
   * @param program the program
   * @param placeholders those of the files that are needed
   * @param work the work
   * @return what it gives
   * @throws HloException if a file cannot be read or written, or a form cannot express the program
   */
  public <T> T withFiles(Program program, Set<String> placeholders, Work<T> work) {
    return inFolder((folder, values) -> {
      write(program, placeholders, folder, values);
      return work.on(folder, values);
    });
  }

  /**
   * Does some work in a new folder, which is deleted after it.
   *
   * @param <T> what the work gives
   * @param work the work
   * @return what it gives
   * @throws HloException if a file cannot be read or written
   */
  public static <T> T inFolder(Work<T> work) {
    try {
      Path folder = Files.createTempDirectory("hlo4j-check");
      try {
        return work.on(folder, new HashMap<>());
      } finally {
        MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
      }
    } catch (IOException problem) {
      throw new HloException(HloException.Kind.IO, "command: " + problem);
    }
  }

  private void write(
      Program program,
      Set<String> placeholders,
      Path folder,
      Map<String, ImmutableList<String>> values)
      throws IOException {
    for (var form : Maps.filterKeys(forms, placeholders::contains).entrySet()) {
      Path file = folder.resolve("program." + (form.getKey().isEmpty() ? "hlo" : form.getKey()));
      Files.write(file, form.getValue().apply(program.module()));
      values.put(form.getKey(), ImmutableList.of(file.toString()));
    }
    if (placeholders.contains(INPUTS)) {
      values.put(INPUTS, inputs(program, folder));
    }
  }

  private static ImmutableList<String> inputs(Program program, Path folder) throws IOException {
    ImmutableList.Builder<String> files = ImmutableList.builder();
    int count = 0;
    for (Literal argument : Iterables.concat(program.argumentsOfDevices())) {
      for (Literal array : argument.arrays()) {
        Path file = folder.resolve("input" + count++ + ".npy");
        Npy.write(file, array);
        files.add(file.toString());
      }
    }
    return files.build();
  }
}
