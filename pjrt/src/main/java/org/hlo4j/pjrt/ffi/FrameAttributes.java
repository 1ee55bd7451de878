package org.hlo4j.pjrt.ffi;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.pjrt.binding.HostArrays;
import org.hlo4j.pjrt.binding.StructLayout;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/**
 * The attributes that a plugin gives to a handler: an {@code XLA_FFI_Attrs}, sorted by name.
 *
 * @param address where the struct is
 */
record FrameAttributes(long address) {
  private static final StructLayout ATTRIBUTES = Memory.TABLE.struct("XLA_FFI_Attrs");
  private static final StructLayout.Field COUNT = ATTRIBUTES.field("size");
  private static final StructLayout.Field KINDS = ATTRIBUTES.field("types");
  private static final StructLayout.Field NAMES = ATTRIBUTES.field("names");
  private static final StructLayout.Field VALUES = ATTRIBUTES.field("attrs");
  private static final StructLayout SPAN = Memory.TABLE.struct("XLA_FFI_ByteSpan");
  private static final StructLayout.Field BYTES = SPAN.field("ptr");
  private static final StructLayout.Field LENGTH = SPAN.field("len");
  private static final StructLayout SCALAR = Memory.TABLE.struct("XLA_FFI_Scalar");
  private static final StructLayout.Field SCALAR_TYPE = SCALAR.field("dtype");
  private static final StructLayout.Field SCALAR_VALUE = SCALAR.field("value");
  private static final StructLayout ARRAY = Memory.TABLE.struct("XLA_FFI_Array");
  private static final StructLayout.Field ARRAY_TYPE = ARRAY.field("dtype");
  private static final StructLayout.Field ARRAY_SIZE = ARRAY.field("size");
  private static final StructLayout.Field ARRAY_DATA = ARRAY.field("data");
  private static final int KIND_ARRAY = kind("ARRAY");
  private static final int KIND_DICTIONARY = kind("DICTIONARY");
  private static final int KIND_SCALAR = kind("SCALAR");
  private static final int KIND_STRING = kind("STRING");

  private static int kind(String name) {
    return Memory.TABLE.constant("XLA_FFI_AttrType", name).orElseThrow().value();
  }

  private int count() {
    return (int) Memory.get(address, COUNT);
  }

  private String name(int number) {
    return text(Memory.longAt(Memory.get(address, NAMES), number));
  }

  private static String text(long span) {
    return Memory.text(Memory.get(span, BYTES), Memory.get(span, LENGTH));
  }

  /** Returns the string of a name, if it is the only attribute. */
  Optional<String> only(String name) {
    return count() == 1
            && Memory.intAt(Memory.get(address, KINDS), 0) == KIND_STRING
            && name(0).equals(name)
        ? Optional.of(text(Memory.longAt(Memory.get(address, VALUES), 0)))
        : Optional.empty();
  }

  /** Returns the attributes as the dictionary that the program has. */
  Attribute.Dictionary decode() {
    ImmutableMap.Builder<String, Attribute> all = ImmutableMap.builder();
    for (int i = 0; i < count(); i++) {
      int kind = Memory.intAt(Memory.get(address, KINDS), i);
      long value = Memory.longAt(Memory.get(address, VALUES), i);
      all.put(name(i), decode(name(i), kind, value));
    }
    return new Attribute.Dictionary(all.buildOrThrow());
  }

  private static Attribute decode(String name, int kind, long value) {
    if (kind == KIND_STRING) {
      return new Attribute.Str(text(value));
    }
    if (kind == KIND_DICTIONARY) {
      return new FrameAttributes(value).decode();
    }
    if (kind == KIND_SCALAR) {
      ElementType type = FrameBuffer.elementType((int) Memory.get(value, SCALAR_TYPE));
      return scalar(elements(type, 1, Memory.get(value, SCALAR_VALUE)));
    }
    HloException.require(
        kind == KIND_ARRAY,
        Kind.UNSUPPORTED,
        "pjrt: got the attribute %s of kind %s of XLA's FFI, want 1 to 4",
        name,
        kind);
    ElementType type = FrameBuffer.elementType((int) Memory.get(value, ARRAY_TYPE));
    return array(elements(type, Memory.get(value, ARRAY_SIZE), Memory.get(value, ARRAY_DATA)));
  }

  private static Literal elements(ElementType type, long count, long data) {
    Shape.Array shape = Shape.of(type, count);
    Object storage = LiteralBuilder.newStorage(shape);
    MemorySegment bytes = Memory.bytes(data, HostArrays.bytes(shape));
    HostArrays.copy(bytes, HostArrays.segment(storage), shape, Layout.rowMajor(1));
    return Literal.unsafeOf(shape, storage);
  }

  private static Attribute scalar(Literal value) {
    ElementType type = value.elementType();
    Type written = Types.of(type);
    if (type.isComplex()) {
      Literal one = value;
      return new Attribute.Dense(
          new Type.Tensor(ImmutableList.of(), written, Optional.empty()),
          true,
          () -> one.withShape(Shape.of(type)));
    }
    if (type.isFloating()) {
      return new Attribute.Floating(value.doubleAt(0), written);
    }
    BigInteger number =
        type == ElementType.U64
            ? new BigInteger(Long.toUnsignedString(value.longAt(0)))
            : BigInteger.valueOf(value.longAt(0));
    return new Attribute.Int(number, written);
  }

  /** Returns a list, of those types that MLIR has lists of, or else a constant. */
  private static Attribute array(Literal values) {
    ElementType type = values.elementType();
    Type written = Types.of(type);
    boolean isList =
        switch (type) {
          case PRED, S8, S16, S32, S64, F32, F64 -> true;
          default -> false;
        };
    if (!isList) {
      ImmutableList<Long> sizes = ImmutableList.of((long) values.elementCount());
      return new Attribute.Dense(
          new Type.Tensor(sizes, written, Optional.empty()), false, () -> values);
    }
    ImmutableList.Builder<Long> bits = ImmutableList.builder();
    for (int i = 0; i < values.elementCount(); i++) {
      bits.add(type.isFloating() ? values.bitsAt(i) : values.longAt(i));
    }
    return new Attribute.DenseArray(written, bits.build());
  }
}
