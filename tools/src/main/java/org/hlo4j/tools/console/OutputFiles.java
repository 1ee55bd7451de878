package org.hlo4j.tools.console;

import static org.hlo4j.hlo.HloException.require;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The folders that commands write to. */
public final class OutputFiles {
  /** A parser of a folder's name. */
  public static final class FolderConverter implements ITypeConverter<Path> {
    @Override
    public Path convert(String name) {
      if (StandardInput.isStandardInput(name)) {
        throw new TypeConversionException("got -, want a folder; ./- is one of that name");
      }
      return Path.of(name);
    }
  }

  private OutputFiles() {}

  /**
   * Creates a folder for files, unless it exists.
   *
   * @throws IOException if it cannot be created; the message names it
   */
  public static void makeFolder(Path folder) throws IOException {
    require(Files.isDirectory(folder) || !Files.exists(folder), "", "%s: not a folder", folder);
    Files.createDirectories(folder);
    require(Files.isWritable(folder), "", "%s: this folder is not writable", folder);
  }
}
