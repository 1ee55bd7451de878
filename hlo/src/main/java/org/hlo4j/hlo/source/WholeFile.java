package org.hlo4j.hlo.source;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The writing of files that are either whole or not there: a file is written beside its place, and
 * moved there once it is complete. A write that fails leaves what was there before.
 *
 * <p>A symbolic link is replaced, as {@code mv} and {@code sed -i} do, and what it leads to stays
 * as it is. Devices and pipes, and what is under {@code /proc} and {@code /dev}, but for the files
 * of {@code /dev/shm}, cannot be replaced, so they are written to.
 */
public final class WholeFile {
  /** The contents of a file. */
  public interface Contents {
    /**
     * Writes them.
     *
     * @param out where to, buffered; it stays open
     * @throws IOException if they cannot be written
     */
    void writeTo(OutputStream out) throws IOException;
  }

  private WholeFile() {}

  /**
   * Writes a file.
   *
   * @param file the file, which keeps its permissions if it is replaced
   * @param contents the contents
   * @throws IOException if it cannot be written; the message names the file
   */
  public static void write(Path file, Contents contents) throws IOException {
    try {
      if (isWrittenTo(file)) {
        write(file, StandardOpenOption.WRITE, contents);
      } else {
        replace(file, contents);
      }
    } catch (NoSuchFileException noFolder) {
      throw new NoSuchFileException(file.toString());
    } catch (AccessDeniedException denied) {
      throw new AccessDeniedException(file.toString());
    } catch (NotDirectoryException noFolder) {
      throw new NotDirectoryException(file.toString());
    } catch (FileSystemException problem) {
      throw new FileSystemException(file.toString(), null, problem.getReason());
    } catch (IOException unnamed) {
      throw new FileSystemException(file.toString(), null, unnamed.getMessage());
    }
  }

  private static boolean isWrittenTo(Path file) {
    Path absolute = file.toAbsolutePath().normalize();
    return (Files.exists(file) && !Files.isRegularFile(file))
        || (absolute.startsWith("/dev") && !absolute.startsWith("/dev/shm"))
        || absolute.startsWith("/proc");
  }

  private static void replace(Path file, Contents contents) throws IOException {
    if (Files.exists(file) && !Files.isWritable(file)) {
      throw new AccessDeniedException(file.toString());
    }
    Path beside = beside(file);
    try {
      Contents kept =
          out -> {
            keepPermissions(file, beside); // before anybody else could read the contents
            contents.writeTo(out);
          };
      write(beside, StandardOpenOption.CREATE_NEW, kept);
      move(beside, file);
    } finally {
      Files.deleteIfExists(beside);
    }
  }

  /** Returns a name beside a file that none has: its own may be as long as names can be. */
  private static Path beside(Path file) {
    String unique = Long.toHexString(ThreadLocalRandom.current().nextLong());
    return file.resolveSibling(".hlo4j-" + unique + ".tmp");
  }

  private static void write(Path file, StandardOpenOption option, Contents contents)
      throws IOException {
    try (OutputStream out =
        new BufferedOutputStream(Files.newOutputStream(file, StandardOpenOption.WRITE, option))) {
      contents.writeTo(out);
    }
  }

  private static void keepPermissions(Path from, Path to) throws IOException {
    PosixFileAttributeView known = Files.getFileAttributeView(from, PosixFileAttributeView.class);
    if (known != null && Files.isRegularFile(from) && !Files.isSymbolicLink(from)) {
      Files.setPosixFilePermissions(to, known.readAttributes().permissions());
    }
  }

  private static void move(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException unsupported) {
      Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
