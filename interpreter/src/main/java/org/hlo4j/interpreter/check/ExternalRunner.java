package org.hlo4j.interpreter.check;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Printer;

/**
 * Another system, which runs programs by a command:
 *
 * <pre>{@code
 * python3 xla.py run {hlo} --input {inputs} --output {results}
 * }</pre>
 *
 * <p>For each program, <code>{hlo}</code> (or <code>{}</code>) becomes a file with its HLO text,
 * <code>{pb}</code> one with its HloModuleProto, <code>{inputs}</code> the {@code .npy} files of
 * its arguments, and <code>{results}</code> a folder, into which the command writes the results as
 * {@code 0.npy}, {@code 1.npy} …, tuples flattened. Element types that NumPy lacks are stored as
 * their bits.
 *
 * <p>A command without placeholders is a server, which is started once. It reads a line for each
 * program: the file with its HLO text, the folder for its results, and the files of its arguments,
 * separated by tabs. It answers with a line: {@code ok}, or {@code error} and the reason. If it
 * does not answer in time, it is killed and started again for the next program; so it is if it
 * ends. The first answer may take 30 s longer, in which the command starts.
 */
public final class ExternalRunner implements Runner, AutoCloseable {
  private static final ImmutableMap<String, Function<HloModule, byte[]>> FORMATS =
      ImmutableMap.of(
          "", module -> Printer.print(module).getBytes(UTF_8),
          "hlo", module -> Printer.print(module).getBytes(UTF_8),
          "pb", HloProtos::writeModule);

  private final CommandTemplate command;
  private final Optional<CommandServer> server;
  private final ImmutableMap<String, Function<HloModule, byte[]>> formats;

  /**
   * Creates a runner.
   *
   * @param command the command
   * @param formats further forms of the program by their placeholders, such as {@code mlir}
   * @throws HloException if the command does not take a program or does not write results
   */
  public ExternalRunner(CommandTemplate command, Map<String, Function<HloModule, byte[]>> formats) {
    this.command = command;
    this.formats =
        ImmutableMap.<String, Function<HloModule, byte[]>>builder()
            .putAll(FORMATS)
            .putAll(formats)
            .buildOrThrow();
    ImmutableSet<String> given = command.placeholders();
    this.server = given.isEmpty() ? Optional.of(new CommandServer(command)) : Optional.empty();
    command.requirePlaceholders(
        Sets.union(this.formats.keySet(), ImmutableSet.of("inputs", "results")));
    require(
        server.isPresent()
            || (given.stream().anyMatch(this.formats::containsKey) && given.contains("results")),
        "",
        "command got %s, want {results} and the program: {hlo}, {pb} …",
        command);
  }

  @Override
  public Literal run(Program program) {
    try {
      Path folder = Files.createTempDirectory("hlo4j-check");
      try {
        return run(program, folder);
      } finally {
        MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
      }
    } catch (IOException problem) {
      throw new HloException(HloException.Kind.IO, "command: " + problem);
    }
  }

  private Literal run(Program program, Path folder) throws IOException {
    Map<String, ImmutableList<String>> values = new HashMap<>();
    Set<String> wanted = server.isPresent() ? Set.of("hlo") : command.placeholders();
    for (var format : Maps.filterKeys(formats, wanted::contains).entrySet()) {
      String suffix = format.getKey().isEmpty() ? "hlo" : format.getKey();
      Path file = folder.resolve("program." + suffix);
      Files.write(file, format.getValue().apply(program.module()));
      values.put(format.getKey(), ImmutableList.of(file.toString()));
    }
    ImmutableList.Builder<String> inputs = ImmutableList.builder();
    for (Literal argument : program.arguments()) {
      for (Literal array : arrays(argument)) {
        Path file = folder.resolve("input" + inputs.build().size() + ".npy");
        Npy.write(file, array);
        inputs.add(file.toString());
      }
    }
    values.put("inputs", inputs.build());
    Path results = Files.createDirectory(folder.resolve("results"));
    values.put("results", ImmutableList.of(results.toString()));
    execute(values);
    return new Reader(results).read(program.module().entry().root().shape().withoutLayout());
  }

  private void execute(Map<String, ImmutableList<String>> values) {
    if (server.isPresent()) {
      Stream<String> fields =
          Stream.of("hlo", "results", "inputs")
              .flatMap(name -> values.getOrDefault(name, ImmutableList.of()).stream());
      server.get().ask(fields.collect(Collectors.joining("\t")));
      return;
    }
    CommandTemplate.Ended ended = command.run(values);
    require(
        ended.status() == 0,
        "",
        "command ended with status %s: %s",
        ended.status(),
        ended.lastLine());
  }

  /** Stops the server, if the command is one; the next program starts it again. */
  @Override
  public void close() {
    server.ifPresent(CommandServer::close);
  }

  /** Returns the arrays of a value, with tuples flattened and without tokens. */
  static ImmutableList<Literal> arrays(Literal value) {
    ImmutableList.Builder<Literal> arrays = ImmutableList.builder();
    if (value.shape() instanceof Shape.Array) {
      arrays.add(value);
    }
    value.elements().forEach(element -> arrays.addAll(arrays(element)));
    return arrays.build();
  }

  /** A reader of results in numbered files. */
  private static final class Reader {
    private final Path folder;
    private int count;

    Reader(Path folder) {
      this.folder = folder;
    }

    Literal read(Shape shape) throws IOException {
      return switch (shape) {
        case Shape.Array array -> readArray(array);
        case Shape.Tuple tuple -> {
          List<Literal> elements = new ArrayList<>();
          for (Shape element : tuple.elements()) {
            elements.add(read(element));
          }
          yield Literal.tuple(elements.toArray(Literal[]::new));
        }
        case Shape.Token _ -> Literal.token();
        case Shape.Buffer _, Shape.Opaque _ ->
            throw new HloException(
                HloException.Kind.UNSUPPORTED, "command: results of shape " + shape);
      };
    }

    private static Literal read(Path file, Shape.Array shape) throws IOException {
      try {
        return Npy.readAs(file, shape.elementType());
      } catch (HloException garbled) {
        String message = garbled.summary().replace(file + ": ", "");
        throw new HloException(
            HloException.Kind.PARSE,
            "command wrote {results}/" + file.getFileName() + ": " + message);
      }
    }

    private Literal readArray(Shape.Array shape) throws IOException {
      Path file = folder.resolve(count + ".npy");
      require(
          Files.isRegularFile(file),
          "",
          "command wrote no {results}/%s.npy, want %s",
          count,
          shape);
      Literal array = read(file, shape);
      require(
          array.shape().equals(shape),
          "",
          "command wrote %s to {results}/%s.npy, want %s",
          array.shape(),
          count,
          shape);
      count++;
      return array;
    }
  }
}
