package org.hlo4j.tools.console;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Serial;
import java.util.Locale;
import java.util.Optional;

/**
 * The standard output. A failed write ends the command at once: a {@link PrintWriter} swallows an
 * {@link IOException}, but propagates {@link Failure}.
 */
public final class Output extends OutputStream {
  /** The exit status of a process that SIGPIPE has ended, as a shell reports it. */
  private static final int BROKEN_PIPE = 128 + 13;

  /** Thrown when a write fails. It is an error, since picocli handles exceptions. */
  public static final class Failure extends Error {
    @Serial private static final long serialVersionUID = 1L;

    Failure(IOException cause) {
      super(cause.getMessage(), cause, false, false);
    }

    /**
     * Returns whether the reader has closed the pipe, which is not an error: it has read what it
     * needs.
     */
    public boolean isBrokenPipe() {
      String message = String.valueOf(getMessage()).toLowerCase(Locale.ROOT);
      return message.contains("pipe") || message.contains("connection reset");
    }

    /** Returns the exit status of a command that ends with this failure. */
    public int status() {
      return isBrokenPipe() ? BROKEN_PIPE : 1;
    }
  }

  private final OutputStream stream;
  private Optional<Failure> failure = Optional.empty();

  private Output(OutputStream stream) {
    this.stream = stream;
  }

  /** Creates the standard output over an underlying stream. */
  public static Output to(OutputStream stream) {
    return new Output(new BufferedOutputStream(stream));
  }

  /** Returns a writer of text to this output. */
  public PrintWriter writer() {
    return new Lines(this);
  }

  /** Returns the first failure, if there is one. */
  public Optional<Failure> failure() {
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
