package org.hlo4j.tools;

import static org.hlo4j.hlo.HloException.require;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The writing of files and folders by commands. */
final class OutputFiles {
  /** Writes the contents of a file. */
  interface Contents {
    void writeTo(OutputStream out) throws IOException;
  }

  /** A parser of a folder's name. */
  static final class FolderConverter implements ITypeConverter<Path> {
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
   * Writes a file.
   *
   * @throws IOException if it cannot be written completely; the message names the file
   */
  static void write(Path file, Contents contents) throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      contents.writeTo(out);
    } catch (FileSystemException named) {
      throw named;
    } catch (IOException unnamed) {
      throw new FileSystemException(file.toString(), null, unnamed.getMessage());
    }
  }

  /**
   * Creates a folder for files, unless it exists.
   *
   * @throws IOException if it cannot be created; the message names it
   */
  static void makeFolder(Path folder) throws IOException {
    require(Files.isDirectory(folder) || !Files.exists(folder), "", "%s: not a folder", folder);
    Files.createDirectories(folder);
    require(Files.isWritable(folder), "", "%s: this folder is not writable", folder);
  }
}
