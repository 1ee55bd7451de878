package org.hlo4j.tools.console;

/** The command line that a command was started from. */
public interface Session {
  /** Returns the standard output, for binary data. */
  Output output();

  /** Returns whether errors are reported with all details. */
  boolean isVerbose();
}
