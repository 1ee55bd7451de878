package org.hlo4j.tools.program;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
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
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.tools.console.StandardInput;

/** The files in a folder, at any depth, that look like programs. */
public final class ProgramFiles extends SimpleFileVisitor<Path> {
  /**
   * A file to be read.
   *
   * @param name its path
   * @param isNamed whether it was named on the command line, rather than found in a folder
   * @param problem the reason why it cannot be read, if already known
   * @param others if it is a folder whose programs have been found, the number of its other files
   */
  public record Found(String name, boolean isNamed, Optional<Exception> problem, int others) {
    private static Found file(String name, boolean isNamed, Optional<Exception> problem) {
      return new Found(name, isNamed, problem, 0);
    }

    /**
     * Returns whether the file may be something other than a program without this being an error.
     */
    public boolean mayBeNonProgram() {
      return !isNamed && !name.endsWith(".hlo.pb") && name.endsWith(".pb");
    }
  }

  private final Map<Path, Found> found = new TreeMap<>();
  private int others;

  private ProgramFiles() {}

  /**
   * Returns the file itself or, for a folder, the files in it, in order, then itself if it has
   * other files. Never throws an exception.
   */
  public static ImmutableList<Found> of(String file) {
    try {
      if (StandardInput.isStandardInput(file) || !Files.isDirectory(Path.of(file))) {
        return ImmutableList.of(Found.file(file, true, Optional.empty()));
      }
      ProgramFiles tree = new ProgramFiles();
      Files.walkFileTree(Path.of(file), tree);
      return tree.all(file);
    } catch (IOException | RuntimeException problem) {
      return ImmutableList.of(Found.file(file, true, Optional.of(problem)));
    }
  }

  private ImmutableList<Found> all(String folder) {
    if (found.isEmpty()) {
      String otherFiles = others == 0 ? "" : ", other files: " + others;
      Exception none = new HloException("", folder + ": no programs in this folder" + otherFiles);
      return ImmutableList.of(Found.file(folder, true, Optional.of(none)));
    }
    ImmutableList.Builder<Found> all = ImmutableList.builder();
    all.addAll(found.values());
    if (others > 0) {
      all.add(new Found(folder, true, Optional.empty(), others));
    }
    return all.build();
  }

  /** Returns the programs directly in a folder, including exported functions. */
  public static List<Path> directlyIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(Files::isRegularFile)
          .filter(ProgramFiles::looksLikeProgram)
          .sorted()
          .toList();
    }
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
    found.put(file, Found.file(file.toString(), false, problem));
  }

  private static boolean looksLikeProgram(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".hlo")
        || name.endsWith(".hlo.txt")
        || name.endsWith(".pb")
        || name.endsWith(".mlir")
        || name.endsWith(".mlirbc")
        || name.endsWith(".mlir.bc")
        || (name.endsWith(".txt") && ModuleFiles.looksLikeHlo(file))
        || (name.endsWith(".bin") && isExport(file));
  }

  private static boolean isExport(Path file) {
    try {
      return JaxExport.isExport(file);
    } catch (IOException unreadable) {
      return true; // reading it reports the problem
    }
  }
}
