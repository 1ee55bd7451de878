package org.hlo4j.tools;

import static com.google.common.collect.ImmutableSortedSet.toImmutableSortedSet;
import static com.google.common.truth.Truth.assertThat;
import static java.util.Comparator.naturalOrder;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** CONTRIBUTING.md names every file with a switch that a new op joins. */
class ContributingTest {
  private static final Path ROOT = Path.of("..");

  /** What the numbered steps of the page say. */
  private static final ImmutableSet<String> STEPS =
      ImmutableSet.of("ReferenceOps", "Kernels", "OpTraits");

  @ParameterizedTest
  @CsvSource({"scan, Scan", "reverse, Reverse"})
  void filesWithSwitchesAreListed(String mnemonic, String op) throws IOException {
    String page = Files.readString(ROOT.resolve("CONTRIBUTING.md"));
    String list =
        page.lines()
            .filter(line -> line.matches("- For .* op.*, like `" + mnemonic + "`: .*"))
            .map(line -> line.substring(line.indexOf(": ")))
            .findFirst()
            .orElse("");
    ImmutableSortedSet<String> named =
        Pattern.compile("`(\\w+)`")
            .matcher(list)
            .results()
            .map(name -> name.group(1))
            .collect(toImmutableSortedSet(naturalOrder()));
    assertThat(named).containsExactlyElementsIn(filesWithRowsOf(op));
  }

  private static ImmutableSet<String> filesWithRowsOf(String op) throws IOException {
    Pattern row = Pattern.compile("(case|,)\\s+" + op + " \\w+\\s*(,|->)");
    ImmutableSet.Builder<String> names = ImmutableSet.builder();
    for (String module :
        new String[] {"hlo", "builder", "stablehlo", "interpreter", "check", "tools"}) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module + "/src/main/java"))) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          String name = file.getFileName().toString().replace(".java", "");
          if (!STEPS.contains(name) && row.matcher(Files.readString(file)).find()) {
            names.add(name);
          }
        }
      }
    }
    return names.build();
  }
}
