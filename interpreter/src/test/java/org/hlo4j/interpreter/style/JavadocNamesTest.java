package org.hlo4j.interpreter.style;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.SourceVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Javadoc of a method that sets a name or a formula as code means names that the class has: the
 * parameter may have been renamed.
 */
final class JavadocNamesTest {
  /** The comment, then the declaration of a method up to its parameters. */
  private static final Pattern METHOD =
      Pattern.compile(
          "(?s)/\\*\\*((?:(?!\\*/).)*)\\*/(?![^;{}=(]*\\b(class|record|interface|enum)"
              + " )[^;{}=]*?\\(");

  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*");
  private static final Pattern CODE = Pattern.compile("\\{@code ([^{}]*)\\}");
  private static final Pattern NAME = Pattern.compile("\\b[a-z]\\w{2,}\\b");

  /** A name, or names and numbers with operators between. */
  private static final Pattern FORMULA =
      Pattern.compile("\\(*\\w+\\)*( [-+*/%<>=]+ \\(*\\w+\\)*)*");

  private static List<String> strangers(String source) {
    Set<String> known = names(COMMENT.matcher(source).replaceAll(""));
    List<String> strangers = new ArrayList<>();
    for (MatchResult method : METHOD.matcher(source).results().toList()) {
      for (MatchResult code : CODE.matcher(method.group(1)).results().toList()) {
        String formula = code.group(1).replaceAll("\\s*\\n\\s*\\*\\s*", " ");
        if (FORMULA.matcher(formula).matches()) {
          names(formula).stream().filter(name -> !known.contains(name)).forEach(strangers::add);
        }
      }
    }
    return strangers;
  }

  private static ImmutableSet<String> names(String text) {
    return NAME.matcher(text)
        .results()
        .map(MatchResult::group)
        .filter(name -> !SourceVersion.isKeyword(name))
        .collect(ImmutableSet.toImmutableSet());
  }

  @Test
  void namesAreThoseOfTheClass() throws IOException {
    List<String> findings = new ArrayList<>();
    try (Stream<Path> all = Files.walk(Path.of("src/main/java/org/hlo4j/interpreter/compiled"))) {
      for (Path file : all.filter(path -> path.toString().endsWith(".java")).toList()) {
        strangers(Files.readString(file))
            .forEach(name -> findings.add(file.getFileName() + ": " + name));
      }
    }
    assertThat(findings).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/** At most {@code most} rows. */ int of(int maxRows)         | most",
        "/** At most {@code maxRows} rows. */ int of(int maxRows)      | ''",
        "/** Returns {@code from + behind}. */ int at(int from)        | behind",
        "/** Returns {@code (from + behind) * 2}. */ int at(int from)  | behind",
        "/** Not of {@code all-reduce}. */ int at()                    | ''",
        "/** For a {@code while}. */ int at()                          | ''",
        "/** Such as {@code add(a, b)}. */ int at()                    | ''",
        "/** A field: {@code most}. */ int rows = 1;                   | ''",
        "/** A class: {@code most}. */ record Rows(int count)          | ''"
      })
  void strangerIsFound(String source, String stranger) {
    assertThat(String.join(" ", strangers(source))).isEqualTo(stranger);
  }
}
