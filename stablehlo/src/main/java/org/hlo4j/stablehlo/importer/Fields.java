package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.LIMIT;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Types;

/**
 * Typed access to the attributes of an op or the fields of a struct, in their canonical form.
 *
 * @param entries the attributes by name
 */
record Fields(Map<String, Attribute> entries) {
  /** The most numbers, or rows without numbers, that are read from one number, or from none. */
  private static final int MAX_EQUAL = 1 << 12;

  Fields(Operation operation) {
    this(operation.attributes().entries());
  }

  boolean has(String name) {
    return entries.containsKey(name);
  }

  /** Returns an attribute that has to be there. */
  Attribute required(String name) {
    Attribute value = entries.get(name);
    if (value == null) {
      throw new HloException(PARSE, "attribute %s is missing", name);
    }
    return value;
  }

  /** Returns a list of integers; empty if it is missing. */
  Dims ints(String name) {
    return find(name, Attribute.DenseArray.class)
        .map(list -> Dims.copyOf(list.values()))
        .orElse(Dims.of());
  }

  /**
   * Returns a list of integers, or {@code count} copies of {@code filler} if it is missing or
   * empty.
   */
  Dims ints(String name, int count, long filler) {
    Dims given = ints(name);
    return given.isEmpty() ? Dims.filled(count, filler) : given;
  }

  long int64(String name) {
    required(name);
    return int64(name, 0);
  }

  long int64(String name, long missing) {
    return find(name, Attribute.Int.class).map(i -> exact(name, i.value())).orElse(missing);
  }

  int int32(String name) {
    return int32(name, int64(name));
  }

  int int32(String name, int missing) {
    return int32(name, int64(name, missing));
  }

  private static int int32(String name, long value) {
    require(value == (int) value, PARSE, "%s got %s, want 32 bits", name, value);
    return (int) value;
  }

  private static long exact(String name, BigInteger value) {
    require(value.bitLength() < 64, PARSE, "%s got %s, want 64 bits", name, value);
    return value.longValue();
  }

  boolean bool(String name) {
    return int64(name, 0) != 0;
  }

  /** Returns whether a flag is set: a unit attribute that is present, or a boolean that is true. */
  boolean flag(String name) {
    return has(name)
        && !(entries.get(name) instanceof Attribute.Int value && value.value().signum() == 0);
  }

  double real(String name, double missing) {
    return find(name, Attribute.Floating.class).map(Attribute.Floating::value).orElse(missing);
  }

  double real(String name) {
    required(name);
    return find(name, Attribute.Floating.class).orElseThrow().value();
  }

  String string(String name) {
    return find(name, Attribute.Str.class).map(Attribute.Str::value).orElse("");
  }

  Attribute.Symbol symbol(String name) {
    return find(name, Attribute.Symbol.class).orElseThrow();
  }

  /** Returns an enumeration value such as {@code HIGHEST}; empty if it is missing. */
  Optional<String> word(String name) {
    return find(name, Attribute.Word.class).map(Attribute.Word::value);
  }

  ImmutableList<String> words(String name) {
    return each(name, field -> field.word(name).orElseThrow());
  }

  ImmutableList<Attribute> array(String name) {
    return find(name, Attribute.Array.class)
        .map(Attribute.Array::elements)
        .orElse(ImmutableList.of());
  }

  /** Returns the symbols in a list. */
  ImmutableList<Attribute.Symbol> symbols(String name) {
    return each(name, field -> field.symbol(name));
  }

  /** Returns a list of structs. */
  ImmutableList<Fields> structs(String name) {
    return each(name, field -> field.struct(name));
  }

  /** Reads each element of a list as if the attribute were that element. */
  private <T> ImmutableList<T> each(String name, Function<Fields, T> read) {
    return array(name).stream()
        .map(element -> read.apply(new Fields(Map.of(name, element))))
        .collect(toImmutableList());
  }

  /** Returns the entries of a dictionary; empty if it is missing. */
  Optional<Fields> dictionary(String name) {
    return find(name, Attribute.Dictionary.class).map(given -> new Fields(given.entries()));
  }

  Fields struct(String name) {
    return find(name, Attribute.Struct.class)
        .map(struct -> new Fields(struct.fields()))
        .orElse(new Fields(Map.of()));
  }

  /** Returns a required vector of integers in the form {@code dense<[1, 2]>}. */
  Dims vector(String name) {
    Attribute.Dense dense = find(name, Attribute.Dense.class).orElseThrow();
    require(
        dense.type().rank() == 1
            && Types.elementType(dense.type().element()).orElse(ElementType.F32).isIntegral(),
        PARSE,
        "%s got %s, want a vector of integers",
        name,
        dense.type());
    return Dims.of(numbers(name, dense));
  }

  /**
   * Returns the elements in order. One number that stands for all of a large array takes few bytes
   * of a file, but would take all of the memory.
   */
  static long[] numbers(String name, Attribute.Dense dense) {
    boolean isSplat = dense.isSplat();
    long count = 1;
    for (long size : dense.type().sizes()) {
      count = LongMath.saturatedMultiply(count, size);
    }
    require(
        !isSplat || count <= MAX_EQUAL,
        LIMIT,
        "%s got %s of equal numbers, want at most %s",
        name,
        dense.type(),
        MAX_EQUAL);
    Literal all = dense.elements();
    long[] values = new long[(int) count];
    Arrays.setAll(values, i -> all.longAt(isSplat ? 0 : i));
    return values;
  }

  /** Returns the rows of a matrix of integers; none if it is missing. */
  ImmutableList<Dims> rows(String name) {
    return find(name, Attribute.Dense.class)
        .map(dense -> rows(name, dense))
        .orElse(ImmutableList.of());
  }

  /**
   * Returns rows of two integers; none if it is missing. Without rows it has two columns, too.
   *
   * @param label the rule that wants pairs
   */
  ImmutableList<Dims> pairs(String name, String label) {
    find(name, Attribute.Dense.class)
        .ifPresent(dense ->
            require(
                dense.type().rank() == 2 && dense.type().sizes().get(1) == 2,
                label,
                "%s got %s, want pairs: tensor<Nx2xi64>",
                name,
                dense.type()));
    return rows(name);
  }

  private static ImmutableList<Dims> rows(String name, Attribute.Dense dense) {
    require(dense.type().rank() == 2, PARSE, "%s got %s, want rank 2", name, dense.type());
    require(
        dense.type().element().equals(Types.I64),
        PARSE,
        "%s got %s, want 64-bit integers",
        name,
        dense.type());
    long[] all = numbers(name, dense);
    long rows = dense.type().sizes().get(0);
    require(
        all.length > 0 || rows <= MAX_EQUAL,
        LIMIT,
        "%s got %s, want at most %s empty rows",
        name,
        dense.type(),
        MAX_EQUAL);
    int width = rows == 0 ? 0 : (int) (all.length / rows);
    ImmutableList.Builder<Dims> list = ImmutableList.builder();
    for (int i = 0; i < rows; i++) {
      list.add(Dims.of(Arrays.copyOfRange(all, i * width, (i + 1) * width)));
    }
    return list.build();
  }

  <T extends Attribute> Optional<T> find(String name, Class<T> kind) {
    Attribute value = entries.get(name);
    if (value == null) {
      return Optional.empty();
    }
    require(
        kind.isInstance(value),
        PARSE,
        "attribute %s got %s, want another kind of value",
        name,
        value);
    return Optional.of(kind.cast(value));
  }
}
