package org.hlo4j.testing;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.text.Parser;

/**
 * A parsed row of {@link ConformanceRows}.
 *
 * @param row the row
 * @param shape the shape before the opcode; empty if none is written
 * @param opcode the opcode
 * @param operands the text of each operand
 * @param attributes the text after the operands, with the comma
 * @param refused whether a message is expected rather than a value
 * @param expected the literal or the message
 */
record RowText(
    ConformanceRows.Row row,
    String shape,
    String opcode,
    ImmutableList<String> operands,
    String attributes,
    boolean refused,
    String expected) {
  private static final Pattern ROW =
      Pattern.compile("(?<instruction>.*?)\\s*(?<kind>=>|!!)\\s+(?<expected>.*)");
  private static final Pattern INSTRUCTION =
      Pattern.compile("(?<shape>.*?)\\s*(?<opcode>[a-z][a-z0-9-]*)\\((?<rest>.*)");
  private static final Pattern REGION =
      Pattern.compile("(?:to_apply|select|scatter)=%?(?<name>[a-z]+)\\b");
  private static final Pattern BOUNDED =
      Pattern.compile("(?<declared>\\w+\\[[^\\]]*<=[^\\]]*\\])\\s+(?<literal>.*)");
  private static final Pattern PLACE = Pattern.compile("^\\d+:\\d+: ");
  private static final Pattern ULPS = Pattern.compile("(?<literal>.*),\\s*(?<ulps>\\d+) ulps?");
  private static final ImmutableSet<String> FUNCTIONS =
      ImmutableSet.of("add", "multiply", "maximum", "minimum", "and", "or", "xor", "subtract");
  private static final ImmutableSet<String> COMPARISONS =
      ImmutableSet.of("eq", "ne", "lt", "le", "gt", "ge");

  /** Parses a row. */
  static RowText of(ConformanceRows.Row row) {
    Matcher parts = matched(ROW, row.text(), row);
    Matcher instruction = matched(INSTRUCTION, parts.group("instruction"), row);
    String rest = instruction.group("rest");
    List<String> operands = new ArrayList<>();
    int behind = split(rest, operands, row);
    return new RowText(
        row,
        instruction.group("shape"),
        instruction.group("opcode"),
        ImmutableList.copyOf(operands),
        rest.substring(behind),
        parts.group("kind").equals("!!"),
        parts.group("expected").strip());
  }

  private static Matcher matched(Pattern pattern, String text, ConformanceRows.Row row) {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(row + ": want opcode(operands) => literal, or !! message");
    }
    return matcher;
  }

  /**
   * Splits a text at commas outside of brackets; returns the position after the closing bracket.
   */
  private static int split(String text, List<String> operands, ConformanceRows.Row row) {
    int depth = 0;
    int start = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean end = depth == 0 && (c == ',' || c == ')');
      if (end && !text.substring(start, i).isBlank()) {
        operands.add(text.substring(start, i).strip());
        start = i + 1;
      }
      if (end && c == ')') {
        return i + 1;
      }
      depth += "([{".indexOf(c) >= 0 ? 1 : ")]}".indexOf(c) >= 0 ? -1 : 0;
    }
    throw new IllegalArgumentException(row + ": want ) behind the operands");
  }

  // The execution of a row.

  /** Runs the row; returns a description of the difference, if there is one. */
  Optional<String> check(ConformanceRows.Runner runner) {
    Literal got;
    try {
      Literal[] arguments = arguments();
      got = runner.run(Parser.parse(moduleText(arguments)), arguments);
    } catch (HloException refusal) {
      return refusedAsExpected(String.valueOf(refusal.getMessage()))
          ? Optional.empty()
          : Optional.of("got the refusal " + refusal.getMessage());
    }
    return refused ? Optional.of("got " + got + ", want a refusal") : difference(got);
  }

  private boolean refusedAsExpected(String message) {
    String told = PLACE.matcher(message).replaceFirst("");
    String firstLine = told.lines().findFirst().orElse("");
    return refused && (spaced(firstLine).equals(expected) || spaced(told).equals(expected));
  }

  private static String spaced(String text) {
    return text.replaceAll("\\s+", " ");
  }

  private Optional<String> difference(Literal got) {
    Matcher within = ULPS.matcher(expected);
    if (!within.matches()) {
      Literal want = Parser.parseLiteral(expected);
      return got.equals(want) ? Optional.empty() : Optional.of("got " + got + ", want " + want);
    }
    try {
      long ulps = Long.parseLong(within.group("ulps"));
      LiteralSubject.assertThat(got).isWithinUlps(ulps, want());
      return Optional.empty();
    } catch (AssertionError wrong) {
      return Optional.of(String.valueOf(wrong.getMessage()));
    }
  }

  private Literal want() {
    Matcher within = ULPS.matcher(expected);
    return Parser.parseLiteral(within.matches() ? within.group("literal") : expected);
  }

  // The module of a row.

  private boolean isConstant() {
    return opcode.equals("constant");
  }

  private Literal[] arguments() {
    return isConstant()
        ? new Literal[0]
        : operands.stream().map(RowText::literal).toArray(Literal[]::new);
  }

  private static Literal literal(String operand) {
    Matcher bounded = BOUNDED.matcher(operand);
    return Parser.parseLiteral(bounded.matches() ? bounded.group("literal") : operand);
  }

  /** Returns the declared shape of a parameter: the literal's, or the shape written before it. */
  private String declaredShape(int operand, Literal literal) {
    Matcher bounded = BOUNDED.matcher(operands.get(operand));
    return bounded.matches() ? bounded.group("declared") : literal.shape().toString();
  }

  private boolean hasBounds() {
    return operands.stream().anyMatch(operand -> BOUNDED.matcher(operand).matches());
  }

  private String moduleText(Literal[] arguments) {
    StringBuilder text = new StringBuilder("HloModule row\n\n").append(row.computations());
    region(arguments).ifPresent(text::append);
    text.append("ENTRY entry {\n");
    for (int i = 0; i < arguments.length; i++) {
      text.append("operand.").append(i).append(" = ").append(declaredShape(i, arguments[i]));
      text.append(" parameter(").append(i).append(")\n");
    }
    text.append("ROOT result = ").append(resultShape()).append(opcode).append('(');
    text.append(String.join(", ", names(arguments.length))).append(')').append(attributes);
    return text.append("\n}\n").toString();
  }

  private ImmutableList<String> names(int count) {
    return isConstant()
        ? operands
        : IntStream.range(0, count).mapToObj(i -> "operand." + i).collect(toImmutableList());
  }

  private String resultShape() {
    boolean inferred = refused || hasBounds();
    String declared = !shape.isEmpty() || inferred ? shape : want().shape().toString();
    return declared.isEmpty() ? "" : declared + " ";
  }

  /**
   * Returns the predefined computation of two scalars that is named, if the text does not define
   * it.
   */
  private Optional<String> region(Literal[] arguments) {
    Matcher region = REGION.matcher(attributes);
    StringBuilder text = new StringBuilder();
    while (region.find()) {
      String name = region.group("name");
      boolean known = FUNCTIONS.contains(name) || COMPARISONS.contains(name);
      String written = row.computations() + text;
      if (known && arguments.length > 0 && !written.contains(name + " {")) {
        text.append(scalar(name, arguments[0].elementType().toString()));
      }
    }
    return text.isEmpty() ? Optional.empty() : Optional.of(text.toString());
  }

  private static String scalar(String name, String type) {
    String body =
        FUNCTIONS.contains(name)
            ? name + "(@.lhs, @.rhs)"
            : "compare(@.lhs, @.rhs), direction=" + name.toUpperCase(Locale.ROOT);
    return ("@ {\n@.lhs = #[] parameter(0)\n@.rhs = #[] parameter(1)\nROOT @.result = "
            + body
            + "\n}\n\n")
        .replace("@", name)
        .replace("#", type);
  }
}
