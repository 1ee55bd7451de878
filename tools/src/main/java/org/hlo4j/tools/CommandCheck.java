package org.hlo4j.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Sets;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.check.CommandTemplate;
import org.hlo4j.interpreter.check.Program;
import org.hlo4j.stablehlo.StableHlo;

/** A command that is run on a program and says something about it by its exit status. */
final class CommandCheck {
  /** The forms of a program, by their placeholders. */
  private static final ImmutableMap<String, Function<HloModule, byte[]>> FORMS =
      ImmutableMap.of(
          "", CommandCheck::text,
          "hlo", CommandCheck::text,
          "pb", HloProtos::writeModule,
          "mlir", module -> StableHlo.print(StableHlo.fromHlo(module)).getBytes(UTF_8));

  private final CommandTemplate command;

  CommandCheck(CommandTemplate command) {
    command.requirePlaceholders(Sets.union(FORMS.keySet(), Set.of("inputs")));
    require(
        command.placeholders().stream().anyMatch(FORMS::containsKey),
        "",
        "--check got a command without {}, want the place of the program in it");
    this.command = command;
  }

  static byte[] text(HloModule module) {
    return Printer.print(module).getBytes(UTF_8);
  }

  /** Returns the program's form of a placeholder. */
  static byte[] form(String placeholder, HloModule module) {
    return FORMS.getOrDefault(placeholder, CommandCheck::text).apply(module);
  }

  /** Runs the command on a program and returns its exit status. */
  CommandTemplate.Ended run(Program program) {
    try {
      Path folder = Files.createTempDirectory("hlo4j-shrink");
      try {
        return command.run(values(program, folder));
      } finally {
        MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
      }
    } catch (IOException problem) {
      throw new HloException(HloException.Kind.IO, "--check: " + problem);
    }
  }

  private Map<String, ImmutableList<String>> values(Program program, Path folder)
      throws IOException {
    Map<String, ImmutableList<String>> values = new HashMap<>();
    for (String name : Sets.intersection(FORMS.keySet(), command.placeholders())) {
      Path file = folder.resolve("program." + (name.isEmpty() ? "hlo" : name));
      Files.write(file, form(name, program.module()));
      values.put(name, ImmutableList.of(file.toString()));
    }
    if (command.placeholders().contains("inputs")) {
      values.put("inputs", inputs(program.arguments(), folder));
    }
    return values;
  }

  /** Writes arguments into a folder, as 0.npy, 1.npy …, and returns the files. */
  static ImmutableList<String> inputs(List<Literal> arguments, Path folder) throws IOException {
    ImmutableList.Builder<String> files = ImmutableList.builder();
    List<Literal> arrays =
        arguments.stream().flatMap(each -> Results.arrays(each).stream()).toList();
    for (int i = 0; i < arrays.size(); i++) {
      Path file = folder.resolve(i + ".npy");
      Npy.write(file, arrays.get(i));
      files.add(file.toString());
    }
    return files.build();
  }
}
