package org.hlo4j.pjrt.ffi;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import com.google.common.collect.ImmutableMap;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.Function;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.pjrt.binding.HostArrays;
import org.hlo4j.pjrt.binding.StructLayout;

/**
 * An array that a plugin gives to a handler, or wants from it: an {@code XLA_FFI_Buffer}. It says
 * element type and sizes; in which order the elements are is known from the program alone.
 *
 * @param address where the struct is
 */
record FrameBuffer(long address) {
  private static final String TYPES = "XLA_FFI_DataType";
  private static final StructLayout BUFFER = Memory.TABLE.struct("XLA_FFI_Buffer");
  private static final StructLayout.Field TYPE = BUFFER.field("dtype");
  private static final StructLayout.Field DATA = BUFFER.field("data");
  private static final StructLayout.Field RANK = BUFFER.field("rank");
  private static final StructLayout.Field DIMS = BUFFER.field("dims");
  private static final int TOKEN = Memory.TABLE.constant(TYPES, "TOKEN").orElseThrow().value();

  /** The numbers of the types, those of xla_data.proto, which are not PJRT's. */
  private static final ImmutableMap<Integer, ElementType> ELEMENT_TYPES =
      Arrays.stream(ElementType.values())
          .filter(type -> Memory.TABLE.constant(TYPES, type.name()).isPresent())
          .collect(
              toImmutableMap(
                  type -> Memory.TABLE.constant(TYPES, type.name()).orElseThrow().value(),
                  Function.identity()));

  private static final ImmutableMap<ElementType, Integer> NUMBERS =
      ELEMENT_TYPES.entrySet().stream()
          .collect(toImmutableMap(each -> each.getValue(), each -> each.getKey()));

  /** Returns the element type of a number. */
  static ElementType elementType(int number) {
    ElementType type = ELEMENT_TYPES.get(number);
    if (type == null) {
      throw new HloException(
          Kind.UNSUPPORTED,
          "pjrt: got the element type " + number + " of XLA's FFI, want one of " + ELEMENT_TYPES);
    }
    return type;
  }

  private int type() {
    return (int) Memory.get(address, TYPE);
  }

  /** Returns the shape, without a layout. */
  Shape shape() {
    if (type() == TOKEN) {
      return Shape.token();
    }
    long rank = Memory.get(address, RANK);
    long[] dims = new long[(int) rank];
    for (int i = 0; i < rank; i++) {
      dims[i] = Memory.longAt(Memory.get(address, DIMS), i);
    }
    return Shape.of(elementType(type()), Dims.of(dims));
  }

  /** Returns whether it is an array of a type and sizes, or a token. */
  boolean is(Shape shape) {
    if (!(shape instanceof Shape.Array array)) {
      return type() == TOKEN;
    }
    boolean isSame =
        NUMBERS.getOrDefault(array.elementType(), -1) == type()
            && Memory.get(address, RANK) == array.rank();
    for (int i = 0; isSame && i < array.rank(); i++) {
      isSame = Memory.longAt(Memory.get(address, DIMS), i) == array.size(i);
    }
    return isSame;
  }

  private MemorySegment data(Shape.Array shape) {
    return Memory.bytes(Memory.get(address, DATA), HostArrays.deviceBytes(shape));
  }

  private static boolean isPacked(Shape.Array shape) {
    return shape.elementType().bits() < Byte.SIZE && shape.elementType() != ElementType.PRED;
  }

  /** Returns a copy of the elements. */
  Literal read(Shape shape) {
    if (!(shape instanceof Shape.Array array)) {
      return Literal.token();
    }
    Object storage = LiteralBuilder.newStorage(array);
    MemorySegment data = isPacked(array) ? unpacked(data(array), array) : data(array);
    HostArrays.copy(data, HostArrays.segment(storage), array, order(array));
    return Literal.unsafeOf(array, storage);
  }

  /**
   * Writes the elements of a literal of a shape. Memory that has them in some order is, read row by
   * row, an array of which the literal is one in another order.
   */
  void write(Literal literal, Shape shape) {
    if (shape instanceof Shape.Array array) {
      Dims majorToMinor = reversed(order(array).minorToMajor());
      Shape.Array stored = Shape.of(array.elementType(), array.sizes().at(majorToMinor));
      Layout source = new Layout(reversed(majorToMinor.inverse()), "");
      if (isPacked(array)) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[literal.elementCount()]);
        HostArrays.copy(literal.asMemorySegment(), bytes, stored, source);
        pack(bytes, data(array), array.elementType().bits());
      } else {
        HostArrays.copy(literal.asMemorySegment(), data(array), stored, source);
      }
    }
  }

  /** Returns a byte for each element of fewer bits; a device has the first in the lowest ones. */
  private static MemorySegment unpacked(MemorySegment packed, Shape.Array shape) {
    byte[] all = new byte[(int) shape.elementCount()];
    int bits = shape.elementType().bits();
    int each = Byte.SIZE / bits;
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) (packed.get(JAVA_BYTE, i / each) >> i % each * bits);
    }
    return MemorySegment.ofArray(all);
  }

  private static void pack(MemorySegment bytes, MemorySegment packed, int bits) {
    int each = Byte.SIZE / bits;
    packed.fill((byte) 0);
    for (int i = 0; i < bytes.byteSize(); i++) {
      int element = (bytes.get(JAVA_BYTE, i) & (1 << bits) - 1) << i % each * bits;
      packed.set(JAVA_BYTE, i / each, (byte) (packed.get(JAVA_BYTE, i / each) | element));
    }
  }

  private static Dims reversed(Dims dims) {
    return dims.at(Layout.rowMajor(dims.count()).minorToMajor());
  }

  private static Layout order(Shape.Array array) {
    return array.layout().orElse(Layout.rowMajor(array.rank()));
  }
}
