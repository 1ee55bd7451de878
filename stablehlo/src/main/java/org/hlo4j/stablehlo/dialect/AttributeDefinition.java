package org.hlo4j.stablehlo.dialect;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/**
 * The definition of an inherent attribute of an op: a row of the op table.
 *
 * @param name the name of the attribute
 * @param kind the kind of its value
 * @param parameter the mnemonic of an enumeration or struct; for pairs, whether no pair may have
 *     any shape; empty for other kinds
 * @param isOptional whether it may be missing although it has no default
 * @param defaultValue the value of a missing attribute
 * @param component the component of a record of HLO, or of a record in it: {@code window.strides};
 *     {@code *} if the fields of a struct are components
 */
public record AttributeDefinition(
    String name,
    Kind kind,
    String parameter,
    boolean isOptional,
    Optional<Attribute> defaultValue,
    String component) {
  /** The kind of an attribute's value. */
  @SuppressWarnings("ImmutableEnumChecker") // the predicates have no state
  public enum Kind {
    /** A 64-bit integer. */
    I64("an integer of type i64", isInt(Types.I64)),
    /** A 32-bit integer. */
    I32("an integer of type i32", isInt(Types.I32)),
    /** An integer of MLIR's type index. */
    INDEX("an integer of type index", isInt(Type.Simple.INDEX)),
    /** A boolean. */
    BOOL("true or false", isInt(Types.I1)),
    /** A single-precision number. */
    F32("a number of type f32", isFloating(Types.F32)),
    /** A double-precision number. */
    F64("a number of type f64", isFloating(Types.F64)),
    /** A string. */
    STRING("a string", Attribute.Str.class::isInstance),
    /** The name of a function. */
    SYMBOL("a symbol such as @f", Attribute.Symbol.class::isInstance),
    /** A type. */
    TYPE("a type", Attribute.OfType.class::isInstance),
    /** A dictionary. */
    DICT("a dictionary", Attribute.Dictionary.class::isInstance),
    /** The elements of a tensor. */
    DENSE("dense<...>", AttributeDefinition::isDense),
    /** A unit attribute, which is either present or absent. */
    UNIT("the name alone", Attribute.Unit.INSTANCE::equals),
    /** A flat list of 64-bit integers. */
    INTS("array<i64: ...>", isList(Types.I64)),
    /** A flat list of booleans. */
    BOOLS("array<i1: ...>", isList(Types.I1)),
    /** The elements of a tensor of indices. */
    INDICES("dense<...>", AttributeDefinition::isDense),
    /** Rows of two 64-bit integers. */
    PAIRS("dense<...> : tensor<Nx2xi64>", AttributeDefinition::isMatrix),
    /** A list of attributes. */
    ARRAY("a list in brackets", Attribute.Array.class::isInstance),
    /** A value of an enumeration. */
    WORD("one of ", Attribute.Word.class::isInstance),
    /** A list of enumeration values. */
    WORDS("a list of ", Attribute.Array.class::isInstance),
    /** A struct with named fields. */
    STRUCT("#stablehlo.", Attribute.Struct.class::isInstance),
    /** Any of these. */
    ANY("an attribute", any -> true);

    private final String text;
    private final Predicate<Attribute> isKind;

    Kind(String text, Predicate<Attribute> isKind) {
      this.text = text;
      this.isKind = isKind;
    }
  }

  /**
   * Returns an attribute in its canonical form. Flat lists that older texts write as tensors become
   * lists.
   *
   * @param given the attribute as it was read
   * @return the same attribute in the form of its kind
   * @throws HloException if it is of another kind
   */
  public Attribute canonical(Attribute given) {
    Attribute canonical = converted(given);
    require(isOfKind(canonical), PARSE, "%s got %s, want %s", name, given, expectedKind());
    return canonical;
  }

  private Attribute converted(Attribute given) {
    if (given instanceof Attribute.Dense dense && kind == Kind.INTS) {
      return Attribute.DenseArray.i64(flat(dense));
    }
    if (given instanceof Attribute.Dense dense && kind == Kind.BOOLS) {
      return new Attribute.DenseArray(Types.I1, flat(dense));
    }
    if (given instanceof Attribute.Dense dense && kind == Kind.PAIRS && isNoPair(dense)) {
      return AttributeFactory.pairs(Dims.of());
    }
    if (given instanceof Attribute.Array array && array.elements().isEmpty()) {
      return kind == Kind.INTS ? Attribute.DenseArray.i64(ImmutableList.of()) : given;
    }
    if (given instanceof Attribute.Int number && number.type() instanceof Type.Int) {
      return integer(number);
    }
    return given;
  }

  /**
   * {@return an attribute in which a one-dimensional constant is replaced by a flat list}
   *
   * @param attribute a list of integers or booleans in one of its forms, or any other attribute
   */
  public static Attribute flat(Attribute attribute) {
    if (!(attribute instanceof Attribute.Dense dense) || dense.type().rank() != 1) {
      return attribute;
    }
    Type element = dense.type().element();
    return element instanceof Type.Int ? new Attribute.DenseArray(element, flat(dense)) : attribute;
  }

  /** Returns whether a constant without elements means that there is no pair. */
  private boolean isNoPair(Attribute.Dense dense) {
    return parameter.equals("empty")
        && dense.type().sizes().contains(0L)
        && dense.type().element().equals(Types.I64);
  }

  /**
   * Returns an integer as i32 if this kind is I32 and its text gave no width, so that it was read
   * as i64.
   */
  private Attribute integer(Attribute.Int number) {
    if (kind == Kind.I32 && number.type().equals(Types.I64)) {
      return new Attribute.Int(number.value(), Types.I32);
    }
    return number;
  }

  /** Returns the elements of a constant of integers or booleans, row-major. */
  static ImmutableList<Long> flat(Attribute.Dense dense) {
    Literal elements = dense.elements();
    long count = dense.type().sizes().stream().reduce(1L, (a, b) -> a * b);
    boolean splat = dense.isSplat();
    return LongStream.range(0, count)
        .mapToObj(i -> elements.longAt(splat ? 0 : (int) i))
        .collect(toImmutableList());
  }

  private boolean isOfKind(Attribute attribute) {
    return kind.isKind.test(attribute)
        && switch (kind) {
          case WORD -> isWord(attribute);
          case WORDS -> ((Attribute.Array) attribute).elements().stream().allMatch(this::isWord);
          case STRUCT -> ((Attribute.Struct) attribute).mnemonic().equals(parameter);
          default -> true;
        };
  }

  private static Predicate<Attribute> isInt(Type type) {
    return attribute -> attribute instanceof Attribute.Int number && number.type().equals(type);
  }

  private static Predicate<Attribute> isFloating(Type type) {
    return attribute ->
        attribute instanceof Attribute.Floating number && number.type().equals(type);
  }

  private static Predicate<Attribute> isList(Type element) {
    return attribute ->
        attribute instanceof Attribute.DenseArray list && list.element().equals(element);
  }

  private static boolean isDense(Attribute attribute) {
    return attribute instanceof Attribute.Dense || attribute instanceof Attribute.DenseResource;
  }

  private static boolean isMatrix(Attribute attribute) {
    return attribute instanceof Attribute.Dense dense
        && dense.type().rank() == 2
        && dense.type().element().equals(Types.I64);
  }

  private boolean isWord(Attribute attribute) {
    return attribute instanceof Attribute.Word word
        && word.mnemonic().equals(parameter)
        && StructTable.number(word) >= 0;
  }

  /** Returns a description of the expected kind, for messages. */
  private String expectedKind() {
    return kind.text
        + switch (kind) {
          case WORD, WORDS -> StructTable.words(parameter);
          case STRUCT -> parameter + "<...>";
          default -> "";
        };
  }

  /** Reads definitions, by name. */
  static ImmutableMap<String, AttributeDefinition> parseAll(List<String> texts) {
    return texts.stream()
        .map(AttributeDefinition::parse)
        .collect(toImmutableMap(AttributeDefinition::name, row -> row));
  }

  /** Reads {@code name:kind(parameter)?>component} or {@code name:kind=default}. */
  private static AttributeDefinition parse(String whole) {
    int arrow = whole.indexOf('>');
    String text = arrow < 0 ? whole : whole.substring(0, arrow);
    int colon = text.indexOf(':');
    int equals = text.indexOf('=');
    String kind = text.substring(colon + 1, equals < 0 ? text.length() : equals);
    boolean optional = kind.endsWith("?");
    kind = optional ? kind.substring(0, kind.length() - 1) : kind;
    int open = kind.indexOf('(');
    String parameter = open < 0 ? "" : kind.substring(open + 1, kind.length() - 1);
    Kind parsed = kindOf(open < 0 ? kind : kind.substring(0, open));
    Optional<Attribute> value =
        equals < 0 ? Optional.empty() : Optional.of(defaultOf(parsed, text.substring(equals + 1)));
    String name = text.substring(0, colon);
    String component = arrow < 0 ? name : whole.substring(arrow + 1);
    return new AttributeDefinition(name, parsed, parameter, optional, value, component);
  }

  private static Kind kindOf(String name) {
    return Kind.valueOf(name.toUpperCase(java.util.Locale.ROOT));
  }

  private static Attribute defaultOf(Kind kind, String text) {
    return switch (kind) {
      case BOOL -> Attribute.Int.bool(Boolean.parseBoolean(text));
      case I32 -> Attribute.Int.i32(Long.parseLong(text));
      case I64 -> Attribute.Int.i64(Long.parseLong(text));
      case F64 -> new Attribute.Floating(Double.parseDouble(text), Types.F64);
      case INTS -> Attribute.DenseArray.i64(ImmutableList.of());
      case ARRAY -> new Attribute.Array(ImmutableList.of());
      case DICT -> new Attribute.Dictionary(ImmutableMap.of());
      default -> new Attribute.Str(text);
    };
  }
}
