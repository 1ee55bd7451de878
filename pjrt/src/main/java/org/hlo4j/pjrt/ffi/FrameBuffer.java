package org.hlo4j.pjrt.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import com.google.common.base.Enums;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.pjrt.binding.Api;
import org.hlo4j.pjrt.binding.HostArrays;
import org.hlo4j.pjrt.binding.Table;
import org.hlo4j.pjrt.binding.View;

/**
 * An array that a plugin gives to a handler, or wants from it: an {@code XLA_FFI_Buffer}. It says
 * element type and sizes; in which order the elements are is known from the program alone.
 *
 * @param buffer the struct
 */
record FrameBuffer(View buffer) {
  private static final int TOKEN = Table.FFI.number("XLA_FFI_DataType_TOKEN");

  /** Returns the element type of a number, which is that of xla_data.proto and not PJRT's. */
  static ElementType elementType(long number) {
    String name = Table.FFI.constant("XLA_FFI_DataType", (int) number);
    return Enums.getIfPresent(ElementType.class, name)
        .toJavaUtil()
        .orElseThrow(() ->
            new HloException(
                Kind.UNSUPPORTED, "got the type " + name + ", want one of an array of hlo4j"));
  }

  /** Returns the shape, without a layout. */
  Shape shape() {
    long type = buffer.get("dtype");
    return type == TOKEN
        ? Shape.token()
        : Shape.of(elementType(type), Dims.of(buffer.longs("dims", "rank")));
  }

  private MemorySegment data(Shape.Array shape) {
    return Api.memory(buffer.get("data"), HostArrays.deviceBytes(shape));
  }

  /** Returns a copy of the elements in the order of a shape's layout; empty of a token. */
  Optional<Literal> read(Shape shape) {
    if (!(shape instanceof Shape.Array array)) {
      return Optional.empty();
    }
    Object storage = LiteralBuilder.newStorage(array);
    MemorySegment data = isPacked(array) ? unpacked(data(array), array) : data(array);
    HostArrays.copy(data, LiteralBuilder.segment(storage), array, array.layout().orElseThrow());
    return Optional.of(Literal.unsafeOf(array, storage));
  }

  /** Writes the elements of a literal in the order of a shape's layout. */
  void write(Literal literal, Shape.Array array) {
    MemorySegment bytes =
        isPacked(array) ? MemorySegment.ofArray(new byte[literal.elementCount()]) : data(array);
    array.layout().orElseThrow().fromRowMajor(literal.asMemorySegment(), bytes, array);
    if (isPacked(array)) {
      pack(bytes, data(array), array.elementType().bits());
    }
  }

  private static boolean isPacked(Shape.Array shape) {
    return shape.elementType().bits() < Byte.SIZE && shape.elementType() != ElementType.PRED;
  }

  /** Returns a byte for each element of fewer bits; a device has the first in the lowest ones. */
  private static MemorySegment unpacked(MemorySegment packed, Shape.Array shape) {
    byte[] all = new byte[(int) shape.elementCount()];
    int bits = shape.elementType().bits();
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) (packed.get(JAVA_BYTE, i * bits / Byte.SIZE) >> (i * bits % Byte.SIZE));
    }
    return MemorySegment.ofArray(all);
  }

  private static void pack(MemorySegment bytes, MemorySegment packed, int bits) {
    packed.fill((byte) 0);
    for (int i = 0; i < bytes.byteSize(); i++) {
      int at = i * bits / Byte.SIZE;
      int element = (bytes.get(JAVA_BYTE, i) & ((1 << bits) - 1)) << (i * bits % Byte.SIZE);
      packed.set(JAVA_BYTE, at, (byte) (packed.get(JAVA_BYTE, at) | element));
    }
  }
}
