package org.hlo4j.stablehlo.dialect;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
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
  public enum Kind {
    /** A 64-bit integer. */
    I64,
    /** A 32-bit integer. */
    I32,
    /** An integer of MLIR's type index. */
    INDEX,
    /** A boolean. */
    BOOL,
    /** A single-precision number. */
    F32,
    /** A double-precision number. */
    F64,
    /** A string. */
    STRING,
    /** The name of a function. */
    SYMBOL,
    /** A type. */
    TYPE,
    /** A dictionary. */
    DICT,
    /** The elements of a tensor. */
    DENSE,
    /** A unit attribute, which is either present or absent. */
    UNIT,
    /** A flat list of 64-bit integers. */
    INTS,
    /** A flat list of booleans. */
    BOOLS,
    /** The elements of a tensor of indices. */
    INDICES,
    /** Rows of two 64-bit integers. */
    PAIRS,
    /** A list of attributes. */
    ARRAY,
    /** A value of an enumeration. */
    WORD,
    /** A list of enumeration values. */
    WORDS,
    /** A struct with named fields. */
    STRUCT,
    /** Any of these. */
    ANY
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
    HloException.require(
        isOfKind(canonical),
        HloException.Kind.PARSE,
        "%s got %s, want %s",
        name,
        given,
        expectedKind());
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
      return Matrices.ofPairs(List.of());
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
    return switch (kind) {
      case I64 -> isInt(attribute, Types.I64);
      case I32 -> isInt(attribute, Types.I32);
      case INDEX -> isInt(attribute, Type.Simple.INDEX);
      case BOOL -> isInt(attribute, Types.I1);
      case F32 -> attribute instanceof Attribute.Floating number && number.type().equals(Types.F32);
      case F64 -> attribute instanceof Attribute.Floating number && number.type().equals(Types.F64);
      case STRING -> attribute instanceof Attribute.Str;
      case SYMBOL -> attribute instanceof Attribute.Symbol;
      case TYPE -> attribute instanceof Attribute.OfType;
      case DICT -> attribute instanceof Attribute.Dictionary;
      case DENSE, INDICES ->
          attribute instanceof Attribute.Dense || attribute instanceof Attribute.DenseResource;
      case UNIT -> attribute == Attribute.Unit.INSTANCE;
      case INTS ->
          attribute instanceof Attribute.DenseArray list && list.element().equals(Types.I64);
      case BOOLS ->
          attribute instanceof Attribute.DenseArray list && list.element().equals(Types.I1);
      case PAIRS ->
          attribute instanceof Attribute.Dense dense
              && dense.type().rank() == 2
              && dense.type().element().equals(Types.I64);
      case ARRAY -> attribute instanceof Attribute.Array;
      case WORD -> isWord(attribute);
      case WORDS ->
          attribute instanceof Attribute.Array array
              && array.elements().stream().allMatch(this::isWord);
      case STRUCT ->
          attribute instanceof Attribute.Struct struct && struct.mnemonic().equals(parameter);
      case ANY -> true;
    };
  }

  private static boolean isInt(Attribute attribute, Type type) {
    return attribute instanceof Attribute.Int number && number.type().equals(type);
  }

  private boolean isWord(Attribute attribute) {
    return attribute instanceof Attribute.Word word
        && word.mnemonic().equals(parameter)
        && StructTable.number(word) >= 0;
  }

  /** Returns a description of the expected kind, for messages. */
  private String expectedKind() {
    return switch (kind) {
      case I64, I32 -> "an integer of type " + kind.name().toLowerCase(java.util.Locale.ROOT);
      case INDEX -> "an integer of type index";
      case BOOL -> "true or false";
      case F32, F64 -> "a number of type " + kind.name().toLowerCase(java.util.Locale.ROOT);
      case STRING -> "a string";
      case SYMBOL -> "a symbol such as @f";
      case TYPE -> "a type";
      case DICT -> "a dictionary";
      case DENSE, INDICES -> "dense<...>";
      case UNIT -> "the name alone";
      case INTS -> "array<i64: ...>";
      case BOOLS -> "array<i1: ...>";
      case PAIRS -> "dense<...> : tensor<Nx2xi64>";
      case ARRAY -> "a list in brackets";
      case WORD -> "one of " + StructTable.words(parameter);
      case WORDS -> "a list of " + StructTable.words(parameter);
      case STRUCT -> "#stablehlo." + parameter + "<...>";
      case ANY -> "an attribute";
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
