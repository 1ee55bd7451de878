package org.hlo4j.hlo.serial;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Enums;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;

/**
 * The serial form of a shape: its kind; for an array the element type, sizes, dynamic dimensions
 * and the layout; for a tuple its elements.
 */
public final class ShapeForm extends SerialForm<Shape> {
  private static final long serialVersionUID = 1L;

  private static final int ARRAY = 0;
  private static final int TUPLE = 1;
  private static final int BUFFER = 2;
  private static final int TOKEN = 3;
  private static final int OPAQUE = 4;

  /** What {@link Shape.Tuple} takes at most, which refuses it once it has read all. */
  static final int MAX_DEPTH = 200;

  static final int MAX_ELEMENTS = 2_000_000;

  /**
   * Creates the form of a shape.
   *
   * @param shape the shape
   */
  public ShapeForm(Shape shape) {
    super(shape);
  }

  @Override
  protected String what() {
    return "shape";
  }

  @Override
  protected void write(ObjectOutputStream out, Shape shape) throws IOException {
    writeShape(out, shape);
  }

  @Override
  protected Shape read(ObjectInputStream in) throws IOException {
    return readShape(in, 0);
  }

  private static void writeShape(ObjectOutputStream out, Shape shape) throws IOException {
    switch (shape) {
      case Shape.Array array -> {
        out.writeByte(ARRAY);
        writeArray(out, array);
      }
      case Shape.Tuple tuple -> {
        out.writeByte(TUPLE);
        out.writeInt(tuple.elements().size());
        for (Shape element : tuple.elements()) {
          writeShape(out, element);
        }
      }
      case Shape.Buffer buffer -> {
        out.writeByte(BUFFER);
        writeArray(out, buffer.array());
      }
      case Shape.Token _ -> out.writeByte(TOKEN);
      case Shape.Opaque _ -> out.writeByte(OPAQUE);
    }
  }

  private static Shape readShape(ObjectInputStream in, int depth) throws IOException {
    require(depth <= MAX_DEPTH, "", "got tuples more than %s deep, want fewer", MAX_DEPTH);
    int kind = in.readUnsignedByte();
    return switch (kind) {
      case ARRAY -> readArray(in);
      case TUPLE -> {
        int count = readCount(in, "elements of a tuple", MAX_ELEMENTS);
        ImmutableList.Builder<Shape> elements = ImmutableList.builder();
        for (int i = 0; i < count; i++) {
          elements.add(readShape(in, depth + 1));
        }
        yield new Shape.Tuple(elements.build());
      }
      case BUFFER -> Shape.buffer(readArray(in));
      case TOKEN -> Shape.token();
      case OPAQUE -> new Shape.Opaque();
      default ->
          throw new HloException("", "got kind " + kind + ", want one below " + (OPAQUE + 1));
    };
  }

  static void writeArray(ObjectOutputStream out, Shape.Array array) throws IOException {
    out.writeUTF(array.elementType().name());
    writeDims(out, array.sizes());
    for (int i = 0; i < array.rank(); i++) {
      out.writeBoolean(array.isDynamic(i));
    }
    out.writeBoolean(array.layout().isPresent());
    if (array.layout().isPresent()) {
      writeDims(out, array.layout().get().minorToMajor());
      writeBytes(out, array.layout().get().details().getBytes(UTF_8));
    }
  }

  static Shape.Array readArray(ObjectInputStream in) throws IOException {
    ElementType type = elementType(in.readUTF());
    Dims sizes = readDims(in, "sizes");
    ImmutableSortedSet.Builder<Integer> dynamic = ImmutableSortedSet.naturalOrder();
    for (int i = 0; i < sizes.count(); i++) {
      if (in.readBoolean()) {
        dynamic.add(i);
      }
    }
    Optional<Layout> layout = in.readBoolean() ? Optional.of(readLayout(in)) : Optional.empty();
    return new Shape.Array(type, sizes, dynamic.build(), layout);
  }

  private static ElementType elementType(String name) {
    return Enums.getIfPresent(ElementType.class, name)
        .toJavaUtil()
        .orElseThrow(() ->
            new HloException(
                "", "got the element type " + name + ", want one of this version of hlo4j"));
  }

  private static Layout readLayout(ObjectInputStream in) throws IOException {
    return new Layout(readDims(in, "dimensions of a layout"), new String(readBytes(in), UTF_8));
  }

  private static void writeDims(ObjectOutputStream out, Dims dims) throws IOException {
    out.writeInt(dims.count());
    for (long value : dims.toArray()) {
      out.writeLong(value);
    }
  }

  private static Dims readDims(ObjectInputStream in, String what) throws IOException {
    long[] values = new long[readCount(in, what, Shape.MAX_RANK)];
    for (int i = 0; i < values.length; i++) {
      values[i] = in.readLong();
    }
    return Dims.of(values);
  }

  static int readCount(ObjectInputStream in, String what, int most) throws IOException {
    int count = in.readInt();
    require(count >= 0 && count <= most, "", "got %s %s, want 0 to %s", count, what, most);
    return count;
  }
}
