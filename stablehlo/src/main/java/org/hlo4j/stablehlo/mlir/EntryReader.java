package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.hlo4j.hlo.ElementType;

/**
 * A reader of the bytes of one attribute, of one type, or of the properties of one operation, in
 * the order in which the dialect wrote them.
 */
public final class EntryReader extends ByteReader {
  private final EntryTable table;

  EntryReader(ByteReader bytes, EntryTable table) {
    super(bytes);
    this.table = table;
  }

  /** {@return the code that says what kind of entry it is} */
  public int code() {
    return (int) Math.min(varint() & Long.MAX_VALUE, Integer.MAX_VALUE);
  }

  /** {@return the sizes of dimensions, with {@link Type#DYNAMIC} for unknown sizes} */
  public ImmutableList<Long> sizes() {
    return list(() -> {
      long size = signed();
      require(size >= -1 || size == Long.MIN_VALUE, "got a dimension of size %s", size);
      return size < 0 ? Type.DYNAMIC : size;
    });
  }

  /** {@return a boolean of one byte} */
  public boolean bool() {
    return readByte() != 0;
  }

  /** {@return the number of numbers that follow, if all that follows are numbers} */
  public int numbers() {
    ByteReader rest = new ByteReader(this);
    int count = 0;
    while (!rest.isAtEnd()) {
      rest.varint();
      count++;
    }
    return count;
  }

  /** {@return an attribute of the file} */
  public Attribute attribute() {
    return table.attribute(varint(), this);
  }

  /** {@return an attribute of the file, or nothing} */
  public Optional<Attribute> optionalAttribute() {
    long index = varint();
    return (index & 1) == 0 ? Optional.empty() : Optional.of(table.attribute(index >>> 1, this));
  }

  /** {@return the value of a string that is an attribute} */
  public String name() {
    if (attribute() instanceof Attribute.Str string) {
      return string.value();
    }
    throw refusal("got another attribute, want a string");
  }

  /** {@return a dictionary: its names and values in turn} */
  public Attribute.Dictionary dictionary() {
    Map<String, Attribute> entries = new TreeMap<>();
    list("elements", () -> entries.put(name(), attribute()) == null);
    return new Attribute.Dictionary(ImmutableMap.copyOf(entries));
  }

  /** {@return the type of a tensor with an encoding, which comes first} */
  public Type.Tensor encodedTensor() {
    Attribute encoding = attribute();
    return new Type.Tensor(sizes(), type(), Optional.of(encoding));
  }

  /** {@return a type of the file} */
  public Type type() {
    return type(varint());
  }

  Type type(long index) {
    return table.type(index, this);
  }

  /** {@return a string of the file} */
  public String string() {
    return table.sections.string(this);
  }

  /** {@return the name of a resource of the file} */
  String resourceName() {
    return table.sections.resources.name(this);
  }

  /** {@return a resource of the file as the elements of a tensor, if the file has it} */
  Optional<Attribute.Dense> resource(String name, Type.Tensor type) {
    return table
        .sections
        .resources
        .data(name)
        .map(data -> TensorBytes.dense(type, data.slice(data.remaining())));
  }

  /** {@return a location of the file} */
  public Location location() {
    return table.location(varint(), this);
  }

  /**
   * Reads a list.
   *
   * @param element reads an element
   * @param <T> the type of the elements
   * @return the elements
   */
  public <T> ImmutableList<T> list(Supplier<T> element) {
    return list("elements", element);
  }

  /** {@return a list of signed numbers} */
  public ImmutableList<Long> signedList() {
    return list(this::signed);
  }

  /** {@return a list of attributes} */
  public ImmutableList<Attribute> attributes() {
    return list(this::attribute);
  }

  /** {@return a list of types} */
  public ImmutableList<Type> types() {
    return list(this::type);
  }

  /** {@return the 64 bits of a double, as a signed number} */
  public double doubleValue() {
    return Double.longBitsToDouble(signed());
  }

  /**
   * Reads an integer.
   *
   * @param type its type, an integer type or index
   * @return the integer
   */
  public Attribute.Int integer(Type type) {
    Type.Int form = Types.integer(type).orElse(null);
    if (form == null) {
      throw refusal("got an integer of type %s, want an integer type", type);
    }
    return Attribute.Int.ofBits(bits(form.width()), type, form);
  }

  /** Reads the bits of a number: one byte, one signed number, or a list of 64-bit words. */
  private BigInteger bits(int width) {
    if (width <= Byte.SIZE) {
      return BigInteger.valueOf(readByte());
    }
    if (width <= Long.SIZE) {
      return BigInteger.valueOf(signed());
    }
    BigInteger value = BigInteger.ZERO;
    ImmutableList<Long> words = signedList();
    for (int i = 0; i < words.size(); i++) {
      BigInteger word = new BigInteger(Long.toUnsignedString(words.get(i)));
      value = value.or(word.shiftLeft(Long.SIZE * i));
    }
    return value;
  }

  /**
   * Reads a floating-point number.
   *
   * @param type its type
   * @return the number
   */
  public Attribute.Floating number(Type type) {
    ElementType form = Types.elementType(type).filter(ElementType::isFloating).orElse(null);
    if (form == null) {
      throw refusal("got a number of type %s, want a floating-point type", type);
    }
    long mask = -1L >>> (Long.SIZE - form.bits());
    return new Attribute.Floating(form.decode(bits(form.bits()).longValue() & mask), type);
  }

  /**
   * Reads the elements of a tensor; they are decoded on first access.
   *
   * @param type the type of the tensor
   * @return the elements
   */
  public Attribute.Dense dense(Type type) {
    if (!(type instanceof Type.Tensor tensor)) {
      throw refusal("got elements of a %s, want a tensor", type);
    }
    return TensorBytes.dense(tensor, blob());
  }

  /** {@return the bytes of a blob} */
  ByteReader blob() {
    return slice(count("bytes"));
  }
}
