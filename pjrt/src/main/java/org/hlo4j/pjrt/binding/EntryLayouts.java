package org.hlo4j.pjrt.binding;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;

/**
 * Reads what the parameters of a compiled program are from its {@code HloModuleProto}, and nothing
 * else of it: types, sizes and layouts, which PJRT's interface does not give by itself and no
 * plugin compares with the arguments of a run.
 */
public final class EntryLayouts {
  /** Numbers of fields: of HloModuleProtoWithConfig, HloModuleProto, ProgramShapeProto. */
  private static final int MODULE = 1;

  private static final int PROGRAM_SHAPE = 4;
  private static final int PARAMETERS = 1;

  /** Of ShapeProto. */
  private static final int TYPE = 2;

  private static final int SIZES = 3;
  private static final int LAYOUT = 5;

  /** Of LayoutProto. */
  private static final int ORDER = 1;

  private static final int TILES = 6;

  private static final ImmutableMap<Long, ElementType> TYPES = types();

  private EntryLayouts() {}

  /** The numbers of xla_data.proto, which XLA's FFI has as well. */
  private static ImmutableMap<Long, ElementType> types() {
    ImmutableMap.Builder<Long, ElementType> all = ImmutableMap.builder();
    Table ffi = Table.read("ffi-0.3.tsv");
    for (ElementType type : ElementType.values()) {
      ffi.constant("XLA_FFI_DataType", type.name())
          .ifPresent(known -> all.put((long) known.value(), type));
    }
    return all.buildOrThrow();
  }

  /**
   * {@return the shapes of the parameters with their layouts, empty if they are not all arrays}
   *
   * @param format {@code hlo_with_config} or {@code hlo}
   * @param program the optimized program
   */
  public static Optional<ImmutableList<Shape.Array>> read(String format, byte[] program) {
    ByteBuffer all = ByteBuffer.wrap(program);
    ByteBuffer module =
        format.equals("hlo") ? all : messages(all, MODULE).stream().findFirst().orElse(all);
    List<ByteBuffer> shapes = messages(module, PROGRAM_SHAPE);
    if (shapes.isEmpty()) {
      return Optional.empty();
    }
    List<Optional<Shape.Array>> parameters =
        messages(shapes.get(0), PARAMETERS).stream().map(EntryLayouts::shape).toList();
    return parameters.stream().allMatch(Optional::isPresent)
        ? Optional.of(
            parameters.stream().map(Optional::orElseThrow).collect(ImmutableList.toImmutableList()))
        : Optional.empty();
  }

  private static Optional<Shape.Array> shape(ByteBuffer proto) {
    ElementType type = integers(proto, TYPE).stream().findFirst().map(TYPES::get).orElse(null);
    if (type == null) {
      return Optional.empty();
    }
    Shape.Array array = Shape.of(type, Dims.copyOf(integers(proto, SIZES)));
    return Optional.of(
        messages(proto, LAYOUT).stream()
            .findFirst()
            .map(EntryLayouts::layout)
            .map(array::withLayout)
            .orElse(array));
  }

  private static Layout layout(ByteBuffer proto) {
    String tiles = messages(proto, TILES).isEmpty() ? "" : "T()";
    return new Layout(Dims.copyOf(integers(proto, ORDER)), tiles);
  }

  /** Returns the messages of a field. */
  private static List<ByteBuffer> messages(ByteBuffer proto, int field) {
    List<ByteBuffer> all = new ArrayList<>();
    fields(proto, field, (wire, value) -> all.add(value));
    return all;
  }

  /** Returns the integers of a field, packed or not. */
  private static List<Long> integers(ByteBuffer proto, int field) {
    List<Long> all = new ArrayList<>();
    fields(
        proto,
        field,
        (wire, value) -> {
          while (value.hasRemaining()) {
            all.add(varint(value));
          }
        });
    return all;
  }

  private interface Reader {
    void take(int wire, ByteBuffer value);
  }

  private static void fields(ByteBuffer proto, int field, Reader reader) {
    ByteBuffer rest = proto.duplicate();
    while (rest.hasRemaining()) {
      long tag = varint(rest);
      int wire = (int) (tag & 7);
      ByteBuffer value = value(rest, wire);
      if (tag >>> 3 == field) {
        reader.take(wire, value);
      }
    }
  }

  private static ByteBuffer value(ByteBuffer rest, int wire) {
    int from = rest.position();
    int size =
        switch (wire) {
          case 0 -> {
            varint(rest);
            int end = rest.position();
            rest.position(from);
            yield end - from;
          }
          case 1 -> Long.BYTES;
          case 2 -> (int) varint(rest);
          case 5 -> Integer.BYTES;
          default -> -1;
        };
    HloException.require(
        size >= 0 && size <= rest.remaining(),
        HloException.Kind.PARSE,
        "pjrt: got a broken optimized program, want a proto");
    ByteBuffer value = rest.slice(rest.position(), size);
    rest.position(rest.position() + size);
    return value;
  }

  private static long varint(ByteBuffer from) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE && from.hasRemaining(); shift += 7) {
      byte next = from.get();
      value |= (next & 0x7fL) << shift;
      if (next >= 0) {
        break;
      }
    }
    return value;
  }
}
