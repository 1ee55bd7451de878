package org.hlo4j.tools.console;

import static org.hlo4j.hlo.HloException.require;

import java.io.IOException;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.proto.HloProtos;

/** The standard input, which is named {@code -} in place of a file. */
public final class StandardInput {
  private static final String NAME = "-";

  private StandardInput() {}

  /** Returns whether a file name stands for the standard input. */
  public static boolean isStandardInput(String name) {
    return name.equals(NAME);
  }

  /**
   * Reads all of it. A second read returns nothing.
   *
   * @param name the name that it was given by, for refusals
   * @throws HloException if it is empty, or larger than the heap permits
   * @throws IOException if it cannot be read; the message names it
   */
  public static byte[] read(String name) throws IOException {
    try {
      byte[] bytes = HloProtos.readAll(System.in);
      require(bytes.length > 0, "", "the standard input is empty, or was read before");
      return bytes;
    } catch (HloException refusal) {
      throw refusal.prefixed(name + ": ");
    } catch (IOException closed) {
      throw new IOException("the standard input: " + closed.getMessage(), closed);
    }
  }
}
