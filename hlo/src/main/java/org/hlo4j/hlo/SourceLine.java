package org.hlo4j.hlo;

/**
 * Where something was said: a file and a line in it.
 *
 * @param file the file's name
 * @param line the line, from 1
 */
public record SourceLine(String file, int line) {
  /** The place as {@code File.java:12}. */
  @Override
  public String toString() {
    return file + ":" + line;
  }
}
