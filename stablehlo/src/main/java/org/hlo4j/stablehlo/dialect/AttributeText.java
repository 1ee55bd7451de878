package org.hlo4j.stablehlo.dialect;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Dims;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.ConvolutionNumbers;
import org.hlo4j.stablehlo.mlir.MlirText;
import org.hlo4j.stablehlo.mlir.OpParser;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;
import org.jspecify.annotations.Nullable;

/**
 * The text of attributes within a custom form, in which their place determines the type so that the
 * text can omit it.
 *
 * @param reader reads the text and adds the attributes
 * @param printer returns the text, or empty if it cannot express the attributes
 */
record AttributeText(
    BiConsumer<OpParser, Map<String, Attribute>> reader,
    Function<Attributes, Optional<String>> printer) {
  private static final Pattern FLOAT_FORMAT = Pattern.compile("e([0-9]{1,9})m([0-9]{1,9})");

  /** Returns the text of one attribute. */
  private static AttributeText one(
      String name,
      Function<OpParser, Attribute> reader,
      Function<Attribute, Optional<String>> printer) {
    return new AttributeText(
        (parser, attributes) -> attributes.put(name, reader.apply(parser)),
        attributes -> attributes.find(name).flatMap(printer));
  }

  /** Returns the text of an attribute whose kind says what it looks like. */
  static AttributeText of(AttributeDefinition row) {
    return one(row.name(), parser -> parse(parser, row), value -> print(value, row));
  }

  private static Attribute parse(OpParser parser, AttributeDefinition row) {
    return switch (row.kind()) {
      case INTS -> Attribute.DenseArray.i64(parser.integers());
      case I64 -> Attribute.Int.i64(parser.integer());
      case I32 -> Attribute.Int.i32(parser.integer());
      case INDEX -> new Attribute.Int(BigInteger.valueOf(parser.integer()), Type.Simple.INDEX);
      case INDICES -> AttributeFactory.indices(Dims.copyOf(parser.integers()));
      case STRING -> new Attribute.Str(parser.string());
      case SYMBOL -> Attribute.Symbol.of(parser.symbol());
      case TYPE -> new Attribute.OfType(parser.type());
      case BOOLS -> booleans(parser);
      case PAIRS -> pairs(parser);
      case WORD -> StructTable.word("stablehlo", row.parameter(), parser);
      case WORDS -> words(parser, row.parameter());
      case STRUCT -> struct(parser, row.parameter());
      case BOOL, F32, F64, DICT, DENSE, UNIT, ARRAY, ANY -> parser.attribute();
    };
  }

  private static Attribute booleans(OpParser parser) {
    return new Attribute.DenseArray(
        Types.I1,
        parser.listOf(
            "[]",
            () -> {
              boolean isFalse = parser.eatWord("false");
              return isFalse || (!parser.eatWord("true") && parser.integer() == 0) ? 0L : 1L;
            }));
  }

  private static Attribute pairs(OpParser parser) {
    List<Long> all = new ArrayList<>();
    parser.list(
        "[]",
        () -> {
          int position = parser.position();
          ImmutableList<Long> row = parser.integers();
          if (row.size() != 2) {
            throw parser.wrongAt(position, "got %s, want low and high padding", row);
          }
          all.addAll(row);
        });
    return AttributeFactory.pairs(Dims.copyOf(all));
  }

  private static Attribute words(OpParser parser, String mnemonic) {
    return new Attribute.Array(
        parser.listOf("[]", () -> StructTable.word("stablehlo", mnemonic, parser)));
  }

  private static Attribute struct(OpParser parser, String mnemonic) {
    if (mnemonic.equals("conv")) {
      return ConvolutionNumbers.parse(parser);
    }
    parser.expect("<");
    Attribute struct = StructSyntax.fields("stablehlo", mnemonic, parser);
    parser.expect(">");
    return struct;
  }

  private static Optional<String> print(Attribute value, AttributeDefinition row) {
    return switch (value) {
      case Attribute.DenseArray list when row.kind() == AttributeDefinition.Kind.BOOLS ->
          Optional.of(list.values().stream().map(each -> each == 0 ? "false" : "true").toList())
              .map(List::toString);
      case Attribute.DenseArray list -> Optional.of(list.values().toString());
      case Attribute.Int number when row.kind() != AttributeDefinition.Kind.BOOL ->
          Optional.of(number.value().toString());
      case Attribute.Dense pairs when row.kind() == AttributeDefinition.Kind.PAIRS ->
          Optional.of(Lists.partition(AttributeDefinition.flat(pairs), 2).toString());
      case Attribute.Dense indices when row.kind() == AttributeDefinition.Kind.INDICES ->
          Optional.of(AttributeDefinition.flat(indices).toString());
      case Attribute.Word word -> Optional.of(word.value());
      case Attribute.Array array when row.kind() == AttributeDefinition.Kind.WORDS ->
          Optional.of(words(array));
      case Attribute.Struct struct when struct.mnemonic().equals("conv") ->
          Optional.of(struct.body()).filter(body -> !body.startsWith("raw"));
      case Attribute.Struct struct -> Optional.of("<" + struct.body() + ">");
      case Attribute other -> Optional.of(other.toString());
    };
  }

  private static String words(Attribute.Array array) {
    return array.elements().stream()
        .map(word -> ((Attribute.Word) word).value())
        .collect(Collectors.joining(", ", "[", "]"));
  }

  private static ImmutableList<Long> integers(@Nullable Attribute attribute) {
    return attribute instanceof Attribute.DenseArray list ? list.values() : ImmutableList.of();
  }

  /** Returns a string that is written as a symbol: {@code @name}. */
  static AttributeText symbol(String name) {
    return one(
        name,
        parser -> new Attribute.Str(parser.symbol()),
        value -> string(value).map(text -> "@" + MlirText.bareOrQuoted(text)));
  }

  /** Returns a string that is written as one of some words. */
  static AttributeText word(String name, List<String> words) {
    return one(
        name,
        parser -> new Attribute.Str(parser.word()),
        value -> string(value).filter(words::contains));
  }

  /** Returns a unit attribute that is written as a word. */
  static AttributeText unit(String name, String word) {
    return one(
        name,
        parser -> {
          parser.expect(word);
          return Attribute.Unit.INSTANCE;
        },
        value -> Optional.of(word));
  }

  private static Optional<String> string(Attribute value) {
    return value instanceof Attribute.Str string ? Optional.of(string.value()) : Optional.empty();
  }

  /**
   * Returns the text of an attribute of a dialect that is kept as it is written, in brackets.
   *
   * @param name the attribute
   * @param dialect its dialect
   * @param whole its text, in which {@code *} stands for the brackets: {@code .sharding*}
   */
  static AttributeText verbatim(String name, String dialect, String whole) {
    String before = whole.substring(0, whole.indexOf('*'));
    String behind = whole.substring(before.length() + 1);
    return one(
        name,
        parser -> {
          int start = parser.position();
          parser.skipBrackets();
          return new Attribute.Verbatim(dialect, before + parser.textFrom(start) + behind);
        },
        value ->
            value instanceof Attribute.Verbatim kept
                    && kept.body().length() > before.length() + behind.length()
                    && kept.body().startsWith(before)
                    && kept.body().endsWith(behind)
                    && "<[{".indexOf(kept.body().charAt(before.length())) >= 0
                ? Optional.of(
                    kept.body().substring(before.length(), kept.body().length() - behind.length()))
                : Optional.empty());
  }

  /** Returns the text of an integer that is written as the word that it is the number of. */
  static AttributeText number(AttributeDefinition row, List<String> words) {
    return one(
        row.name(),
        parser -> {
          int position = parser.position();
          String word = parser.word();
          if (!words.contains(word)) {
            throw parser.wrongAt(position, "got %s, want one of %s", word, words);
          }
          return row.canonical(Attribute.Int.i64(words.indexOf(word)));
        },
        value ->
            value instanceof Attribute.Int number
                    && number.value().signum() >= 0
                    && number.value().compareTo(BigInteger.valueOf(words.size())) < 0
                ? Optional.of(words.get(number.value().intValue()))
                : Optional.empty());
  }

  /**
   * Returns the text of dimensions of the left and the right operand: {@code [0] x [1]}.
   *
   * @param struct the attribute that has them as fields
   * @param kind which of its fields
   * @param isOptional whether nothing is printed if there are none
   */
  static AttributeText dimensions(AttributeDefinition struct, String kind, boolean isOptional) {
    String left = "lhs_" + kind + "_dimensions";
    String right = "rhs_" + kind + "_dimensions";
    return new AttributeText(
        (parser, attributes) -> {
          Map<String, Attribute> fields = new LinkedHashMap<>();
          if (attributes.get(struct.name()) instanceof Attribute.Struct others) {
            fields.putAll(others.fields());
          }
          fields.put(left, Attribute.DenseArray.i64(parser.integers()));
          parser.expect("x");
          fields.put(right, Attribute.DenseArray.i64(parser.integers()));
          attributes.put(struct.name(), StructTable.struct(struct.parameter(), fields));
        },
        attributes ->
            attributes.get(struct.name()) instanceof Attribute.Struct numbers
                ? Optional.of(
                        integers(numbers.fields().get(left))
                            + " x "
                            + integers(numbers.fields().get(right)))
                    .filter(text -> !isOptional || !text.equals("[] x []"))
                : Optional.empty());
  }

  /** Returns the text of a slice: {@code [0:4, 1:9:2]}. */
  static AttributeText ranges(String starts, String limits, String strides) {
    return new AttributeText(
        (parser, attributes) -> {
          List<Long> from = new ArrayList<>();
          List<Long> to = new ArrayList<>();
          List<Long> by = new ArrayList<>();
          parser.list(
              "[]",
              () -> {
                from.add(parser.integer());
                parser.expect(":");
                to.add(parser.integer());
                by.add(parser.eat(":") ? parser.integer() : 1L);
              });
          attributes.put(starts, Attribute.DenseArray.i64(from));
          attributes.put(limits, Attribute.DenseArray.i64(to));
          attributes.put(strides, Attribute.DenseArray.i64(by));
        },
        attributes -> {
          ImmutableList<Long> from = integers(attributes.get(starts));
          ImmutableList<Long> to = integers(attributes.get(limits));
          ImmutableList<Long> by = integers(attributes.get(strides));
          if (from.size() != to.size() || from.size() != by.size()) {
            return Optional.empty();
          }
          List<String> ranges = new ArrayList<>();
          for (int i = 0; i < from.size(); i++) {
            ranges.add(from.get(i) + ":" + to.get(i) + (by.get(i) == 1 ? "" : ":" + by.get(i)));
          }
          return Optional.of(ranges.toString());
        });
  }

  /** Returns the text of a format of floating-point numbers: {@code e5m10}. */
  static AttributeText floatFormat(String exponent, String mantissa) {
    return new AttributeText(
        (parser, attributes) -> {
          int position = parser.position();
          String format = parser.word();
          Matcher bits = FLOAT_FORMAT.matcher(format);
          if (!bits.matches()) {
            throw parser.wrongAt(position, "format got %s, want one such as e5m10", format);
          }
          attributes.put(exponent, Attribute.Int.i32(Integer.parseInt(bits.group(1))));
          attributes.put(mantissa, Attribute.Int.i32(Integer.parseInt(bits.group(2))));
        },
        attributes ->
            attributes.get(exponent) instanceof Attribute.Int e
                    && attributes.get(mantissa) instanceof Attribute.Int m
                    && e.value().signum() >= 0
                    && m.value().signum() >= 0
                ? Optional.of("e" + e.value() + "m" + m.value())
                : Optional.empty());
  }
}
