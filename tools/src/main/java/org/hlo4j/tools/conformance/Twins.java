package org.hlo4j.tools.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;

/**
 * The search for the {@link Twin} of a program that is refused: the first of its {@linkplain
 * ProgramEdits edits} that is valid. Where one edit does not suffice, those that changed the
 * message are edited once more; where two do not, it is the nearest valid program of the op, from
 * the rows or from {@code twins.txt}.
 */
final class Twins {
  /** How many edits that changed the message are edited once more. */
  private static final int MAX_SECOND = 12;

  /** How many texts with two edits are tried. */
  private static final int MAX_TRIED = 1500;

  private static final EvaluatorOptions LIMITS = EvaluatorOptions.builder().maxSteps(1000).build();

  private static final String VALID = " | ";
  private static final String MISSING = " - ";
  private static final ImmutableList<String> TABLE = read();

  private static final Pattern ROOT =
      Pattern.compile("(?<name>ROOT %?[\\w.-]+ = )(?<shape>(?:(?:\\(.*?\\)|[a-z0-9]+\\[[^ ]*) )?)");

  private final ImmutableSetMultimap<String, String> attributes;
  private final ImmutableSetMultimap<String, String> valid;

  /**
   * Creates a search.
   *
   * @param accepted programs that are accepted, whose attributes and shapes others may take
   */
  Twins(Stream<String> accepted) {
    ImmutableSetMultimap.Builder<String, String> all = ImmutableSetMultimap.builder();
    ImmutableSetMultimap.Builder<String, String> programs = ImmutableSetMultimap.builder();
    accepted.forEach(text -> {
      String opcode = ProgramEdits.opcode(text);
      ProgramEdits.attributes(text)
          .forEach(each -> all.put(each.name(), each.value(text)).put(opcode, each.name()));
      all.put(shapes(opcode), shape(text));
      programs.put(opcode, text);
    });
    TABLE.stream()
        .filter(row -> row.contains(VALID))
        .map(row -> row.split(Pattern.quote(VALID), 2))
        .forEach(row -> programs.put(row[0], row[1]));
    this.attributes = all.build();
    this.valid = programs.build();
  }

  /** Returns why a refusal of an op has no twin. */
  static String missing(String op) {
    return TABLE.stream()
        .filter(row -> row.startsWith(op + MISSING))
        .map(row -> row.substring((op + MISSING).length()))
        .findFirst()
        .orElse("no valid program is known that differs in the refused thing only");
  }

  private static ImmutableList<String> read() {
    try {
      return Resources.readLines(requireNonNull(Twins.class.getResource("twins.txt")), UTF_8)
          .stream()
          .filter(line -> !line.startsWith("#"))
          .collect(ImmutableList.toImmutableList());
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    }
  }

  /** Returns the key of the shapes of an op. */
  private static String shapes(String opcode) {
    return opcode + " shape";
  }

  /**
   * Returns the twin of a program.
   *
   * @param op the op whose rule refuses it
   * @param text the refused program
   * @param message why it is refused
   * @param arguments its arguments
   */
  Optional<Twin> of(String op, String text, String message, ImmutableList<Literal> arguments) {
    List<Refused> changed = new ArrayList<>();
    for (String edited : edits(text, message)) {
      Tried tried = tried(edited, arguments);
      if (tried.twin().isPresent()) {
        return tried.twin();
      }
      if (!tried.message().equals(message) && changed.size() < MAX_SECOND) {
        changed.add(new Refused(edited, tried.message()));
      }
    }
    return Stream.concat(
            changed.stream()
                .flatMap(each -> edits(each.text(), each.message()).stream())
                .limit(MAX_TRIED),
            nearest(op, text))
        .flatMap(edited -> tried(edited, arguments).twin().stream())
        .findFirst();
  }

  /** Returns the valid programs of an op or of the root's, the fewest other words first. */
  private Stream<String> nearest(String op, String text) {
    List<String> words = ProgramEdits.words(text);
    return Stream.of(op, ProgramEdits.opcode(text))
        .distinct()
        .flatMap(each -> valid.get(each).stream())
        .sorted(
            Comparator.comparingInt(each -> ProgramEdits.distance(words, ProgramEdits.words(each))))
        .map(each -> each.startsWith("HloModule") ? each : "HloModule m\n\n" + each);
  }

  private record Refused(String text, String message) {}

  /** Returns the edited texts, each also with an inferred shape of the result. */
  private Set<String> edits(String text, String message) {
    Set<String> edits = new LinkedHashSet<>();
    edits.add(withShape(text, ""));
    for (String each : ProgramEdits.of(text, message, attributes)) {
      edits.add(each);
      edits.add(withShape(each, ""));
    }
    attributes
        .get(shapes(ProgramEdits.opcode(text)))
        .forEach(shape -> edits.add(withShape(text, shape)));
    return edits;
  }

  /** Returns a program in which the root of ENTRY has a shape, or none. */
  private static String withShape(String text, String shape) {
    Matcher root = ROOT.matcher(text);
    return root.find(Math.max(0, text.indexOf("ENTRY")))
        ? text.substring(0, root.start("shape")) + shape + text.substring(root.end("shape"))
        : text;
  }

  private static String shape(String text) {
    Matcher root = ROOT.matcher(text);
    return root.find(Math.max(0, text.indexOf("ENTRY"))) ? root.group("shape") : "";
  }

  /**
   * Returns a refused program whose result has the shape of its twin's, as systems want one and may
   * refuse another; the same program if it would be refused for another reason.
   */
  static String typed(String text, Twin twin, ImmutableList<Literal> arguments, String message) {
    String typed =
        withShape(text, Parser.parse(twin.hlo()).entry().root().shape().withoutLayout() + " ");
    return tried(typed, arguments).message().equals(message) ? typed : text;
  }

  /** A text that was tried: its twin, or why it is refused. */
  private record Tried(Optional<Twin> twin, String message) {}

  private static Tried tried(String text, ImmutableList<Literal> arguments) {
    Optional<ImmutableList<Literal>> inputs = RowCases.arguments(text, arguments);
    if (inputs.isEmpty()) {
      return new Tried(Optional.empty(), "");
    }
    Optional<HloException> refusal = ConformanceRun.refusal(text, inputs.get(), LIMITS);
    return refusal.isEmpty()
        ? new Tried(Optional.of(new Twin(text, inputs.get())), "")
        : new Tried(Optional.empty(), ConformanceRun.message(refusal.get()));
  }
}
