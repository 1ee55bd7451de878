package org.hlo4j.hlo.npy;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.source.RawElements;
import org.hlo4j.hlo.source.WholeFile;

/**
 * Reads and writes {@code .npy} files: versions 1 to 3, C and Fortran order, either byte order, of
 * every element type.
 *
 * <p>The types that NumPy does not have are stored as ml_dtypes stores them: bf16 as {@code V2},
 * and those of 8 bits and fewer as {@code V1}, one byte per element. A file does not say which of
 * them it holds; the caller that reads it has to.
 */
public final class Npy {
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
    return read(file, Optional.empty());
  }

  /**
   * Reads a file whose elements may be of a type that only ml_dtypes knows.
   *
   * @param file the file
   * @param voidType the type of the elements if the file calls them {@code V1}, such as s4
   * @return the array
   * @throws IOException if it cannot be read
   * @throws HloException if it is no .npy file, or of a type that is not read; it names the file
   */
  public static Literal read(Path file, ElementType voidType) throws IOException {
    return read(file, Optional.of(requireNonNull(voidType, "voidType")));
  }

  /**
   * Reads a file that should hold elements of a type. If NumPy lacks the type, the file may hold
   * their bits as unsigned integers or, for integers narrower than a byte, their values.
   *
   * @param file the file
   * @param type the type of the elements
   * @return the array, of that type, or of another one if the file holds something else
   * @throws IOException if it cannot be read
   * @throws HloException if it is no .npy file, or holds bits that are no value of the type
   */
  public static Literal readAs(Path file, ElementType type) throws IOException {
    requireNonNull(file, "file");
    requireNonNull(type, "type");
    return reinterpret(file.toString(), type.bits() <= 8 ? read(file, type) : read(file), type);
  }

  /**
   * Returns an array that holds the bits of another type, or the values of integers narrower than a
   * byte, as an array of that type. Any other array is returned unchanged.
   *
   * @param name where the array comes from, for messages
   * @param stored the array
   * @param wanted the type of its elements
   * @return the array
   * @throws HloException if an element is no value of the type
   */
  public static Literal reinterpret(String name, Literal stored, ElementType wanted) {
    requireNonNull(wanted, "wanted");
    requireNonNull(stored, "stored");
    return isStorage(wanted, stored.elementType()) ? converted(name, stored, wanted) : stored;
  }

  private static boolean isStorage(ElementType wanted, ElementType got) {
    boolean foreign =
        wanted == ElementType.BF16
            || (wanted.isFloating() && wanted.bits() <= 8)
            || (wanted.isIntegral() && wanted.bits() < 8);
    return foreign && got.isIntegral() && got.bits() == Math.max(8, wanted.bits());
  }

  private static Literal converted(String name, Literal stored, ElementType wanted) {
    LiteralBuilder literal = new LiteralBuilder(Shape.of(wanted, stored.arrayShape().sizes()));
    for (int i = 0; i < stored.elementCount(); i++) {
      long bits = stored.bitsAt(i);
      long value = wanted.isIntegral() ? wanted.wrap(bits) : bits;
      require(
          bits < 1L << wanted.bits() || (wanted.isIntegral() && (byte) value == (byte) bits),
          "",
          "%s: element %s got %s, want a value of %s",
          name,
          i,
          bits,
          wanted);
      literal.setBits(i, bits);
    }
    return literal.build();
  }

  private static Literal read(Path file, Optional<ElementType> voidType) throws IOException {
    requireNonNull(file, "file");
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      long size = Files.size(file);
      return read(in, voidType, size == 0 ? Double.POSITIVE_INFINITY : size);
    } catch (HloException refusal) {
      throw refusal.prefixed(file + ": ").withKind(HloException.Kind.PARSE);
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
    return read(stream, Optional.empty(), Double.POSITIVE_INFINITY);
  }

  /**
   * Reads an array from a stream, whose elements may be of a type that only ml_dtypes knows.
   *
   * @param stream the stream
   * @param voidType the type of the elements if the data calls them {@code V1}, such as s4
   * @return the array
   * @throws IOException if it cannot be read
   * @throws HloException if it is no .npy data, ends too early, or is of a type that is not read
   */
  public static Literal read(InputStream stream, ElementType voidType) throws IOException {
    return read(
        stream, Optional.of(requireNonNull(voidType, "voidType")), Double.POSITIVE_INFINITY);
  }

  /**
   * Reads an array of which at most {@code mostBytes} bytes are available, or infinity if that is
   * unknown; no more memory is allocated than bytes are available.
   */
  static Literal read(InputStream stream, Optional<ElementType> voidType, double mostBytes)
      throws IOException {
    DataInputStream in = new DataInputStream(requireNonNull(stream, "stream"));
    try {
      NpyHeader header = NpyHeader.read(in, voidType);
      if (RawElements.bytes(header.shape()) > mostBytes) {
        throw new EOFException();
      }
      boolean known = mostBytes < Double.POSITIVE_INFINITY;
      return readArray(known ? in : RawElements.announced(in, header.shape()), header);
    } catch (EOFException end) {
      throw new HloException("", "npy: the data got cut short, want the whole array");
    }
  }

  private static Literal readArray(InputStream in, NpyHeader header) throws IOException {
    Shape.Array shape = header.shape();
    if (!header.fortran()) {
      return RawElements.read(in, shape, header.order());
    }
    return transposed(RawElements.read(in, reversed(shape), header.order()), shape);
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

  /**
   * Returns the row-major elements of a literal whose dimensions are those of the shape in reverse
   * order.
   */
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

  // Writing.

  /**
   * Writes a file, as NumPy and ml_dtypes do. It is moved into its place once it is whole; a link
   * there is replaced.
   *
   * @param file the file
   * @param array the array
   * @throws IOException if it cannot be written
   * @throws HloException if it is a tuple or a token
   */
  public static void write(Path file, Literal array) throws IOException {
    requireNonNull(file, "file");
    requireNonNull(array, "array");
    array.arrayShape();
    WholeFile.write(file, out -> write(out, array));
  }

  /**
   * Writes an array to a stream, which stays open.
   *
   * @param out the stream
   * @param array the array
   * @throws IOException if it cannot be written
   * @throws HloException if it is a tuple or a token
   */
  public static void write(OutputStream out, Literal array) throws IOException {
    requireNonNull(out, "out");
    requireNonNull(array, "array");
    Shape.Array shape = array.arrayShape();
    NpyHeader.write(out, shape);
    RawElements.write(out, array);
  }
}
