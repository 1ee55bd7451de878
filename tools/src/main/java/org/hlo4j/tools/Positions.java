package org.hlo4j.tools;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;

/** Where in its text a finding of the verifier is. */
final class Positions {
  private static final Pattern DEFINED = Pattern.compile("%(\\S+) = ");
  private static final Pattern COMPUTATION = Pattern.compile("computation (\\S+): ");

  private Positions() {}

  /** Line and column, such as {@code 3:5}; the beginning if it is about the whole. */
  static String of(HloException finding, String text) {
    Optional<String> instruction =
        finding.facts().stream()
            .filter(fact -> fact.name().equals("instruction"))
            .flatMap(fact -> first(DEFINED, fact.text()).stream())
            .findFirst();
    return instruction
        .flatMap(name ->
            find("(?m)^[ \\t]*(?:ROOT[ \\t]+)?(%?" + Pattern.quote(name) + ")[ \\t]*=", text))
        .or(() ->
            first(COMPUTATION, finding.summary())
                .flatMap(name ->
                    find("(?m)^(?:ENTRY[ \\t]+)?(%?" + Pattern.quote(name) + ")[ \\t]*[({]", text)))
        .orElse("1:1");
  }

  private static Optional<String> first(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.lookingAt() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  private static Optional<String> find(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    return matcher.find() ? Optional.of(lineAndColumn(text, matcher.start(1))) : Optional.empty();
  }

  private static String lineAndColumn(String text, int position) {
    long line = 1 + text.substring(0, position).chars().filter(c -> c == '\n').count();
    return line + ":" + (position - text.lastIndexOf('\n', position - 1));
  }
}
