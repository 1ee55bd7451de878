package org.hlo4j.hlo.npy;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/**
 * Reads {@code .npy} files, versions 1 to 3, C and Fortran order, either byte order, of NumPy's own
 * boolean, integer, float and complex types.
 */
public final class Npy {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  private static final int MOST_HEADER_BYTES = 1 << 16;

  private static final ImmutableMap<String, ElementType> TYPES =
      ImmutableMap.<String, ElementType>builder()
          .put("b1", ElementType.PRED)
          .put("i1", ElementType.S8)
          .put("i2", ElementType.S16)
          .put("i4", ElementType.S32)
          .put("i8", ElementType.S64)
          .put("u1", ElementType.U8)
          .put("u2", ElementType.U16)
          .put("u4", ElementType.U32)
          .put("u8", ElementType.U64)
          .put("f2", ElementType.F16)
          .put("f4", ElementType.F32)
          .put("f8", ElementType.F64)
          .put("c8", ElementType.C64)
          .put("c16", ElementType.C128)
          .buildOrThrow();

  private static final Pattern DESCR = Pattern.compile("'descr'\\s*:\\s*'([<>=|])(\\w+)'");
  private static final Pattern ORDER = Pattern.compile("'fortran_order'\\s*:\\s*(True|False)");
  private static final Pattern SHAPE = Pattern.compile("'shape'\\s*:\\s*\\(([0-9,\\s]*)\\)");

  private Npy() {}

  /**
   * Reads a file.
   *
   * @param file the file
   * @return the array
   * @throws IOException if it cannot be read
   * @throws HloException if it is no .npy file, or of a type that is not read; it names the file
   */
  public static Literal read(Path file) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      return read(in);
    } catch (HloException refusal) {
      throw refusal.prefixed(file + ": ");
    }
  }

  /**
   * Reads an array from a stream, to the end of the array.
   *
   * @param stream the stream
   * @return the array
   * @throws IOException if it cannot be read
   * @throws HloException if it is no .npy data, ends too early, or is of a type that is not read
   */
  public static Literal read(InputStream stream) throws IOException {
    DataInputStream in = new DataInputStream(stream);
    try {
      return readArray(in, readHeader(in));
    } catch (EOFException end) {
      throw new HloException("", "npy: the data got cut short, want the whole array");
    }
  }

  private static String readHeader(DataInputStream in) throws IOException {
    for (byte wanted : MAGIC) {
      require(in.readByte() == wanted, "", "npy: got other first bytes, want \\x93NUMPY");
    }
    int version = in.readByte();
    require(version >= 1 && version <= 3, "", "npy: version got %s, want 1, 2 or 3", version);
    in.readByte();
    long length =
        version == 1
            ? Short.toUnsignedInt(Short.reverseBytes(in.readShort()))
            : Integer.toUnsignedLong(Integer.reverseBytes(in.readInt()));
    require(
        length <= MOST_HEADER_BYTES,
        "",
        "npy: header of %s bytes, want at most %s",
        length,
        MOST_HEADER_BYTES);
    byte[] header = new byte[(int) length];
    in.readFully(header);
    return new String(header, StandardCharsets.UTF_8);
  }

  private static Literal readArray(DataInputStream in, String header) throws IOException {
    Matcher descr = field(DESCR, header, "a plain 'descr'");
    ElementType type =
        Optional.ofNullable(TYPES.get(descr.group(2)))
            .orElseThrow(() ->
                new HloException(
                    "", "npy: type got " + descr.group(2) + ", want one of " + TYPES.keySet()));
    boolean fortran = field(ORDER, header, "'fortran_order'").group(1).equals("True");
    Dims sizes = sizes(field(SHAPE, header, "'shape'").group(1));
    ByteOrder order = descr.group(1).equals(">") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    Shape.Array shape = Shape.of(type, sizes);
    Literal columns = elements(in, fortran ? reversed(shape) : shape, order);
    return fortran ? transposed(columns, shape) : columns;
  }

  private static Matcher field(Pattern pattern, String header, String what) {
    Matcher matcher = pattern.matcher(header);
    require(matcher.find(), "", "npy: header got %s, want %s in it", header.strip(), what);
    return matcher;
  }

  private static Dims sizes(String text) {
    try {
      return Dims.of(
          Pattern.compile(",")
              .splitAsStream(text)
              .map(String::strip)
              .filter(size -> !size.isEmpty())
              .mapToLong(Long::parseLong)
              .toArray());
    } catch (NumberFormatException tooLarge) {
      throw new HloException("", "npy: shape got (" + text + "), want sizes below 2^63");
    }
  }

  private static Literal elements(DataInputStream in, Shape.Array shape, ByteOrder order)
      throws IOException {
    ElementType part = shape.elementType().componentType();
    int bytes = Math.max(1, part.bits() / 8);
    LiteralBuilder builder = new LiteralBuilder(shape);
    int count = (int) shape.elementCount() * (shape.elementType().isComplex() ? 2 : 1);
    byte[] element = new byte[bytes];
    ByteBuffer view = ByteBuffer.wrap(element).order(order);
    for (int i = 0; i < count; i++) {
      in.readFully(element);
      builder.setBits(
          i,
          switch (bytes) {
            case 1 -> view.get(0);
            case 2 -> view.getShort(0);
            case 4 -> view.getInt(0);
            default -> view.getLong(0);
          });
    }
    return builder.build();
  }

  private static Shape.Array reversed(Shape.Array shape) {
    long[] sizes = shape.sizes().toArray();
    for (int i = 0; i < sizes.length / 2; i++) {
      long first = sizes[i];
      sizes[i] = sizes[sizes.length - 1 - i];
      sizes[sizes.length - 1 - i] = first;
    }
    return Shape.of(shape.elementType(), sizes);
  }

  /** Row-major elements of a literal whose dimensions are those of the shape, last first. */
  private static Literal transposed(Literal columns, Shape.Array shape) {
    LiteralBuilder builder = new LiteralBuilder(shape);
    long[] index = new long[shape.rank()];
    long[] swapped = new long[shape.rank()];
    for (int i = 0; i < shape.elementCount(); i++) {
      long rest = i;
      for (int d = index.length - 1; d >= 0; d--) {
        index[d] = rest % shape.size(d);
        swapped[index.length - 1 - d] = index[d];
        rest /= shape.size(d);
      }
      builder.copy(i, columns, columns.linear(swapped));
    }
    return builder.build();
  }
}
