package org.hlo4j.tools.cases;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.file.HloFiles;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.tools.console.ErrorMessages;

/**
 * The tests in files and folders, sorted by name: test cases, and self-checking StableHLO files,
 * each module of which is a test.
 */
public final class TestCases {
  private final CaseRun cases;
  private final SelfCheckingRun selfChecking;
  private final Map<String, Supplier<Outcome>> all = new LinkedHashMap<>();

  TestCases(CaseRun cases, SelfCheckingRun selfChecking) {
    this.cases = cases;
    this.selfChecking = selfChecking;
  }

  /** Returns all tests. */
  public Map<String, Supplier<Outcome>> all() {
    return all;
  }

  /** Adds the tests of a path. */
  void add(Path path) throws IOException {
    require(Files.exists(path), "", "%s: no such file or directory", path);
    int before = all.size();
    Set<Path> folders = new TreeSet<>();
    try (var tree = Files.walk(path)) {
      for (Path file : tree.sorted().toList()) {
        if (TestCase.isCaseFolder(file) && folders.stream().noneMatch(file::startsWith)) {
          folders.add(file);
          addCases(path, file);
        } else if (isSelfChecking(file, folders)) {
          addModules(path, file);
        }
      }
    }
    require(
        all.size() > before,
        "",
        "%s: no case in it, want folders with %s or %s, or self-checking .mlir files",
        path,
        TestCase.EXPECTED,
        TestCase.META);
  }

  /** Returns whether a file is MLIR text that belongs to no case. */
  private static boolean isSelfChecking(Path file, Set<Path> folders) {
    return file.toString().endsWith(".mlir")
        && Files.isRegularFile(file)
        && folders.stream().noneMatch(file::startsWith);
  }

  private void addCases(Path root, Path folder) {
    String name = name(root, folder);
    try {
      TestCase.read(folder)
          .forEach((number, test) ->
              all.put(number.isEmpty() ? name : name + "/" + number, () -> cases.outcome(test)));
    } catch (HloException | IOException problem) {
      String message = ErrorMessages.describe(problem).replace(folder + "/", "");
      all.put(name, () -> new Outcome.Failed(message));
    }
  }

  private void addModules(Path root, Path file) {
    String name = name(root, file);
    try {
      ImmutableList<Operation> modules = StableHlo.readAll(HloFiles.readAll(file));
      for (int i = 0; i < modules.size(); i++) {
        Operation module = modules.get(i);
        all.put(
            modules.size() == 1 ? name : name + "#" + (i + 1), () -> selfChecking.outcome(module));
      }
    } catch (HloException | IOException problem) {
      String message = ErrorMessages.describe(problem);
      all.put(name, () -> new Outcome.Failed(message));
    }
  }

  private String name(Path root, Path path) {
    String within = root.relativize(path).toString();
    String name = within.isEmpty() ? path.toAbsolutePath().normalize().getFileName() + "" : within;
    return all.containsKey(name) ? path.toString() : name;
  }

  /** Returns the tests of the given paths. */
  public static TestCases of(List<Path> paths, CaseRun cases, SelfCheckingRun selfChecking)
      throws IOException {
    TestCases found = new TestCases(cases, selfChecking);
    for (Path path : paths) {
      found.add(path);
    }
    return found;
  }
}
