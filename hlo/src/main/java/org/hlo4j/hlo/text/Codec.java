package org.hlo4j.hlo.text;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Aliasing;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.hlo.schema.OpAttribute;
import org.hlo4j.hlo.source.Nearest;
import org.hlo4j.hlo.source.ParseException;

/**
 * The HLO text of values of one type, with its printer and parser. A new record component type
 * needs a new case in {@link #of}.
 *
 * @param print the text of a value
 * @param parse parses a text that contains only a value
 * @param whenAbsent the value of an attribute that is absent
 * @param isDefault whether a value is equivalent to an absent attribute
 */
record Codec<T>(
    Function<T, String> print,
    Function<Lexer, T> parse,
    Optional<T> whenAbsent,
    Predicate<T> isDefault) {
  private static final ImmutableSet<Class<?>> EXACT =
      ImmutableSet.of(
          Compare.Direction.class, Compare.Type.class, Fft.FftType.class, Fusion.Kind.class);

  /** Names that are equivalent to another constant. */
  private static final ImmutableMap<String, String> ALIASES =
      ImmutableMap.of("API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL");

  private static final Codec<Dims> DIMS = of(Codec::printDims, Codec::parseDims, Dims.of());
  private static final Codec<Boolean> BOOLEAN = of(Object::toString, Codec::parseBoolean, false);
  private static final Codec<Integer> INTEGER =
      of(Object::toString, text -> text.smallInteger("an integer"), 0);

  /** Attributes of this type that may be absent are counts, whose default is 1. */
  private static final Codec<Long> LONG =
      of(Object::toString, text -> text.integer("an integer"), 1L);

  private static final Codec<Float> FLOAT = of(Codec::printFloat, Codec::parseFloat, 0f);
  private static final Codec<String> STRING =
      of(AttributeText::quoted, text -> text.string("a string in quotes"), "");

  private static final ImmutableMap<Type, Codec<?>> PLAIN =
      ImmutableMap.<Type, Codec<?>>builder()
          .put(Dims.class, DIMS)
          .put(boolean.class, BOOLEAN)
          .put(int.class, INTEGER)
          .put(Integer.class, INTEGER)
          .put(long.class, LONG)
          .put(Long.class, LONG)
          .put(float.class, FLOAT)
          .put(String.class, STRING)
          .put(Shape.class, of(Codec::printShape, StructureParser::shape))
          .put(Literal.class, of(Codec::printLiteral, StructureParser::literal))
          .put(Window.class, of(Window::toString, StructureParser::window, Window.of()))
          .put(
              ReplicaGroups.class,
              of(ReplicaGroups::toString, MeshParser::replicaGroups, ReplicaGroups.all()))
          .put(
              ConvolutionDimensionNumbers.class,
              of(ConvolutionDimensionNumbers::toString, StructureParser::dimLabels))
          .put(SliceRanges.class, of(SliceRanges::toString, StructureParser::sliceRanges))
          .put(PadConfig.class, of(PadConfig::toString, StructureParser::padConfig))
          .put(Aliasing.class, of(Aliasing::toString, StructureParser::aliasing))
          .put(Domain.Border.class, of(Domain.Border::toString, StructureParser::border))
          .buildOrThrow();

  private static <T> Codec<T> of(
      Function<T, String> print, Function<Lexer, T> parse, T whenAbsent) {
    return new Codec<>(print, parse, Optional.of(whenAbsent), whenAbsent::equals);
  }

  /** Returns a codec of values that are always written. */
  private static <T> Codec<T> of(Function<T, String> print, Function<Lexer, T> parse) {
    return new Codec<>(print, parse, Optional.empty(), value -> false);
  }

  private static final ConcurrentMap<Type, Codec<?>> KNOWN = new ConcurrentHashMap<>();

  /**
   * Returns the codec of an attribute.
   *
   * @throws AssertionError if there is none: an op with a new type of attribute needs a case here
   */
  @SuppressWarnings("unchecked") // an attribute's values are of its type
  static Codec<Object> of(OpAttribute attribute) {
    Codec<?> known = KNOWN.get(attribute.type());
    if (known == null) {
      known = of(attribute.type());
      KNOWN.put(attribute.type(), known);
    }
    return (Codec<Object>) known;
  }

  /**
   * Returns the codec of a record component type.
   *
   * @throws AssertionError if there is none: an op with a new type of attribute needs a case here
   */
  private static Codec<?> of(Type type) {
    return switch (type) {
      case Class<?> enumeration when enumeration.isEnum() -> ofEnum(enumeration);
      case ParameterizedType generic when generic.getRawType() == Optional.class ->
          ofOptional(of(generic.getActualTypeArguments()[0]));
      case ParameterizedType generic when generic.getRawType() == ImmutableList.class ->
          ofList(generic.getActualTypeArguments()[0]);
      default ->
          Optional.<Codec<?>>ofNullable(PLAIN.get(type))
              .orElseThrow(() -> new AssertionError("no text form known for " + type));
    };
  }

  private static String printShape(Shape shape) {
    return shape.withDefaultLayout().toString();
  }

  /** Prints a literal with its shape, and a tuple with the shapes of its elements. */
  private static String printLiteral(Literal literal) {
    if (!(literal.shape() instanceof Shape.Tuple tuple)) {
      return printShape(literal.shape()) + " " + literal.toHloText();
    }
    return IntStream.range(0, tuple.elements().size())
        .mapToObj(i -> printLiteral(literal.element(i)))
        .collect(Collectors.joining(", ", "( ", " )"));
  }

  private static String printDims(Dims dims) {
    return Arrays.stream(dims.toArray())
        .mapToObj(Long::toString)
        .collect(Collectors.joining(",", "{", "}"));
  }

  static Dims parseDims(Lexer text) {
    return Dims.copyOf(parseList(text, part -> part.integer("an integer")));
  }

  private static boolean parseBoolean(Lexer text) {
    boolean value = text.acceptWord("true") || text.accept("1");
    if (!value && !text.acceptWord("false") && !text.accept("0")) {
      throw text.wanted("true or false");
    }
    return value;
  }

  private static String printFloat(float value) {
    return Literal.of(value).toHloText();
  }

  private static float parseFloat(Lexer text) {
    Literal value = new LiteralParser(text).literal(Shape.of(ElementType.F32));
    return (float) value.doubleAt(0);
  }

  /** Parses a list in braces, separated by commas or blanks. */
  static <T> ImmutableList<T> parseList(Lexer text, Function<Lexer, T> element) {
    return parseList(text, "{", "}", element);
  }

  /** Parses a list in other brackets, separated by commas or blanks. */
  static <T> ImmutableList<T> parseList(
      Lexer text, String open, String close, Function<Lexer, T> element) {
    ImmutableList.Builder<T> values = ImmutableList.builder();
    text.expect(open, open);
    while (!text.accept(close)) {
      values.add(element.apply(text));
      if (!text.accept(",") && text.peek() != close.charAt(0)) {
        throw text.wanted(", or " + close);
      }
    }
    return values.build();
  }

  private static Codec<?> ofList(Type element) {
    if (element == Shape.class) {
      return ofList(
          of(Codec::printShape, text -> new ShapeParser(text).shape().withDefaultLayout()), ", ");
    }
    return ofList(of(element), element == Aliasing.class ? ", " : ",");
  }

  private static <T> Codec<ImmutableList<T>> ofList(Codec<T> element, String separator) {
    return new Codec<>(
        list -> list.stream().map(element.print).collect(Collectors.joining(separator, "{", "}")),
        text -> parseList(text, element.parse),
        Optional.of(ImmutableList.of()),
        list -> list.stream().allMatch(element.isDefault));
  }

  private static <T> Codec<Optional<T>> ofOptional(Codec<T> value) {
    return new Codec<>(
        maybe -> maybe.map(value.print).orElse(""),
        text -> Optional.of(value.parse.apply(text)),
        Optional.of(Optional.empty()),
        Optional::isEmpty);
  }

  /**
   * Returns the codec of an enumeration, by {@code toString} of its constants; the first is the
   * default.
   */
  private static Codec<Object> ofEnum(Class<?> type) {
    ImmutableList<Object> constants = ImmutableList.copyOf(type.getEnumConstants());
    return of(Object::toString, text -> parseConstant(text, constants), constants.get(0));
  }

  private static Object parseConstant(Lexer text, ImmutableList<Object> constants) {
    int start = text.skipBlanks();
    String word = text.word();
    ImmutableList<String> known =
        constants.stream().map(Object::toString).collect(toImmutableList());
    for (Object constant : constants) {
      if (isNamed(constant, ALIASES.getOrDefault(word, word))) {
        return constant;
      }
    }
    text.moveTo(start);
    ParseException refusal = text.wanted(String.join(", ", known));
    throw new ParseException(start, refusal.summary(), Nearest.to(word, known));
  }

  /**
   * Returns whether a word is the name of a constant. XLA reads names from its protocol buffers in
   * any case, and its own names only as they are written.
   */
  private static boolean isNamed(Object constant, String word) {
    return EXACT.contains(((Enum<?>) constant).getDeclaringClass())
        ? constant.toString().equals(word)
        : Ascii.equalsIgnoreCase(constant.toString(), word);
  }
}
