package org.hlo4j.tools;

import static com.google.common.collect.Iterables.size;
import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.base.Splitter;
import com.google.common.collect.HashMultimap;
import com.google.common.collect.SetMultimap;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The cases of {@link CommandsIT} start every command, with every option, with every value of those
 * that have few.
 */
final class LauncherCasesTest {
  /** What all commands have, and what no program is needed for. */
  private static final Set<String> SHARED = Set.of("--help", "--version");

  /** An option with more values than that, such as element types, is used with some. */
  private static final int FEW = 10;

  /** What the cases use: {@code run}, {@code run --format}, {@code run --format json}. */
  private final SetMultimap<String, String> used = HashMultimap.create();

  @Test
  void everyCommandIsStartedWithEveryOption() {
    CommandLine hlo4j = Hlo4j.line();
    LauncherCase.all().stream()
        .flatMap(block -> block.steps().stream())
        .map(step -> hlo4j.parseArgs(step.arguments().toArray(String[]::new)))
        .forEach(this::addUsed);
    hlo4j
        .getSubcommands()
        .forEach((name, command) -> {
          assertWithMessage("cases of hlo4j %s", name).that(used.keySet()).contains(name);
          assertWithMessage("what hlo4j %s has and no line of launcher/cases.txt uses", name)
              .that(
                  command.getCommandSpec().options().stream()
                      .flatMap(LauncherCasesTest::words)
                      .filter(word -> !used.containsEntry(name, word))
                      .toList())
              .isEmpty();
        });
  }

  private void addUsed(ParseResult parsed) {
    if (parsed.hasSubcommand()) {
      ParseResult command = parsed.subcommand();
      String name = command.commandSpec().name();
      used.put(name, name);
      for (OptionSpec option : command.matchedOptions()) {
        used.put(name, option.longestName());
        option.originalStringValues().stream()
            .flatMap(values -> Splitter.on(',').splitToStream(values))
            .forEach(value -> used.put(name, option.longestName() + " " + lower(value)));
      }
    }
  }

  /** Returns an option, and with its values if they can be told. */
  private static Stream<String> words(OptionSpec option) {
    Stream.Builder<String> words = Stream.builder();
    if (!SHARED.contains(option.longestName())) {
      words.add(option.longestName());
      if (option.completionCandidates() != null && size(option.completionCandidates()) <= FEW) {
        option
            .completionCandidates()
            .forEach(value -> words.add(option.longestName() + " " + lower(value)));
      }
    }
    return words.build();
  }

  private static String lower(String value) {
    return value.toLowerCase(Locale.ROOT);
  }
}
