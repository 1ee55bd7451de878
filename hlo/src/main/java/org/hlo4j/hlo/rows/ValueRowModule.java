package org.hlo4j.hlo.rows;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.text.Parser;

/**
 * The module of a {@link ValueRow}, with its arguments and what is expected of it.
 *
 * @param row the row
 * @param shape the shape before the opcode; empty if none is written
 * @param opcode the opcode
 * @param operands the text of each operand
 * @param attributes the text after the operands, with the comma
 * @param refused whether a message is expected rather than a value
 * @param expected the message, or the literal as text
 * @param ulps by how many representable values the result may differ; empty if its bits are given
 */
public record ValueRowModule(
    ValueRow row,
    String shape,
    String opcode,
    ImmutableList<String> operands,
    String attributes,
    boolean refused,
    String expected,
    Optional<Long> ulps) {
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

  /**
   * Parses a row.
   *
   * @param row the row
   * @return its module
   * @throws IllegalArgumentException if the row is not of the form
   */
  public static ValueRowModule of(ValueRow row) {
    Matcher parts = matched(ROW, row.text(), row);
    Matcher instruction = matched(INSTRUCTION, parts.group("instruction"), row);
    OperandList list = OperandList.of(instruction.group("rest"));
    boolean refused = parts.group("kind").equals("!!");
    String expected = parts.group("expected").strip();
    Matcher within = ULPS.matcher(expected);
    boolean isWithin = !refused && within.matches();
    return new ValueRowModule(
        row,
        instruction.group("shape"),
        instruction.group("opcode"),
        list.operands(),
        list.after(),
        refused,
        isWithin ? within.group("literal") : expected,
        isWithin ? Optional.of(Long.parseLong(within.group("ulps"))) : Optional.empty());
  }

  private static Matcher matched(Pattern pattern, String text, ValueRow row) {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(row + ": want opcode(operands) => literal, or !! message");
    }
    return matcher;
  }

  /**
   * Returns whether a message is the expected one: its first line or all of it, without a place.
   *
   * @param message the message of an exception
   * @return whether a refusal is expected, and this one
   */
  public boolean isRefusedBy(String message) {
    String told = PLACE.matcher(message).replaceFirst("");
    String firstLine = told.lines().findFirst().orElse("");
    return refused && (spaced(firstLine).equals(expected) || spaced(told).equals(expected));
  }

  private static String spaced(String text) {
    return text.replaceAll("\\s+", " ");
  }

  /**
   * Returns the expected result.
   *
   * @return the literal
   * @throws HloException if a refusal is expected, or the text is no literal
   */
  public Literal want() {
    HloException.require(!refused, "", "%s: want no value", row);
    return Parser.parseLiteral(expected);
  }

  private boolean isConstant() {
    return opcode.equals("constant");
  }

  /**
   * Returns the arguments.
   *
   * @return a literal for each parameter of the entry computation
   * @throws HloException if an operand is no literal
   */
  public ImmutableList<Literal> arguments() {
    return isConstant()
        ? ImmutableList.of()
        : operands.stream().map(ValueRowModule::literal).collect(toImmutableList());
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

  /**
   * Returns whether an operand is declared with a bound in place of a size.
   *
   * @return whether there is one
   */
  public boolean hasBounds() {
    return operands.stream().anyMatch(operand -> BOUNDED.matcher(operand).matches());
  }

  /**
   * Returns the module, in which the operands are parameters.
   *
   * @return HLO text
   * @throws HloException if an operand is no literal
   */
  public String text() {
    ImmutableList<Literal> arguments = arguments();
    StringBuilder text = new StringBuilder("HloModule row\n\n").append(row.computations());
    region(arguments).ifPresent(text::append);
    text.append("ENTRY entry {\n");
    for (int i = 0; i < arguments.size(); i++) {
      text.append("operand.").append(i).append(" = ").append(declaredShape(i, arguments.get(i)));
      text.append(" parameter(").append(i).append(")\n");
    }
    text.append("ROOT result = ").append(resultShape()).append(opcode).append('(');
    text.append(String.join(", ", names(arguments.size()))).append(')').append(attributes);
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
   * Returns the predefined computations of two scalars that are named, if the text does not define
   * them.
   */
  private Optional<String> region(ImmutableList<Literal> arguments) {
    Matcher region = REGION.matcher(attributes);
    StringBuilder text = new StringBuilder();
    while (region.find()) {
      String name = region.group("name");
      boolean known = FUNCTIONS.contains(name) || COMPARISONS.contains(name);
      String written = row.computations() + text;
      if (known && !arguments.isEmpty() && !written.contains(name + " {")) {
        text.append(scalar(name, arguments.get(0).elementType().toString()));
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
