package org.hlo4j.stablehlo.mlir;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.math.BigInteger;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Literal;
import org.jspecify.annotations.Nullable;

/** An attribute of MLIR: a constant that is known when a program is written. */
public sealed interface Attribute {
  /** A unit attribute, whose presence is its meaning. */
  enum Unit implements Attribute {
    /** The only one. */
    INSTANCE;

    @Override
    public String toString() {
      return "unit";
    }
  }

  /**
   * An integer, or a boolean as an integer of type {@code i1}.
   *
   * @param value the value; non-negative for unsigned types
   * @param type its type: an integer type or index
   */
  record Int(BigInteger value, Type type) implements Attribute {
    /**
     * {@return an integer of type i64}
     *
     * @param value the value
     */
    public static Int i64(long value) {
      return new Int(BigInteger.valueOf(value), Types.I64);
    }

    /**
     * {@return an integer of type i32}
     *
     * @param value the value
     */
    public static Int i32(long value) {
      return new Int(BigInteger.valueOf(value), Types.I32);
    }

    /**
     * {@return a boolean}
     *
     * @param value the value
     */
    public static Int bool(boolean value) {
      return new Int(value ? BigInteger.ONE : BigInteger.ZERO, Types.I1);
    }

    /** Returns the integer that the lowest bits of a number are in a type. */
    static Int ofBits(BigInteger bits, Type type, Type.Int form) {
      BigInteger size = BigInteger.ONE.shiftLeft(form.width());
      BigInteger value = bits.mod(size);
      boolean unsigned = form.signedness() == Type.Signedness.UNSIGNED || form.equals(Types.I1);
      boolean negative = !unsigned && value.testBit(form.width() - 1);
      return new Int(negative ? value.subtract(size) : value, type);
    }

    @Override
    public String toString() {
      if (type.equals(Types.I1)) {
        return value.signum() == 0 ? "false" : "true";
      }
      return value + " : " + type;
    }
  }

  /**
   * A floating-point number.
   *
   * @param value the value, exact in its type
   * @param type its type
   */
  record Floating(double value, Type type) implements Attribute {
    @Override
    public String toString() {
      return ElementText.of(value, type) + " : " + type;
    }
  }

  /**
   * A string.
   *
   * @param value its characters
   */
  record Str(String value) implements Attribute {
    @Override
    public String toString() {
      return MlirText.quoted(value);
    }
  }

  /**
   * A list.
   *
   * @param elements its elements
   */
  record Array(ImmutableList<Attribute> elements) implements Attribute {
    @Override
    public String toString() {
      return elements.stream().map(Array::element).collect(Collectors.joining(", ", "[", "]"));
    }

    /** Returns an element; as in MLIR, 64 bits are not said in a list. */
    private static String element(Attribute element) {
      return switch (element) {
        case Int number when number.type.equals(Types.I64) -> number.value.toString();
        case Floating number when number.type.equals(Types.F64) ->
            ElementText.of(number.value, number.type);
        default -> element.toString();
      };
    }
  }

  /**
   * A dictionary.
   *
   * @param entries its entries, in the order of their names
   */
  record Dictionary(ImmutableMap<String, Attribute> entries) implements Attribute {
    @Override
    public String toString() {
      return entries.entrySet().stream()
          .map(Dictionary::entry)
          .collect(Collectors.joining(", ", "{", "}"));
    }

    static String entry(Map.Entry<String, Attribute> entry) {
      String name = MlirText.bareOrQuoted(entry.getKey());
      return entry.getValue() == Unit.INSTANCE ? name : name + " = " + entry.getValue();
    }
  }

  /**
   * A reference to a symbol, such as a function, which may be nested in other symbols.
   *
   * @param path the names, outermost first
   */
  record Symbol(ImmutableList<String> path) implements Attribute {
    /**
     * {@return a reference to a top-level symbol}
     *
     * @param name the name
     */
    public static Symbol of(String name) {
      return new Symbol(ImmutableList.of(name));
    }

    /** {@return the innermost name} */
    public String name() {
      return path.get(path.size() - 1);
    }

    @Override
    public String toString() {
      return path.stream()
          .map(name -> "@" + MlirText.bareOrQuoted(name))
          .collect(Collectors.joining("::"));
    }
  }

  /**
   * A type.
   *
   * @param type the type
   */
  record OfType(Type type) implements Attribute {
    @Override
    public String toString() {
      return type.toString();
    }
  }

  /**
   * A location.
   *
   * @param location the location
   */
  record OfLocation(Location location) implements Attribute {
    @Override
    public String toString() {
      return "loc(" + location + ")";
    }
  }

  /**
   * A flat list of numbers, {@code array<i64: 1, 2>}.
   *
   * @param element the type of the numbers: i1, i8 to i64, f32 or f64
   * @param values the numbers; for float types their bits
   */
  record DenseArray(Type element, ImmutableList<Long> values) implements Attribute {
    /**
     * {@return a list of i64}
     *
     * @param values the numbers
     */
    public static DenseArray i64(Iterable<Long> values) {
      return new DenseArray(Types.I64, ImmutableList.copyOf(values));
    }

    @Override
    public String toString() {
      String head = "array<" + element;
      return values.stream()
          .map(value -> ElementText.ofBits(value, element))
          .collect(Collectors.joining(", ", values.isEmpty() ? head : head + ": ", ">"));
    }
  }

  /**
   * The elements of a tensor, {@code dense<...> : tensor<...>}. They are decoded on first access.
   */
  final class Dense implements Attribute {
    private final Type.Tensor type;
    private final boolean splat;
    private final Supplier<Literal> literal;

    /**
     * Creates a constant tensor.
     *
     * @param type its static type
     * @param splat whether all elements have one value
     * @param literal supplies the elements, row-major, in the storage type if they are quantized; a
     *     scalar for a splat. Called at most once
     */
    public Dense(Type.Tensor type, boolean splat, Supplier<Literal> literal) {
      this.type = type;
      this.splat = splat;
      this.literal = Suppliers.memoize(literal::get);
    }

    /** {@return its type} */
    public Type.Tensor type() {
      return type;
    }

    /** {@return whether all elements have one value} */
    public boolean isSplat() {
      return splat;
    }

    /** {@return the elements; for a splat a scalar} */
    public Literal elements() {
      return literal.get();
    }

    /** A splat equals a constant that repeats its element. */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Dense that
          && type.equals(that.type)
          && DenseElements.equal(elements(), that.elements());
    }

    @Override
    public int hashCode() {
      return 31 * type.hashCode() + DenseElements.firstHash(elements());
    }

    @Override
    public String toString() {
      return "dense<" + ElementText.of(this) + "> : " + type;
    }
  }

  /**
   * The elements of a tensor that are stored in the resources of the file.
   *
   * @param name the name of the resource
   * @param type its type
   */
  record DenseResource(String name, Type.Tensor type) implements Attribute {
    @Override
    public String toString() {
      return "dense_resource<" + MlirText.bareOrQuoted(name) + "> : " + type;
    }
  }

  /**
   * A value of a dialect's enumeration, {@code #stablehlo<precision HIGHEST>}.
   *
   * @param dialect the dialect
   * @param mnemonic the enumeration, such as {@code precision}
   * @param value the name of the value
   */
  record Word(String dialect, String mnemonic, String value) implements Attribute {
    @Override
    public String toString() {
      return "#" + dialect + "<" + mnemonic + " " + value + ">";
    }
  }

  /**
   * A struct of a dialect with named fields, {@code #stablehlo.gather<offset_dims = [0]>}. Missing
   * fields have their defaults.
   *
   * @param dialect the dialect
   * @param mnemonic the struct, such as {@code gather}
   * @param fields the fields that are present: lists of integers as {@link DenseArray} of i64,
   *     integers as {@link Int} of i64, booleans as {@link Int} of i1, types as {@link OfType}
   */
  record Struct(String dialect, String mnemonic, ImmutableMap<String, Attribute> fields)
      implements Attribute {
    @Override
    public String toString() {
      return "#" + dialect + "." + mnemonic + "<" + body() + ">";
    }

    /** {@return the text between the angle brackets} */
    public String body() {
      return StructText.of(this);
    }
  }

  /**
   * An attribute of a dialect that is kept as its text, such as {@code #sdy.sharding<...>}.
   *
   * @param dialect the dialect
   * @param body the text after the dialect, from the dot or the bracket: {@code .sharding<@mesh,
   *     [{}]>}
   */
  record Verbatim(String dialect, String body) implements Attribute {
    @Override
    public String toString() {
      return "#" + dialect + body;
    }
  }
}
