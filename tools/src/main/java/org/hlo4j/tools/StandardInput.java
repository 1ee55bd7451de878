package org.hlo4j.tools;

import static org.hlo4j.hlo.HloException.require;

import java.io.IOException;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.proto.HloProtos;

/** The standard input, which stands as {@code -} where a file may. */
final class StandardInput {
  private static final String NAME = "-";

  private StandardInput() {}

  /** Whether a file's name means the standard input. */
  static boolean isMeantBy(String name) {
    return name.equals(NAME);
  }

  /**
   * All of it. Whoever reads it a second time finds it empty.
   *
   * @param name what it was meant by, for refusals
   * @throws HloException if there is nothing, or more than the heap allows
   * @throws IOException if it cannot be read, naming it
   */
  static byte[] read(String name) throws IOException {
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
