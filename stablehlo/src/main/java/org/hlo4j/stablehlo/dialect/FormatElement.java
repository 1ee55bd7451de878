package org.hlo4j.stablehlo.dialect;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.hlo4j.stablehlo.dialect.AssemblyFormat.Printing;
import org.hlo4j.stablehlo.dialect.AssemblyFormat.Reading;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.OpState;
import org.hlo4j.stablehlo.mlir.Region;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;
import org.hlo4j.stablehlo.mlir.Value;

/** An element of the custom form of an op, which is read and printed. */
sealed interface FormatElement {
  /** The types that rows name. */
  ImmutableMap<String, Type> TYPES =
      ImmutableMap.of(
          "i1", Types.I1,
          "index", Type.Simple.INDEX,
          "shape", new Type.Dialect("shape", "shape", ""),
          "size", new Type.Dialect("shape", "size", ""),
          "witness", new Type.Dialect("shape", "witness", ""));

  void parse(Reading in);

  void print(Printing out);

  /** Returns whether this element comes next, if it may be missing. */
  default boolean isNext(OpParser parser) {
    return true;
  }

  /** Returns the attributes that this element has. */
  default ImmutableList<String> attributes() {
    return ImmutableList.of();
  }

  /** Returns whether this element is a region of the op. */
  default boolean isRegion() {
    return false;
  }

  /** Adds results whose types the text does not have. */
  default void addResults(OpState state) {}

  /** Reads elements up to the end of a row or of a group. */
  static ImmutableList<FormatElement> parseAll(Iterator<String> words, OpDefinition op) {
    ImmutableList.Builder<FormatElement> elements = ImmutableList.builder();
    while (words.hasNext()) {
      String word = words.next();
      if (word.equals("]")) {
        break;
      }
      elements.add(word.equals("[") ? new Group(parseAll(words, op)) : parse(word, op));
    }
    return elements.build();
  }

  private static FormatElement parse(String word, OpDefinition op) {
    int open = word.indexOf('(');
    int equals = word.indexOf('=');
    if (word.startsWith("'")) {
      return new Literal(word.substring(1), "");
    }
    if (word.startsWith("$")) {
      String name = word.substring(1);
      return given(AttributeText.of(op.attribute(name)), ImmutableList.of(name));
    }
    if (word.startsWith("@")) {
      String name = word.substring(1);
      return new Given(ImmutableList.of(name), ImmutableList.of("@"), AttributeText.symbol(name));
    }
    if (word.startsWith("->") && word.length() > 2) {
      return new Result(type(word.substring(2)));
    }
    if (open > 0) {
      return call(
          word.substring(0, open),
          Splitter.on(',')
              .splitToStream(word.substring(open + 1, word.length() - 1))
              .collect(ImmutableList.toImmutableList()),
          op);
    }
    if (equals > 0 && equals < word.length() - 1) {
      return Keyword.parse(word, op);
    }
    return switch (word) {
      case "operands" -> new Operands();
      case "operand" -> new Operand(Optional.empty());
      case "{}", "attributes" -> new Braces(word);
      case "regions" -> new Regions();
      case "region", "isolated", "body" -> new OneRegion(word);
      case "results" -> new Results();
      default ->
          Character.isLetter(word.charAt(0)) && (word.endsWith("=") || word.endsWith("<"))
              ? new Literal(word.substring(0, word.length() - 1), word.substring(word.length() - 1))
              : new Literal(word, "");
    };
  }

  private static Type type(String name) {
    return requireNonNull(TYPES.get(name), name);
  }

  /** Reads {@code name(argument,...)}. */
  private static FormatElement call(String name, ImmutableList<String> given, OpDefinition op) {
    ImmutableList<String> rest = given.subList(1, given.size());
    ImmutableList<String> first = given.subList(0, 1);
    return switch (name) {
      case "operand" -> new Operand(Optional.of(type(given.get(0))));
      case "word" -> new Given(first, rest, AttributeText.word(given.get(0), rest));
      case "unit" -> new Given(first, rest, AttributeText.unit(given.get(0), given.get(1)));
      case "number" -> given(AttributeText.number(op.attribute(given.get(0)), rest), first);
      case "verbatim" ->
          given(AttributeText.verbatim(given.get(0), given.get(1), given.get(2)), first);
      case "ranges" -> given(AttributeText.ranges(given.get(0), given.get(1), given.get(2)), given);
      case "bits" -> given(AttributeText.floatFormat(given.get(0), given.get(1)), given);
      case "unordered" -> new Unordered("", keywords(given, op));
      case "braced" -> new Unordered("{", keywords(given, op));
      default -> throw new IllegalArgumentException("no element " + name + " of " + op.name());
    };
  }

  private static Given given(AttributeText text, ImmutableList<String> attributes) {
    return new Given(attributes, ImmutableList.of(), text);
  }

  private static ImmutableList<Keyword> keywords(List<String> words, OpDefinition op) {
    return words.stream()
        .map(word -> Keyword.parse(word, op))
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * A word or punctuation.
   *
   * @param tail {@code =} if that follows at once; {@code <} if brackets do
   */
  record Literal(String text, String tail) implements FormatElement {
    @Override
    public boolean isNext(OpParser parser) {
      return Character.isLetter(text.charAt(0)) ? parser.looksAtWord(text) : parser.looksAt(text);
    }

    @Override
    public void parse(Reading in) {
      in.parser.expect(text);
      if (tail.equals("=")) {
        in.parser.expect(tail);
      }
    }

    @Override
    public void print(Printing out) {
      out.isJoined |= ",()[]<>".contains(text);
      out.element(text + (tail.equals("=") ? tail : ""));
      out.isJoined = !tail.isEmpty() || "([<".contains(text);
    }
  }

  /**
   * Attributes without a keyword.
   *
   * @param first what they may begin with; if empty, with anything but an operand
   */
  record Given(ImmutableList<String> attributes, ImmutableList<String> first, AttributeText text)
      implements FormatElement {
    @Override
    public boolean isNext(OpParser parser) {
      return first.isEmpty()
          ? !parser.looksAtUse()
          : first.stream().anyMatch(each -> new Literal(each, "").isNext(parser));
    }

    @Override
    public void parse(Reading in) {
      text.reader().accept(in.parser, in.state.attributes());
    }

    @Override
    public void print(Printing out) {
      Optional<String> printed = text.printer().apply(out.op.attributes());
      out.isWhole &= printed.isPresent();
      printed.ifPresent(out::element);
    }
  }

  /** Elements that may be missing, as their attribute is. */
  record Group(ImmutableList<FormatElement> elements) implements FormatElement {
    @Override
    public ImmutableList<String> attributes() {
      return elements.stream()
          .flatMap(each -> each.attributes().stream())
          .collect(ImmutableList.toImmutableList());
    }

    @Override
    public void parse(Reading in) {
      if (elements.get(0).isNext(in.parser)) {
        elements.forEach(element -> element.parse(in));
      }
    }

    @Override
    public void print(Printing out) {
      if (out.op.attributes().has(attributes().get(0))) {
        elements.forEach(element -> element.print(out));
      }
    }
  }

  /** An attribute behind its keyword: {@code dims = [0]}. */
  record Keyword(String word, String attribute, boolean isOptional, AttributeText text)
      implements FormatElement {
    /** Reads {@code word=attribute?} or {@code word=attribute.kind?}, which is of dimensions. */
    static Keyword parse(String text, OpDefinition op) {
      List<String> parts = Splitter.on('=').splitToList(text);
      boolean isOptional = text.endsWith("?");
      List<String> path = Splitter.on('.').splitToList(parts.get(1).replace("?", ""));
      AttributeDefinition row = op.attribute(path.get(0));
      return new Keyword(
          parts.get(0),
          row.name(),
          isOptional,
          path.size() == 1
              ? AttributeText.of(row)
              : AttributeText.dimensions(row, path.get(1), isOptional));
    }

    @Override
    public ImmutableList<String> attributes() {
      return ImmutableList.of(attribute);
    }

    @Override
    public void parse(Reading in) {
      int before = in.parser.position();
      boolean isHere = (!in.hasComma || in.parser.eat(",")) && in.parser.eatWord(word);
      if (!isHere) {
        in.parser.goTo(before);
        if (isOptional || in.parser.looksAt("{") || in.parser.looksAt(":")) {
          return; // it is in the braces
        }
        throw in.parser.wrong("'" + word + " = ...'");
      }
      value(in);
      in.hasComma = true;
    }

    private void value(Reading in) {
      in.parser.expect("=");
      text.reader().accept(in.parser, in.state.attributes());
    }

    /** Returns the text, or empty if the attribute is missing or has its default. */
    private Optional<String> text(Attributes attributes) {
      return text.printer().apply(attributes).map(value -> word + " = " + value);
    }

    @Override
    public void print(Printing out) {
      text(out.op.attributes())
          .ifPresent(text -> {
            out.isJoined = out.hasComma;
            out.element((out.hasComma ? ", " : "") + text);
            out.hasComma = true;
          });
    }
  }

  /**
   * Attributes behind their keywords in any order.
   *
   * @param open the bracket that they are in; without one a comma stands before each
   */
  record Unordered(String open, ImmutableList<Keyword> keywords) implements FormatElement {
    @Override
    public ImmutableList<String> attributes() {
      return keywords.stream().map(Keyword::attribute).collect(ImmutableList.toImmutableList());
    }

    @Override
    public void parse(Reading in) {
      OpParser parser = in.parser;
      Set<Keyword> seen = new HashSet<>();
      if (open.isEmpty()) {
        while (parser.eat(",")) {
          parseOne(in, seen);
        }
        return;
      }
      parser.expect(open);
      while (!parser.eat("}")) { // a comma may follow the last one
        parseOne(in, seen);
        if (!parser.looksAt("}")) {
          parser.expect(",");
        }
      }
    }

    private void parseOne(Reading in, Set<Keyword> seen) {
      int position = in.parser.position();
      String word = in.parser.word();
      Keyword keyword =
          keywords.stream()
              .filter(each -> each.word.equals(word))
              .findAny()
              .orElseThrow(
                  () -> in.parser.wrongAt(position, "got '%s', want %s", word, alternatives()));
      keyword.value(in);
      if (!seen.add(keyword)) {
        throw in.parser.wrongAt(position, "got '%s' twice, want it once", word);
      }
    }

    private String alternatives() {
      List<String> words = keywords.stream().map(Keyword::word).toList();
      int last = words.size() - 1;
      return String.join(", ", words.subList(0, last)) + " or " + words.get(last);
    }

    @Override
    public void print(Printing out) {
      String text =
          keywords.stream()
              .flatMap(keyword -> keyword.text(out.op.attributes()).stream())
              .collect(Collectors.joining(", "));
      out.isJoined = open.isEmpty();
      out.element(open.isEmpty() ? ", " + text : open + text + "}");
    }
  }

  /** All operands that are left. */
  record Operands() implements FormatElement {
    @Override
    public void parse(Reading in) {
      in.uses.addAll(in.parser.uses());
      in.hasComma = !in.uses.isEmpty();
    }

    @Override
    public void print(Printing out) {
      List<Value> operands = out.op.operands();
      if (out.operands < operands.size()) {
        out.element("").operands(operands.subList(out.operands, operands.size()));
      }
      out.operands = operands.size();
      out.hasComma = !operands.isEmpty();
    }
  }

  /** One operand, whose type may be given. */
  record Operand(Optional<Type> type) implements FormatElement {
    @Override
    public void parse(Reading in) {
      OpParser.Use use = in.parser.use();
      type.ifPresentOrElse(
          known -> in.state.operands().add(in.parser.resolve(use, known)), () -> in.uses.add(use));
      in.hasComma = true;
    }

    @Override
    public void print(Printing out) {
      out.isWhole =
          out.operands < out.op.operands().size()
              && type.map(out.op.operandTypes().get(out.operands)::equals).orElse(true);
      if (out.isWhole) {
        out.element("").value(out.op.operand(out.operands++));
        out.hasComma = true;
      }
    }
  }

  /** The type of the result, which the text does not have. */
  record Result(Type type) implements FormatElement {
    @Override
    public void parse(Reading in) {}

    @Override
    public void addResults(OpState state) {
      state.resultTypes().add(type);
    }

    @Override
    public void print(Printing out) {
      out.isWhole = out.op.resultTypes().equals(ImmutableList.of(type));
    }
  }

  /** The types of the results behind an arrow, if there are any. */
  record Results() implements FormatElement {
    @Override
    public void parse(Reading in) {
      if (in.parser.eat("->")) {
        in.state.resultTypes().addAll(in.parser.types());
      }
    }

    @Override
    public void print(Printing out) {
      if (!out.op.results().isEmpty()) {
        Type function = new Type.Function(ImmutableList.of(), out.op.resultTypes());
        out.element(function.toString().substring("() ".length()));
      }
    }
  }

  /** All other attributes in braces, maybe behind the word {@code attributes}. */
  record Braces(String word) implements FormatElement {
    @Override
    public void parse(Reading in) {
      if (word.equals("{}") || in.parser.eatWord(word)) {
        in.parser.optionalAttributes(in.state.attributes());
      }
    }

    @Override
    public void print(Printing out) {
      Attributes others = out.op.attributes().without(out.attributes);
      out.printer.text(word.equals("{}") || others.entries().isEmpty() ? "" : " " + word);
      out.printer.attributes(others);
    }
  }

  /** Any number of regions in parentheses, which older texts have. */
  record Regions() implements FormatElement {
    @Override
    public void parse(Reading in) {
      if (in.parser.looksAt("(")) {
        in.parser.list(
            "()", () -> in.state.regions().add(in.parser.region(ImmutableList.of(), false)));
      }
    }

    @Override
    public void print(Printing out) {}
  }

  /**
   * A region.
   *
   * @param kind {@code isolated} if it captures no values, {@code body} if its arguments stand
   *     before it
   */
  record OneRegion(String kind) implements FormatElement {
    @Override
    public boolean isRegion() {
      return true;
    }

    @Override
    public void parse(Reading in) {
      List<Value> arguments = new ArrayList<>();
      if (kind.equals("body")) {
        in.parser.list("()", () -> arguments.add(in.parser.argument(true)));
      }
      in.state.regions().add(in.parser.region(arguments, kind.equals("isolated")));
    }

    @Override
    public void print(Printing out) {
      Region region = out.op.region(0);
      switch (kind) {
        case "region" -> out.element("").region(region);
        case "isolated" -> out.element("").enterIsolated().body(region).leave();
        default -> {
          out.isWhole = region.blocks().size() == 1;
          if (out.isWhole) {
            body(out, region);
          }
        }
      }
    }

    private static void body(Printing out, Region region) {
      out.element("(").enter();
      String comma = "";
      for (Value argument : region.block().arguments()) {
        out.printer.text(comma).argument(argument);
        comma = ", ";
      }
      out.printer.text(") ").body(region).leave();
    }
  }
}
