package org.hlo4j.hlo;

/**
 * A line of a source file, or a place that has no lines.
 *
 * @param file the file's name; of code in no file, such as a snippet of jshell, its class and
 *     method
 * @param line the line, from 1; 0 if there are no lines
 */
public record SourceLine(String file, int line) {
  /** Returns the file name and line as {@code File.java:12}, or the file alone. */
  @Override
  public String toString() {
    return line == 0 ? file : file + ":" + line;
  }
}
