package org.hlo4j.hlo;

/**
 * A line of a source file.
 *
 * @param file the file's name
 * @param line the line, from 1
 */
public record SourceLine(String file, int line) {
  /** Returns the file name and line as {@code File.java:12}. */
  @Override
  public String toString() {
    return file + ":" + line;
  }
}
