package org.hlo4j.pjrt.ffi;

import static java.lang.foreign.ValueLayout.JAVA_INT;

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
import org.hlo4j.pjrt.binding.Api;
import org.hlo4j.pjrt.binding.HostArrays;
import org.hlo4j.pjrt.binding.Table;
import org.hlo4j.pjrt.binding.View;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/** The attributes that a plugin gives to a handler: an {@code XLA_FFI_Attrs}, sorted by name. */
final class FrameAttributes {
  private FrameAttributes() {}

  /** Returns the attributes as the dictionary that the program has. */
  static Attribute.Dictionary decode(View attributes) {
    ImmutableMap.Builder<String, Attribute> all = ImmutableMap.builder();
    long[] names = attributes.longs("names", "size");
    long[] values = attributes.longs("attrs", "size");
    MemorySegment kinds = Api.memory(attributes.get("types"), names.length * (long) Integer.BYTES);
    for (int i = 0; i < names.length; i++) {
      String name = text(names[i]);
      all.put(name, decode(name, kinds.getAtIndex(JAVA_INT, i), values[i]));
    }
    return new Attribute.Dictionary(all.buildOrThrow());
  }

  private static String text(long span) {
    return Table.FFI.view("XLA_FFI_ByteSpan", span).text("ptr", "len");
  }

  /** Returns an attribute of a kind, a number of {@code XLA_FFI_AttrType}. */
  private static Attribute decode(String name, int kind, long value) {
    View array = Table.FFI.view("XLA_FFI_Array", value);
    View scalar = Table.FFI.view("XLA_FFI_Scalar", value);
    return switch (kind) {
      case 1 -> array(elements(array.get("dtype"), array.get("size"), array.get("data")));
      case 2 -> decode(Table.FFI.view("XLA_FFI_Attrs", value));
      case 3 -> scalar(elements(scalar.get("dtype"), 1, scalar.get("value")));
      case 4 -> new Attribute.Str(text(value));
      default ->
          throw new HloException(
              Kind.UNSUPPORTED, "attribute " + name + " got the kind " + kind + ", want 1 to 4");
    };
  }

  private static Literal elements(long type, long count, long data) {
    Shape.Array shape = Shape.of(FrameBuffer.elementType(type), count);
    Object storage = LiteralBuilder.newStorage(shape);
    MemorySegment bytes = Api.memory(data, HostArrays.bytes(shape));
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
