package org.hlo4j.tools.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedOutputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import org.hlo4j.hlo.source.ControlCharacters;

/**
 * A stream of text in which each line is printed with its control characters escaped: names and
 * metadata of a file must not reach a terminal as commands. What is printed without a line break,
 * such as the progress, is written as it is.
 */
public final class Lines extends PrintWriter {
  public Lines(OutputStream stream) {
    super(new BufferedOutputStream(stream), false, UTF_8);
  }

  /** Ends a line alike on all systems. */
  @Override
  public void println() {
    print('\n');
  }

  @Override
  public void println(String line) {
    super.println(ControlCharacters.escape(line));
  }

  @Override
  public void println(Object line) {
    println(String.valueOf(line));
  }
}
