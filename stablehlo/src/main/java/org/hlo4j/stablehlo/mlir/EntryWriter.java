package org.hlo4j.stablehlo.mlir;

import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;

import com.google.common.collect.ImmutableList;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.jspecify.annotations.Nullable;

/**
 * A builder of the contents of an attribute or a type, in the order in which a reader decodes them.
 */
public final class EntryWriter {
  /** An attribute or a type of the file; equal ones are a single entry. */
  public static final class Entry {
    final EntryPool.Key key;

    /** How many entries refer to each other, this one included. */
    final int height;

    int number;

    Entry(EntryPool.Key key, int height) {
      this.key = key;
      this.height = height;
    }
  }

  /** A variable-length number. */
  record Varint(long value) {}

  /** An entry with a flag that is set, such as one that might be missing. */
  record Flagged(Entry entry) {}

  /** A number that is not known before everything has been written. */
  record Later(IntSupplier number) {}

  /** A section of operations. */
  record Section(ImmutableList<Object> parts) {}

  /** Raw bytes. */
  @SuppressWarnings("ArrayRecordComponent") // never changed
  record Raw(byte[] bytes) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Raw that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bytes);
    }
  }

  private final List<Object> parts = new ArrayList<>();

  /** Creates empty contents. */
  public EntryWriter() {}

  ImmutableList<Object> parts() {
    return ImmutableList.copyOf(parts);
  }

  EntryWriter with(Object part) {
    parts.add(part);
    return this;
  }

  /**
   * Adds an unsigned number.
   *
   * @param value the number
   * @return this
   */
  public EntryWriter varint(long value) {
    return with(new Varint(value));
  }

  /**
   * Adds a signed number.
   *
   * @param value the number
   * @return this
   */
  public EntryWriter signed(long value) {
    return varint((value << 1) ^ (value >> 63));
  }

  /**
   * Adds a boolean of one byte.
   *
   * @param value the boolean
   * @return this
   */
  public EntryWriter bool(boolean value) {
    return oneByte(value ? 1 : 0);
  }

  EntryWriter oneByte(int value) {
    return with(new Raw(new byte[] {(byte) value}));
  }

  /**
   * Adds a reference to a string of the file's table.
   *
   * @param value the string
   * @return this
   */
  public EntryWriter string(String value) {
    return with(value);
  }

  /**
   * Adds a reference to an attribute or a type.
   *
   * @param entry the attribute or type
   * @return this
   */
  public EntryWriter entry(Entry entry) {
    return with(entry);
  }

  /**
   * Adds a reference to an attribute that may be missing.
   *
   * @param entry the attribute, if there is one
   * @return this
   */
  public EntryWriter optional(Optional<Entry> entry) {
    return entry.map(Flagged::new).map(this::with).orElseGet(() -> varint(0));
  }

  /**
   * Adds a list of references, preceded by its length.
   *
   * @param values the attributes or types
   * @param encoder encodes one of them
   * @param <T> the type of the values
   * @return this
   */
  public <T> EntryWriter entries(Collection<T> values, Function<T, Entry> encoder) {
    varint(values.size());
    values.forEach(value -> entry(encoder.apply(value)));
    return this;
  }

  /**
   * Adds a list of signed numbers, preceded by its length.
   *
   * @param values the numbers
   * @return this
   */
  public EntryWriter signedList(List<Long> values) {
    varint(values.size());
    values.forEach(this::signed);
    return this;
  }

  /**
   * Adds the bits of a double.
   *
   * @param value the number
   * @return this
   */
  public EntryWriter doubleValue(double value) {
    return signed(Double.doubleToRawLongBits(value));
  }

  /**
   * Adds an integer without its type.
   *
   * @param number the integer
   * @return this
   */
  public EntryWriter integer(Attribute.Int number) {
    int width = Types.integer(number.type()).map(Type.Int::width).orElse(Long.SIZE);
    BigInteger bits = number.value().mod(BigInteger.ONE.shiftLeft(width));
    if (width <= Byte.SIZE) {
      return oneByte(bits.byteValue());
    }
    if (width <= Long.SIZE) {
      return signed(bits.longValue());
    }
    varint((width + Long.SIZE - 1) / Long.SIZE);
    for (int at = 0; at < width; at += Long.SIZE) {
      signed(bits.shiftRight(at).longValue());
    }
    return this;
  }

  /**
   * Adds a floating-point number without its type.
   *
   * @param number the number
   * @return this
   */
  public EntryWriter number(Attribute.Floating number) {
    ElementType type =
        Types.elementType(number.type())
            .orElseThrow(() ->
                new HloException(
                    UNSUPPORTED, "a number of type %s cannot be written", number.type()));
    long bits = type.encode(number.value());
    return type.bits() <= Byte.SIZE ? oneByte((int) bits) : signed(bits);
  }

  /**
   * Adds the elements of a tensor without its type.
   *
   * @param dense the elements
   * @return this
   */
  public EntryWriter elements(Attribute.Dense dense) {
    return blob(TensorBytes.of(dense));
  }

  EntryWriter blob(byte[] bytes) {
    return varint(bytes.length).with(new Raw(bytes));
  }
}
