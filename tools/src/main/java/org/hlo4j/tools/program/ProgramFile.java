package org.hlo4j.tools.program;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.file.FileForm;
import org.hlo4j.tools.console.StandardInput;

/**
 * A file that may hold programs, or a folder in which they have been looked for.
 *
 * @param name its path
 * @param isNamed whether it was named on the command line, rather than found in a folder
 * @param problem the reason why it cannot be read, if already known
 * @param others if it is a folder whose programs have been found, the number of its other files
 */
public record ProgramFile(String name, boolean isNamed, Optional<Exception> problem, int others) {
  private static final int SNIFFED = 1 << 16;

  private static ProgramFile of(String name, boolean isNamed, Optional<Exception> problem) {
    return new ProgramFile(name, isNamed, problem, 0);
  }

  /**
   * Returns the file itself or, for a folder, the files in it at any depth that look like programs,
   * in order, then the folder if it has other files. Never throws an exception.
   */
  public static ImmutableList<ProgramFile> all(String file) {
    try {
      if (StandardInput.isStandardInput(file) || !Files.isDirectory(Path.of(file))) {
        return ImmutableList.of(of(file, true, Optional.empty()));
      }
      Walk walk = new Walk();
      Files.walkFileTree(Path.of(file), walk);
      return walk.all(file);
    } catch (IOException | RuntimeException problem) {
      return ImmutableList.of(of(file, true, Optional.of(problem)));
    }
  }

  /** Returns the programs directly in a folder, including exported functions. */
  public static List<Path> directlyIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(Files::isRegularFile)
          .filter(ProgramFile::looksLikeProgram)
          .sorted()
          .toList();
    }
  }

  /** Returns whether the file may be something other than a program without this being an error. */
  public boolean mayBeNonProgram() {
    return !isNamed && !name.endsWith(".hlo.pb") && name.endsWith(".pb");
  }

  private static boolean looksLikeProgram(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".hlo")
        || name.endsWith(".hlo.txt")
        || name.endsWith(".pb")
        || name.endsWith(".mlir")
        || name.endsWith(".mlirbc")
        || name.endsWith(".mlir.bc")
        || (name.endsWith(".txt") && holds(file, ProgramFile::hasModuleHeader))
        || (name.endsWith(".bin") && holds(file, FileForm::isJaxExport));
  }

  private static boolean hasModuleHeader(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(SNIFFED), ISO_8859_1).contains("HloModule ");
    }
  }

  /** A question about the content of a file. */
  @FunctionalInterface
  private interface Content {
    boolean isOf(Path file) throws IOException;
  }

  private static boolean holds(Path file, Content content) {
    try {
      return content.isOf(file);
    } catch (IOException unreadable) {
      return true; // reading it reports the problem
    }
  }

  /** The search for programs in a folder. */
  private static final class Walk extends SimpleFileVisitor<Path> {
    private final Map<Path, ProgramFile> found = new TreeMap<>();
    private int others;

    ImmutableList<ProgramFile> all(String folder) {
      if (found.isEmpty()) {
        String otherFiles = others == 0 ? "" : ", other files: " + others;
        Exception none = new HloException("", folder + ": no programs in this folder" + otherFiles);
        return ImmutableList.of(of(folder, true, Optional.of(none)));
      }
      ImmutableList.Builder<ProgramFile> all = ImmutableList.builder();
      all.addAll(found.values());
      if (others > 0) {
        all.add(new ProgramFile(folder, true, Optional.empty(), others));
      }
      return all.build();
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      boolean isFile = Files.isRegularFile(file) || Files.notExists(file);
      if (isFile && looksLikeProgram(file)) {
        add(file, Optional.empty());
      } else {
        others++;
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException problem) {
      add(file, Optional.of(problem));
      return FileVisitResult.CONTINUE;
    }

    private void add(Path file, Optional<Exception> problem) {
      found.put(file, of(file.toString(), false, problem));
    }
  }
}
