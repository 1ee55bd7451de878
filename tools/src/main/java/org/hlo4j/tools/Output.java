package org.hlo4j.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Serial;
import java.util.Locale;
import java.util.Optional;

/**
 * The standard output. What cannot be written ends the command at once: a {@link PrintWriter} keeps
 * an {@link IOException} to itself, but lets {@link Failure} through.
 */
final class Output extends OutputStream {
  /** The exit status of a process that SIGPIPE has ended, as a shell tells it. */
  private static final int BROKEN_PIPE = 128 + 13;

  /** Thrown where something could not be written; an error, since picocli handles exceptions. */
  static final class Failure extends Error {
    @Serial private static final long serialVersionUID = 1L;

    Failure(IOException cause) {
      super(cause.getMessage(), cause, false, false);
    }

    /** Whether the reader has gone, which is no error: it has read what it wanted. */
    boolean isBrokenPipe() {
      String message = String.valueOf(getMessage()).toLowerCase(Locale.ROOT);
      return message.contains("pipe") || message.contains("connection reset");
    }

    /** The exit status of a command that ends so. */
    int status() {
      return isBrokenPipe() ? BROKEN_PIPE : 1;
    }
  }

  private final OutputStream stream;
  private Optional<Failure> failure = Optional.empty();

  private Output(OutputStream stream) {
    this.stream = stream;
  }

  /** The standard output, over the stream that it goes to. */
  static Output to(OutputStream stream) {
    return new Output(new BufferedOutputStream(stream));
  }

  /** What writes text to it. */
  PrintWriter writer() {
    return new PrintWriter(new BufferedOutputStream(this), false, UTF_8);
  }

  /** What went wrong first, if anything did. */
  Optional<Failure> failure() {
    return failure;
  }

  @Override
  public void write(int b) {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int count) {
    attempt(() -> stream.write(bytes, from, count));
  }

  @Override
  public void flush() {
    attempt(stream::flush);
  }

  private interface Write {
    void run() throws IOException;
  }

  private void attempt(Write write) {
    try {
      write.run();
    } catch (IOException problem) {
      Failure ended = failure.orElseGet(() -> new Failure(problem));
      failure = Optional.of(ended);
      throw ended;
    }
  }
}
