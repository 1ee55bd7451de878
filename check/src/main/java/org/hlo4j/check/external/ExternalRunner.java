package org.hlo4j.check.external;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.command.CommandServer;
import org.hlo4j.check.command.CommandTemplate;
import org.hlo4j.check.command.ProgramForms;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.npy.Npy;

/**
 * Another system, which runs programs by a command:
 *
 * <pre>{@code
 * python3 xla_runner.py {hlo} {results} {inputs}
 * }</pre>
 *
 * <p>For each program, the placeholders become files: <code>{hlo}</code> (or <code>{}</code>) HLO
 * text, <code>{pb}</code> the HloModuleProto, <code>{inputs}</code> a {@code .npy} file for each
 * array in the arguments; and <code>{results}</code> a folder, into which the command writes the
 * results as {@code 0.npy}, {@code 1.npy} …, tuples flattened. Element types that NumPy lacks are
 * stored as their bits.
 *
 * <p>A command without placeholders is a server, which is started once. It reads a line for each
 * program: the file with its HLO text, the folder for its results, and the files of its arguments,
 * separated by tabs. It answers with a line: {@code ok}, or {@code error} and the reason. If it
 * does not answer in time, it is killed and started again for the next program; so it is if it
 * ends. The first answer may take 30 s longer, in which the command starts.
 */
public final class ExternalRunner implements Runner.OtherSystem {
  /** The status of a command that a signal ended is this or more. */
  private static final int BROKEN = 128;

  private static final String RESULTS = "results";
  private static final ImmutableSet<String> OF_SERVER =
      ImmutableSet.of("hlo", ProgramForms.INPUTS, RESULTS);

  private final CommandTemplate command;
  private final Optional<CommandServer> server;
  private final ProgramForms forms;

  /**
   * Creates a runner.
   *
   * @param line the command, which is split into words at spaces, except within quotes
   * @param deadline how long each program may take
   * @param more forms of a program that the command may ask for by their placeholders, such as
   *     {@code mlir}, beside those that hlo4j's core writes
   * @throws HloException if the command does not take a program or does not write results
   */
  public ExternalRunner(
      String line, Duration deadline, Map<String, Function<HloModule, byte[]>> more) {
    this.command = CommandTemplate.parse(line).withDeadline(deadline);
    this.forms = ProgramForms.of(more);
    ImmutableSet<String> given = command.placeholders();
    this.server = given.isEmpty() ? Optional.of(new CommandServer(command)) : Optional.empty();
    command.requirePlaceholders(
        Sets.union(forms.names(), ImmutableSet.of(ProgramForms.INPUTS, RESULTS)));
    require(
        server.isPresent()
            || (given.stream().anyMatch(forms.names()::contains) && given.contains(RESULTS)),
        "",
        "command got %s, want {results} and the program: {hlo}, {pb} …",
        command);
  }

  @Override
  public Literal run(Program program) {
    requireNoFeeds(program);
    require(
        !program.isOfEachDevice(),
        "",
        "command got a program of which each of %s devices has arguments of its own, want one with"
            + " whole arrays: it gets one list",
        program.deviceCount());
    Set<String> wanted = server.isPresent() ? OF_SERVER : command.placeholders();
    Shape shape = program.module().entry().root().shape().withoutLayout();
    return forms.withFiles(
        program,
        wanted,
        (folder, values) -> {
          refusal(folder, values)
              .ifPresent(message -> {
                throw new HloException(HloException.Kind.ARGUMENT, message);
              });
          return read(shape, folder.resolve(RESULTS), new AtomicInteger());
        });
  }

  /**
   * Refuses a program that takes from infeed or gives to outfeed: a command gets arguments only.
   *
   * @param program the program
   * @throws HloException if it has an infeed or outfeed
   */
  public static void requireNoFeeds(Program program) {
    require(
        !program.hasFeeds(),
        "",
        "command got a program with infeed or outfeed, want one without: it gets arguments only");
  }

  /**
   * Returns whether the system reads HLO text.
   *
   * @return whether the command is a server, or takes <code>{hlo}</code>
   */
  @Override
  public boolean takesText() {
    return server.isPresent() || command.placeholders().contains("hlo");
  }

  /**
   * Asks whether the system takes a program given as HLO text, which need not be a valid one. What
   * it computes is not read.
   *
   * @param hlo the text
   * @param inputs the files of the arguments
   * @return whether it ends well; false if it answers an error, or ends with a status from 1 to 127
   * @throws HloException if the command takes no <code>{hlo}</code>, cannot be started, breaks or
   *     does not end in time
   */
  @Override
  public boolean accepts(String hlo, List<Path> inputs) {
    require(takesText(), "", "command got %s, want {hlo} for a program as text", command);
    return ProgramForms.inFolder((folder, values) -> {
      Path program = folder.resolve("program.hlo");
      Files.writeString(program, hlo);
      values.put("hlo", ImmutableList.of(program.toString()));
      values.put(
          ProgramForms.INPUTS, inputs.stream().map(Path::toString).collect(toImmutableList()));
      return refusal(folder, values).isEmpty();
    });
  }

  /** Gives the command its files. Returns why it refuses them, if it does. */
  private Optional<String> refusal(Path folder, Map<String, ImmutableList<String>> values)
      throws IOException {
    Path results = Files.createDirectory(folder.resolve(RESULTS));
    values.put(RESULTS, ImmutableList.of(results.toString()));
    if (server.isPresent()) {
      String line =
          Stream.of("hlo", RESULTS, ProgramForms.INPUTS)
              .flatMap(name -> values.getOrDefault(name, ImmutableList.of()).stream())
              .collect(Collectors.joining("\t"));
      return server.get().refusal(line).map("command: "::concat);
    }
    CommandTemplate.Ended ended = command.run(values);
    String message = "command ended with status " + ended.status() + ": " + ended.lastLine();
    require(ended.status() >= 0 && ended.status() < BROKEN, "", "%s", message);
    return ended.status() == 0 ? Optional.empty() : Optional.of(message);
  }

  /** Stops the server, if the command is one; the next program starts it again. */
  @Override
  public void close() {
    server.ifPresent(CommandServer::close);
  }

  /** Reads results from the files of their numbers. */
  private static Literal read(Shape shape, Path folder, AtomicInteger count) {
    return switch (shape) {
      case Shape.Array array -> read(array, folder.resolve(count.getAndIncrement() + ".npy"));
      case Shape.Tuple tuple ->
          Literal.tuple(tuple.elements().stream().map(each -> read(each, folder, count)).toList());
      case Shape.Token _ -> Literal.token();
      case Shape.Buffer _, Shape.Opaque _ ->
          throw new HloException(
              HloException.Kind.UNSUPPORTED, "command: results of shape " + shape);
    };
  }

  private static Literal read(Shape.Array shape, Path file) {
    String name = "{results}/" + file.getFileName();
    require(Files.isRegularFile(file), "", "command wrote no %s, want %s", name, shape);
    Literal array;
    try {
      array = Npy.readAs(file, shape.elementType());
    } catch (IOException unreadable) {
      throw new HloException(HloException.Kind.IO, "command: " + unreadable);
    } catch (HloException garbled) {
      String message = garbled.summary().replace(file + ": ", "");
      throw new HloException(HloException.Kind.PARSE, "command wrote " + name + ": " + message);
    }
    Shape got = array.shape();
    require(got.equals(shape), "", "command wrote %s to %s, want %s", got, name, shape);
    return array;
  }
}
