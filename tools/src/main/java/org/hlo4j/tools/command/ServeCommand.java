package org.hlo4j.tools.command;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.hlo4j.hlo.HloException;
import org.hlo4j.tools.console.Session;
import org.hlo4j.tools.serve.Frame;
import org.hlo4j.tools.serve.ServedPrograms;
import org.hlo4j.tools.system.EvaluatorArguments;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

/** The command {@code hlo4j serve}. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Answers requests of another program, such as python/hlo4j_jax.py, on pipes: runs programs"
            + " and compares results.",
    footerHeading = "%n",
    footer = {
      "A request and its answer are a byte, the number of parts (4 bytes), then for each part its"
          + " length (8 bytes) and its bytes; numbers are big-endian.",
      "  L program             loads a program; the answer holds its id",
      "  R id array ...        runs it on .npy arrays; the answer holds the results",
      "  C id n array ...      compares results, which follow the n arguments, with the",
      "                        reference; the answer holds the verdict, its reason, and the",
      "                        verdict of each result",
      "  U id                  forgets a program",
      "The answer begins with =, or with ! and holds the kind of an error and its message.",
      "It ends at the end of the standard input.",
      "",
      "Example:",
      "  hlo4j serve --deadline 10s --max-bytes 2g"
    })
public final class ServeCommand implements Callable<Integer> {
  @Mixin private EvaluatorArguments evaluator;

  @ParentCommand private Session parent;

  @SuppressWarnings("NullAway.Init") // fields are set by picocli
  ServeCommand() {}

  @Override
  public Integer call() throws IOException {
    ServedPrograms programs = new ServedPrograms(evaluator);
    DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(parent.output()));
    try {
      for (Optional<Frame> next = answer(programs, in); next.isPresent(); ) {
        next.get().write(out);
        next = answer(programs, in);
      }
      return 0;
    } catch (HloException | EOFException wrong) {
      // the stream cannot be read on: the length of the request is unknown
      ServedPrograms.error("ARGUMENT", wrong).write(out);
      return 1;
    }
  }

  /** Reads a request and returns its answer; empty at the end of the requests. */
  private static Optional<Frame> answer(ServedPrograms programs, DataInputStream in)
      throws IOException {
    try {
      return Frame.read(in, Runtime.getRuntime().maxMemory() / 4).map(programs::answer);
    } catch (HloException refusal) {
      if (refusal.kind() == HloException.Kind.LIMIT) {
        return Optional.of(ServedPrograms.error("LIMIT", refusal));
      }
      throw refusal;
    }
  }
}
