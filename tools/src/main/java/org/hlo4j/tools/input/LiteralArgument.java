package org.hlo4j.tools.input;

import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.require;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;

/**
 * A parser of literals on the command line: {@code f32[2] {1, 2}}, {@code float32[2]{1, 2}}, or
 * without the shape if it is known: {@code {1, 2}}, {@code [1, 2]}, {@code 7}, {@code true}.
 */
public final class LiteralArgument {
  private static final Pattern SCALAR =
      Pattern.compile("[-+]?(?:[0-9.][0-9.eE+-]*|inf|nan)|true|false", Pattern.CASE_INSENSITIVE);

  /** The shape of an array, or of a tuple. */
  private static final Pattern SHAPE =
      Pattern.compile("[\\s(]*+[a-z]\\w*+\\s*+\\[.*", Pattern.DOTALL);

  /**
   * A shape directly followed by a single pair of braces, which HLO's parser would read as a
   * layout.
   */
  private static final Pattern CLOSE_BRACE =
      Pattern.compile("\\s*(\\w+\\[[^\\]]*])(\\{[^{}]*})\\s*");

  private LiteralArgument() {}

  /** Returns whether a text is a literal rather than the name of a file. */
  public static boolean isLiteral(String text) {
    String stripped = text.strip();
    return SCALAR.matcher(stripped).matches()
        || stripped.startsWith("{")
        || stripped.startsWith("(")
        || (stripped.contains("[") && stripped.contains("]"));
  }

  /**
   * Parses a literal.
   *
   * @param wanted the shape of a text without a shape
   */
  static Literal parse(String text, Shape wanted) {
    require(!text.isBlank(), PARSE, "got nothing, want %s", wanted.withoutLayout());
    String given = text.strip();
    String literal = withShape(given, wanted);
    try {
      return Parser.parseLiteral(literal);
    } catch (HloException refusal) {
      throw inGiven(refusal, Math.max(0, literal.length() - given.length()));
    }
  }

  /** Counts the column of a refusal from the start of what the user gave, without our shape. */
  private static HloException inGiven(HloException refusal, int added) {
    return refusal
        .position()
        .filter(place -> added > 0 && place.line() == 1 && place.column() > added)
        .map(place ->
            new HloException(
                PARSE,
                "1:"
                    + (place.column() - added)
                    + refusal.summary().substring(place.toString().length())))
        .orElse(refusal);
  }

  /** Returns whether an array has a dimension whose size is not known. */
  static boolean hasDynamicDimension(Shape shape) {
    return shape instanceof Shape.Array array && array.sizes().contains(Shape.UNBOUNDED);
  }

  private static String withShape(String text, Shape wanted) {
    if (SHAPE.matcher(text).matches()) {
      Matcher close = CLOSE_BRACE.matcher(ElementTypeNames.inHlo(text));
      return close.matches() ? close.group(1) + " " + close.group(2) : ElementTypeNames.inHlo(text);
    }
    String value = text.startsWith("[") ? text.replace('[', '{').replace(']', '}') : text;
    boolean isScalar = SCALAR.matcher(text).matches();
    boolean isArrayWanted = wanted instanceof Shape.Array array && array.rank() > 0;
    require(!isScalar || !isArrayWanted, PARSE, "got one number, want %s", wanted.withoutLayout());
    boolean isBare = isScalar || "{([".indexOf(text.charAt(0)) >= 0;
    require(
        !isBare || !hasDynamicDimension(wanted),
        PARSE,
        "got no sizes for %s, want them before the elements: f32[3] {1, 2, 3}",
        wanted.withoutLayout());
    return isBare ? wanted.withoutLayout() + " " + value.toLowerCase(Locale.ROOT) : text;
  }
}
