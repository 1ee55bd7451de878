package org.hlo4j.check.external;

import java.io.Closeable;
import java.nio.file.Path;
import java.util.List;
import org.hlo4j.check.Runner;
import org.hlo4j.hlo.HloException;

/** Another system that runs programs, in a process of its own. */
public interface OtherSystem extends Runner, Closeable {
  /**
   * Returns whether the system reads HLO text.
   *
   * @return whether {@link #accepts} can be asked
   */
  boolean takesText();

  /**
   * Asks whether the system takes a program given as HLO text, which need not be a valid one. What
   * it computes is not read.
   *
   * @param hlo the text
   * @param inputs the files of the arguments
   * @return whether it takes the program; false if it refuses it
   * @throws HloException if it breaks or does not answer in time; of the kind {@link
   *     HloException.Kind#UNSUPPORTED} if the program cannot be given to it
   */
  boolean accepts(String hlo, List<Path> inputs);

  /** Ends its process. */
  @Override
  void close();
}
