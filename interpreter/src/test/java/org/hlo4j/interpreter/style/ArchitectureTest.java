package org.hlo4j.interpreter.style;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.graph.GraphBuilder;
import com.google.common.graph.MutableGraph;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which packages may not import which, as docs/markdown/explanation/architecture.md draws the
 * arrows.
 */
final class ArchitectureTest {
  /** Package, and the packages it may not import; sub-packages count. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          hlo/op                 | hlo.schema hlo.ir hlo.text hlo.proto hlo.file
          hlo/schema             | hlo.ir hlo.text hlo.proto hlo.file
          hlo/ir                 | hlo.text hlo.proto hlo.file
          hlo/text               | hlo.proto hlo.file
          hlo/proto              | hlo.file
          builder                | interpreter
          interpreter/engine     | interpreter.reference interpreter.compiled check builder
          interpreter/math       | interpreter.engine interpreter.reference interpreter.compiled check builder
          interpreter/reference  | interpreter.compiled check builder
          interpreter/compiled   | interpreter.reference check builder
          check                  | builder stablehlo tools
          pjrt                   | builder check tools interpreter.reference interpreter.compiled
          pjrt/binding           | interpreter stablehlo
          """)
  void importsGoOneWay(String from, String to) throws IOException {
    String module = from.replaceAll("/.*", "");
    Path root = Path.of("..", module, "src/main/java/org/hlo4j", from);
    List<String> banned = Stream.of(to.split(" ")).map(name -> "import org.hlo4j." + name).toList();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        for (String line : Files.readAllLines(file)) {
          String imported = line.replace("import static", "import");
          assertWithMessage("%s", file)
              .that(banned.stream().filter(imported::startsWith).toList())
              .isEmpty();
        }
      }
    }
  }

  /**
   * The sub-packages that a module's root package imports. It has the types that all packages
   * share, so each of these, unless it imports none of them, is a circle: the list only gets
   * shorter.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          hlo         | arguments serial source
          builder     | lib lib.linalg lib.nn
          stablehlo   | dialect exporter importer jax mlir vhlo
          interpreter | compiled compiled.codegen compiled.passes engine engine.sizes reference
          pjrt        | binding ffi form
          tools       | command console
          """)
  void rootPackagesImportOnly(String module, String packages) throws IOException {
    Pattern imported =
        Pattern.compile(
            "(?m)^import (?:static )?org\\.hlo4j\\." + module + "\\.([a-z][a-z.]*)\\.[A-Z]");
    Set<String> found = new TreeSet<>();
    try (Stream<Path> files =
        Files.list(Path.of("..", module, "src/main/java/org/hlo4j", module))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        imported
            .matcher(Files.readString(file))
            .results()
            .forEach(each -> found.add(each.group(1)));
      }
    }
    assertThat(found).containsExactlyElementsIn(packages.split(" "));
  }

  /**
   * No package of a module imports another that imports it back, be it by way of others. A module's
   * root package is left out: {@link #rootPackagesImportOnly} has its imports.
   */
  @ParameterizedTest
  @ValueSource(strings = {"hlo", "builder", "stablehlo", "interpreter", "check", "pjrt", "tools"})
  void packagesHaveNoCircles(String module) throws IOException {
    MutableGraph<String> imports = GraphBuilder.directed().build();
    String inside = "(org\\.hlo4j\\." + module + "\\.[a-z.]+)";
    Pattern packageOf = Pattern.compile("(?m)^package " + inside + ";");
    Pattern imported = Pattern.compile("(?m)^import (?:static )?" + inside + "\\.[A-Z]");
    try (Stream<Path> files = Files.walk(Path.of("..", module, "src/main/java"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        String text = Files.readString(file);
        Matcher from = packageOf.matcher(text);
        if (from.find()) {
          imported
              .matcher(text)
              .results()
              .map(found -> found.group(1))
              .filter(to -> !to.equals(from.group(1)))
              .forEach(to -> imports.putEdge(from.group(1), to));
        }
      }
    }
    while (imports.nodes().stream().anyMatch(each -> isEnd(imports, each))) {
      imports.nodes().stream()
          .filter(each -> isEnd(imports, each))
          .toList()
          .forEach(imports::removeNode);
    }
    assertWithMessage("packages with circles: %s", imports.edges()).that(imports.nodes()).isEmpty();
  }

  private static boolean isEnd(MutableGraph<String> imports, String node) {
    return imports.inDegree(node) == 0 || imports.outDegree(node) == 0;
  }

  /**
   * Whether there is a kernel is decided by checks: an exception of another's, caught, would hide a
   * fault. Only what runs generated code in the background, to see how fast it is, may catch all;
   * and the one place where classes are made, in which a fault is an error when tests run.
   */
  @Test
  void noKernelIsSelectedByCatchingForeignExceptions() throws IOException {
    Pattern banned =
        Pattern.compile(
            "catch \\([^)]*\\b(Exception|RuntimeException|Illegal\\w+|UnsupportedOperationException"
                + "|ArithmeticException|IndexOutOfBounds\\w*|ClassCastException|NullPointer\\w*)\\b");
    List<String> excepted = List.of("HiddenClasses.java", "TieredLoop.java", "WarmupQueue.java");
    Path root = Path.of("src/main/java/org/hlo4j/interpreter/compiled");
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        boolean catches = banned.matcher(Files.readString(file)).find();
        assertWithMessage("%s", file)
            .that(catches)
            .isEqualTo(excepted.contains(file.getFileName().toString()));
      }
    }
  }

  /**
   * {@code Pieces} asks for deadline and interruption between pieces of a kernel's work, whose size
   * it measures; a kernel that asked by itself would do so by rows or windows, whose work it does
   * not know. Passes and the making of kernels ask for each instruction.
   */
  @Test
  void noKernelAsksForTheDeadlineByItself() throws IOException {
    Pattern banned = Pattern.compile("\\bLimits(\\.|::)check|\\.checkLimits\\(|::checkLimits");
    List<String> excepted = List.of("Grouping.java", "ModuleKernels.java", "Rewriter.java");
    Path root = Path.of("src/main/java/org/hlo4j/interpreter/compiled");
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        boolean asks = banned.matcher(Files.readString(file)).find();
        assertWithMessage("%s", file)
            .that(asks)
            .isEqualTo(excepted.contains(file.getFileName().toString()));
      }
    }
  }

  /** Only a class of the module itself sees the resources of a named module. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "hlo",
        "builder",
        "stablehlo",
        "interpreter",
        "check",
        "pjrt",
        "testing",
        "tools",
        "examples"
      })
  void resourcesAreLookedUpByAClassOfTheModule(String module) throws IOException {
    Pattern foreign =
        Pattern.compile("\\bResources\\.getResource\\(|ClassLoader\\(?\\)?\\.get|getSystemR");
    try (Stream<Path> files = Files.walk(Path.of("..", module, "src/main/java"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        assertWithMessage("%s", file).that(Files.readString(file)).doesNotContainMatch(foreign);
      }
    }
  }
}
