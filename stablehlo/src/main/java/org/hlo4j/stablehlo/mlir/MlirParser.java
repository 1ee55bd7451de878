package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.source.ParseException;
import org.hlo4j.hlo.source.ReadLimits;
import org.hlo4j.hlo.source.SourceText;

/** A parser of MLIR text. */
public final class MlirParser {
  private static final String SEPARATOR = "// -----";

  private final ParseContext context;
  private final OpParser in;

  private MlirParser(String text, SourceText source, Dialects dialects, int start, int end) {
    this.context = new ParseContext(text, source, dialects, start, end);
    this.in = new OpParser(context, start, end);
  }

  /**
   * Reads one module.
   *
   * @param text MLIR text: a module, or functions without one
   * @param dialects the known dialects
   * @return a {@code builtin.module}
   * @throws HloException of kind PARSE with line, column and caret; it lists all errors
   */
  public static Operation parse(String text, Dialects dialects) {
    MlirParser whole = new MlirParser(text, new SourceText(text), dialects, 0, text.length());
    return whole.read();
  }

  private Operation read() {
    Operation module = guarded(this::module);
    if (context.errors.isEmpty()) {
      return module;
    }
    throw context.errors.inOne(context.source);
  }

  /**
   * Reads a text of several modules, which are separated by lines that begin with {@code // -----}.
   *
   * @param text MLIR text
   * @param dialects the known dialects
   * @return the modules; those without any operation are left out
   * @throws HloException as {@link #parse}; line numbers refer to the whole text
   */
  public static ImmutableList<Operation> parseAll(String text, Dialects dialects) {
    SourceText source = new SourceText(text);
    ImmutableList.Builder<Operation> modules = ImmutableList.builder();
    int start = 0;
    while (start <= text.length()) {
      int end = endOfPart(text, start);
      MlirParser part = new MlirParser(text, source, dialects, start, end);
      if (!part.in.atEnd()) {
        modules.add(part.read());
      }
      start = end == text.length() ? end + 1 : end + SEPARATOR.length();
    }
    return modules.build();
  }

  /** Returns the position of the next line that separates modules. */
  private static int endOfPart(String text, int start) {
    int at = text.indexOf(SEPARATOR, start);
    while (at > 0 && text.charAt(at - 1) != '\n') {
      at = text.indexOf(SEPARATOR, at + 1);
    }
    return at < 0 ? text.length() : at;
  }

  /**
   * Reads one attribute.
   *
   * @param text an attribute and nothing else, without aliases
   * @param dialects the known dialects
   * @return the attribute
   * @throws HloException if it is not one
   */
  public static Attribute attribute(String text, Dialects dialects) {
    return whole(text, dialects, OpParser::attribute);
  }

  /**
   * Reads one type.
   *
   * @param text a type and nothing else, without aliases
   * @param dialects the known dialects
   * @return the type
   * @throws HloException if it is not one
   */
  public static Type type(String text, Dialects dialects) {
    return whole(text, dialects, OpParser::type);
  }

  /**
   * Reads types.
   *
   * @param text types separated by commas and nothing else, without aliases
   * @param dialects the known dialects
   * @return the types
   * @throws HloException if one is not a type
   */
  public static ImmutableList<Type> types(String text, Dialects dialects) {
    return whole("(" + text + ")", dialects, parser -> parser.types.list());
  }

  private static <T> T whole(String text, Dialects dialects, Function<OpParser, T> production) {
    MlirParser whole = new MlirParser(text, new SourceText(text), dialects, 0, text.length());
    return whole.guarded(() -> {
      T read = production.apply(whole.in);
      if (!whole.in.atEnd()) {
        throw whole.in.wrong("the end of the text");
      }
      return read;
    });
  }

  private <T> T guarded(Supplier<T> production) {
    try {
      return ReadLimits.guarded("MLIR text", production);
    } catch (ParseException error) {
      context.errors.keep(error);
      throw context.errors.inOne(context.source);
    }
  }

  private Operation module() {
    context.aliases.readAll();
    context.resources.readAll();
    in.eat("\uFEFF"); // a byte order mark has no meaning in UTF-8
    ImmutableList<Operation> operations = topLevel();
    if (operations.size() == 1 && operations.get(0).name().equals("builtin.module")) {
      return withBlock(operations.get(0));
    }
    return new Operation(
        "builtin.module",
        List.of(),
        List.of(),
        Attributes.NONE,
        List.of(Region.of(new Block(ImmutableList.of(), operations))),
        Location.unknown(),
        operations.isEmpty() ? Place.NONE : operations.get(0).place());
  }

  /** Adds an empty block to a module without one, which the generic form permits. */
  private static Operation withBlock(Operation module) {
    return module.regions().stream().anyMatch(region -> !region.isEmpty())
        ? module
        : module.withRegions(List.of(Region.of(new Block(ImmutableList.of(), ImmutableList.of()))));
  }

  private ImmutableList<Operation> topLevel() {
    ImmutableList.Builder<Operation> operations = ImmutableList.builder();
    while (!in.atEnd()) {
      char c = in.peek();
      if (c == '#' || c == '!') {
        skipAlias();
      } else if (in.looksAt(Resources.BEGIN)) {
        Resources.skip(in);
      } else {
        int start = in.at;
        in.regions.operation().ifPresent(operations::add);
        in.at = Math.max(in.at, start + 1);
      }
    }
    return operations.build();
  }

  /** Skips the definition of an alias; aliases have already been read. */
  private void skipAlias() {
    int start = in.at;
    in.at++;
    String name = in.text.charAt(start) + in.name();
    int end = context.aliases.endOfDefinition(name, start);
    if (end < 0) {
      throw in.wrongAt(
          start, "got %s here, want the definition of an alias on a line of its own", name);
    }
    in.at = end;
  }
}
