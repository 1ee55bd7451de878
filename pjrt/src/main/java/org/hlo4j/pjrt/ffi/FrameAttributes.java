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

  /** Where a scalar has its value, and an array how many it has, and where. */
  private static final StructLayout.Field VALUE =
      Memory.TABLE.struct("XLA_FFI_Scalar").field("value");

  private static final StructLayout ARRAY = Memory.TABLE.struct("XLA_FFI_Array");
  private static final StructLayout.Field TYPE = ARRAY.field("dtype");
  private static final StructLayout.Field SIZE = ARRAY.field("size");
  private static final StructLayout.Field DATA = ARRAY.field("data");

  /** Returns the attributes as the dictionary that the program has. */
  Attribute.Dictionary decode() {
    ImmutableMap.Builder<String, Attribute> all = ImmutableMap.builder();
    for (int i = 0; i < Memory.get(address, COUNT); i++) {
      int kind = Memory.intAt(Memory.get(address, KINDS), i);
      String name = text(Memory.longAt(Memory.get(address, NAMES), i));
      all.put(name, decode(name, kind, Memory.longAt(Memory.get(address, VALUES), i)));
    }
    return new Attribute.Dictionary(all.buildOrThrow());
  }

  private static String text(long span) {
    return Memory.text(Memory.get(span, BYTES), Memory.get(span, LENGTH));
  }

  /** Returns an attribute of a kind, a number of {@code XLA_FFI_AttrType}. */
  private static Attribute decode(String name, int kind, long value) {
    return switch (kind) {
      case 1 -> array(elements(value, Memory.get(value, SIZE), Memory.get(value, DATA)));
      case 2 -> new FrameAttributes(value).decode();
      case 3 -> scalar(elements(value, 1, Memory.get(value, VALUE)));
      case 4 -> new Attribute.Str(text(value));
      default ->
          throw new HloException(
              Kind.UNSUPPORTED, "attribute " + name + " got the kind " + kind + ", want 1 to 4");
    };
  }

  private static Literal elements(long struct, long count, long data) {
    Shape.Array shape = Shape.of(FrameBuffer.elementType(Memory.get(struct, TYPE)), count);
    Object storage = LiteralBuilder.newStorage(shape);
    MemorySegment bytes = Memory.bytes(data, HostArrays.bytes(shape));
    HostArrays.copy(bytes, LiteralBuilder.segment(storage), shape, Layout.rowMajor(1));
    return Literal.unsafeOf(shape, storage);
  }

  private static Attribute scalar(Literal value) {
    Type type = Types.of(value.elementType());
    if (value.elementType().isFloating()) {
      return new Attribute.Floating(value.doubleAt(0), type);
    }
    String number = value.withShape(Shape.of(value.elementType())).toHloText();
    boolean isTrue = number.equals("true");
    return value.elementType() == ElementType.PRED
        ? Attribute.Int.bool(isTrue)
        : new Attribute.Int(new BigInteger(number), type);
  }

  /** Returns a list, of those types that MLIR has lists of, or else a constant. */
  private static Attribute array(Literal values) {
    ElementType type = values.elementType();
    ImmutableList<Long> sizes = ImmutableList.of((long) values.elementCount());
    boolean isFloat = type == ElementType.F32 || type == ElementType.F64;
    if (!isFloat && type.kind() != ElementType.Kind.SIGNED) {
      Type.Tensor tensor = new Type.Tensor(sizes, Types.of(type), Optional.empty());
      return new Attribute.Dense(tensor, false, () -> values);
    }
    ImmutableList.Builder<Long> numbers = ImmutableList.builder();
    for (int i = 0; i < values.elementCount(); i++) {
      numbers.add(isFloat ? values.bitsAt(i) : values.longAt(i));
    }
    return new Attribute.DenseArray(Types.of(type), numbers.build());
  }
}
