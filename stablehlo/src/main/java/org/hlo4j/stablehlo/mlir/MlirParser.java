package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.hlo.HloException;

/** Reads MLIR text. */
public final class MlirParser {
  private final String text;
  private final Dialects dialects;
  private final List<TextError> errors = new ArrayList<>();
  private final AliasTable aliases;

  private MlirParser(String text, Dialects dialects) {
    this.text = text;
    this.dialects = dialects;
    this.aliases = new AliasTable(new TextScanner(text, 0), this::attributesAt);
  }

  /** Aliases are read with a parser of their own, wherever they are used. */
  private AttributeParser attributesAt(TextScanner in) {
    AttributeParser parser = new AttributeParser(in, dialects, aliasesOf(this));
    parser.setOps(new OpParser(in, dialects, aliasesOf(this), errors, new LineNumbers(text)));
    return parser;
  }

  private static AliasTable aliasesOf(MlirParser parser) {
    return parser.aliases;
  }

  /**
   * Reads one module.
   *
   * @param text MLIR text: a module, or functions without one
   * @param dialects what is known of dialects
   * @return a {@code builtin.module}
   * @throws HloException of kind PARSE with line, column and caret; it tells all mistakes
   */
  public static Operation parse(String text, Dialects dialects) {
    return new MlirParser(text, dialects).module();
  }

  /**
   * Reads a text of several modules with lines that begin with {@code // -----} between them.
   *
   * @param text MLIR text
   * @param dialects what is known of dialects
   * @return the modules, those without any operation left out
   * @throws HloException as {@link #parse}; lines are those of the whole text
   */
  public static ImmutableList<Operation> parseAll(String text, Dialects dialects) {
    ImmutableList.Builder<Operation> modules = ImmutableList.builder();
    for (String segment : segments(text)) {
      if (!new TextScanner(segment, 0).atEnd()) {
        modules.add(parse(segment, dialects));
      }
    }
    return modules.build();
  }

  /**
   * Reads one attribute.
   *
   * @param text an attribute and nothing else, without aliases
   * @param dialects what is known of dialects
   * @return the attribute
   * @throws HloException if it is not one
   */
  public static Attribute attribute(String text, Dialects dialects) {
    return whole(text, dialects, AttributeParser::attribute);
  }

  /**
   * Reads types.
   *
   * @param text types with commas between them and nothing else, without aliases
   * @param dialects what is known of dialects
   * @return the types
   * @throws HloException if one is no type
   */
  public static ImmutableList<Type> types(String text, Dialects dialects) {
    return whole("(" + text + ")", dialects, parser -> parser.types().list());
  }

  private static <T> T whole(
      String text, Dialects dialects, Function<AttributeParser, T> production) {
    TextScanner in = new TextScanner(text, 0);
    try {
      T read = production.apply(new MlirParser(text, dialects).attributesAt(in));
      if (!in.atEnd()) {
        throw new TextError(in.at, "got more text, want its end");
      }
      return read;
    } catch (TextError error) {
      throw error.in(text);
    } catch (StackOverflowError tooDeep) {
      throw new HloException(HloException.Kind.LIMIT, "MLIR text is nested too deeply");
    }
  }

  /** The parts of a text, each with newlines in place of what comes before it. */
  private static List<String> segments(String text) {
    List<String> segments = new ArrayList<>();
    int start = 0;
    int line = 0;
    int lineOfStart = 0;
    for (int at = 0; at >= 0 && at < text.length(); ) {
      int newline = text.indexOf('\n', at);
      int next = newline < 0 ? text.length() : newline + 1;
      if (text.startsWith("// -----", at)) {
        segments.add("\n".repeat(lineOfStart) + text.substring(start, at));
        start = next;
        lineOfStart = line + 1;
      }
      line++;
      at = next;
    }
    segments.add("\n".repeat(lineOfStart) + text.substring(start));
    return segments;
  }

  private Operation module() {
    List<Operation> operations = new ArrayList<>();
    try {
      readAll(operations);
    } catch (OpParser.TooManyErrors stop) {
      // They are told below.
    } catch (StackOverflowError tooDeep) {
      throw new HloException(HloException.Kind.LIMIT, "MLIR text is nested too deeply");
    }
    if (!errors.isEmpty()) {
      throw inOne();
    }
    if (operations.size() == 1 && operations.get(0).name().equals("builtin.module")) {
      return operations.get(0);
    }
    return new Operation(
        "builtin.module",
        List.of(),
        List.of(),
        Attributes.NONE,
        List.of(Region.of(new Block(ImmutableList.of(), ImmutableList.copyOf(operations)))),
        Location.unknown(),
        operations.isEmpty() ? Place.NONE : operations.get(0).place());
  }

  private void readAll(List<Operation> operations) {
    TextScanner in = new TextScanner(text, 0);
    OpParser parser = new OpParser(in, dialects, aliases, errors, new LineNumbers(text));
    while (!in.atEnd()) {
      char c = in.peek();
      if (in.looksAt("{-#")) {
        int end = text.indexOf("#-}", in.at);
        if (end < 0) {
          errors.add(new TextError(in.at, "resources: want '#-}' at their end"));
          return;
        }
        in.at = end + 3;
      } else if (c == '#' || c == '!') {
        skipAlias(in, parser, c);
      } else {
        int before = in.at;
        Optional<Operation> operation = parser.operation();
        operation.ifPresent(operations::add);
        if (operation.isEmpty() && in.at <= before) {
          in.at = before + 1;
        }
      }
    }
  }

  /** Aliases are read when they are used; here they are only checked. */
  private void skipAlias(TextScanner in, OpParser parser, char kind) {
    try {
      in.at++;
      in.name();
      in.expect('=');
      if (kind == '!') {
        parser.type();
      } else if (in.looksAtWord("loc")) {
        parser.optionalLocation();
      } else {
        parser.attribute();
      }
    } catch (TextError error) {
      if (!error.isTold()) {
        errors.add(error);
      }
      int newline = text.indexOf('\n', in.at);
      in.at = newline < 0 ? text.length() : newline;
    }
  }

  /** The first mistake, the others as facts of it. */
  private HloException inOne() {
    HloException first = errors.get(0).in(text);
    for (TextError other : errors.subList(1, errors.size())) {
      first = first.with("error", String.valueOf(other.in(text).getMessage()));
    }
    return first;
  }
}
