package org.hlo4j.hlo.rows;

import static java.util.stream.Collectors.joining;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A module and the verdict of the parser or the verifier.
 *
 * <p>It is written as HLO text followed by {@code ok}, or by {@code !!} and the whole message. A
 * line {@code # opcode: the check} precedes it. The text is a module, or computations with an
 * ENTRY, or one instruction whose operands are shapes, which become parameters {@code p0}, {@code
 * p1}. All rows below a computation without a verdict may call it.
 *
 * @param check what is checked
 * @param text the module
 * @param written the text as it is written
 * @param shown the verdict as it is written, without {@code !!}
 */
public record VerdictRow(String check, String text, String written, String shown) {
  private static final Pattern INSTRUCTION =
      Pattern.compile("(?<head>[^\n]*? ?(?!b\\()[a-z][a-z0-9-]*\\()(?<rest>.*)", Pattern.DOTALL);
  private static final Pattern HEADING = Pattern.compile("(?m)^# (.*)\n?");
  private static final Pattern VERDICT = Pattern.compile("(?ms)^ *(!! .*|ok)\\z");
  private static final Pattern LABEL = Pattern.compile("\\[(?<op>[a-z_-]+) (?<rule>[A-Z]\\d+)\\]");

  /**
   * The label of a rule, such as {@code [dot_general C3]}.
   *
   * @param op the operation, as StableHLO names it
   * @param rule the rule: C and a number for a constraint of the StableHLO specification
   */
  public record Label(String op, String rule) {
    /**
     * Returns the section of the StableHLO specification.
     *
     * @return its address; empty if the rule is one of XLA that the specification does not have
     */
    public Optional<String> section() {
      return rule.startsWith("C")
          ? Optional.of("https://openxla.org/stablehlo/spec#" + op)
          : Optional.empty();
    }

    /** Returns the label as messages have it, without the brackets. */
    @Override
    public String toString() {
      return op + " " + rule;
    }
  }

  /**
   * Parses the rows of a text.
   *
   * @param text the rows
   * @return the rows, in order
   */
  public static ImmutableList<VerdictRow> parse(String text) {
    ImmutableList.Builder<VerdictRow> rows = ImmutableList.builder();
    StringBuilder shared = new StringBuilder();
    String check = "";
    for (String block : blocks(text)) {
      Matcher heading = HEADING.matcher(block);
      check = heading.find() ? heading.group(1) : check;
      String body = heading.replaceAll("");
      Matcher verdict = VERDICT.matcher(body);
      if (verdict.find()) {
        String written = body.substring(0, verdict.start()).strip();
        String shown = verdict.group(1).replaceFirst("^!! ", "").strip();
        rows.add(new VerdictRow(check, whole(shared.toString(), written), written, shown));
      } else {
        shared.append(body).append('\n');
      }
    }
    return rows.build();
  }

  private static Iterable<String> blocks(String text) {
    return Splitter.on("\n\n").trimResults().omitEmptyStrings().split(text);
  }

  /**
   * Returns the computations of a text that all rows may call.
   *
   * @param text the rows
   * @return HLO text
   */
  public static String shared(String text) {
    StringBuilder shared = new StringBuilder();
    for (String block : blocks(text)) {
      String body = HEADING.matcher(block).replaceAll("");
      if (!VERDICT.matcher(body).find()) {
        shared.append(body).append('\n');
      }
    }
    return shared.toString();
  }

  private static String whole(String shared, String text) {
    if (text.startsWith("HloModule")) {
      return text;
    }
    return text.contains("ENTRY") ? shared + text : shared + entry(text.strip());
  }

  /** Returns an entry computation that contains one instruction. */
  private static String entry(String instruction) {
    Matcher parts = INSTRUCTION.matcher(instruction);
    if (!parts.matches()) {
      throw new IllegalArgumentException(instruction);
    }
    OperandList list = OperandList.of(parts.group("rest"));
    ImmutableList<String> shapes = list.operands();
    String parameters =
        IntStream.range(0, shapes.size())
            .mapToObj(i -> "p" + i + " = " + shapes.get(i) + " parameter(" + i + ")\n")
            .collect(joining());
    String names = IntStream.range(0, shapes.size()).mapToObj(i -> "p" + i).collect(joining(", "));
    return "ENTRY e {\n"
        + parameters
        + "ROOT r = "
        + parts.group("head")
        + names
        + ")"
        + list.after()
        + "\n}\n";
  }

  /**
   * Returns whether the module is refused.
   *
   * @return whether the verdict is a message
   */
  public boolean isRefused() {
    return !shown.equals("ok");
  }

  /**
   * Returns the verdict on one line.
   *
   * @return {@code ok}, or {@code !!} and the message
   */
  public String message() {
    return isRefused() ? spaced("!! " + shown) : shown;
  }

  /**
   * Returns a text with single blanks in place of all white space.
   *
   * @param text the text
   * @return the text on one line
   */
  public static String spaced(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }

  /**
   * Returns the label of the rule.
   *
   * @return the label; empty if the message has none
   */
  public Optional<Label> label() {
    Matcher label = LABEL.matcher(message());
    return label.find()
        ? Optional.of(new Label(label.group("op"), label.group("rule")))
        : Optional.empty();
  }
}
