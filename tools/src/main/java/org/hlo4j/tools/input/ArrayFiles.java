package org.hlo4j.tools.input;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.file.HloFiles;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.npy.Npz;
import org.hlo4j.tools.console.StandardInput;

/** The reading of files that hold an array. */
public final class ArrayFiles {
  /** The first byte of a {@code .npy} file, with which no text begins. */
  private static final byte NPY_FIRST = (byte) 0x93;

  private ArrayFiles() {}

  /**
   * Reads the input of a parameter: a {@code .npy} file, a file with an HLO literal, or the literal
   * itself, such as {@code f32[2] {1, 2}}.
   *
   * @param input the name of a file, or a literal
   * @param wanted the parameter's shape
   */
  static Literal read(String input, Shape wanted) throws IOException {
    if (StandardInput.isStandardInput(input)) {
      return read(input, StandardInput.read(input), wanted);
    }
    if (!exists(input) && LiteralArgument.isLiteral(input)) {
      return reinterpret(input, wanted, literal(input, input, wanted));
    }
    Path file = Path.of(input);
    require(!Files.isDirectory(file), "", "%s: is a directory, want an array", file);
    return Files.isRegularFile(file) && isNpy(file)
        ? readNpy(file, wanted)
        : read(input, HloFiles.readAll(file), wanted);
  }

  /** Returns whether there is a file of this name. */
  public static boolean exists(String name) {
    try {
      return !name.isEmpty() && Files.exists(Path.of(name));
    } catch (InvalidPathException notEvenAName) {
      return false;
    }
  }

  /** Reads the content of a {@code .npy} file, or a literal. */
  public static Literal read(String name, byte[] bytes, Shape wanted) throws IOException {
    if (bytes.length == 0 || bytes[0] != NPY_FIRST) {
      return reinterpret(name, wanted, literal(name, text(name, bytes), wanted));
    }
    InputStream in = new ByteArrayInputStream(bytes);
    Literal stored =
        isNarrow(wanted) ? Npy.read(in, ((Shape.Array) wanted).elementType()) : Npy.read(in);
    return reinterpret(name, wanted, stored);
  }

  /**
   * Reads the array of a {@code .npy} file; the wanted type is used if the file does not give it.
   */
  public static Literal readNpy(Path file, Shape wanted) throws IOException {
    return wanted instanceof Shape.Array array
        ? Npy.readAs(file, array.elementType())
        : Npy.read(file);
  }

  /**
   * Reads an array of an {@code .npz} file; the wanted type is used if the file does not give it.
   */
  static Literal readNpz(Path file, String name, Shape wanted) throws IOException {
    ElementType type = wanted instanceof Shape.Array array ? array.elementType() : ElementType.F32;
    return reinterpret(file + ": " + name, wanted, Npz.read(file, name, type));
  }

  /** Returns whether a file has the signature of an {@code .npz} file. */
  static boolean isNpz(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return false;
    }
    try (var in = Files.newInputStream(file)) {
      return in.read() == 'P' && in.read() == 'K';
    }
  }

  private static boolean isNarrow(Shape wanted) {
    return wanted instanceof Shape.Array array && array.elementType().bits() <= 8;
  }

  private static String text(String name, byte[] bytes) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException binary) {
      throw new HloException(
          HloException.Kind.PARSE, name + ": neither an .npy file nor a literal: not UTF-8 text");
    }
  }

  private static Literal literal(String name, String text, Shape wanted) {
    try {
      return LiteralArgument.parse(text, wanted);
    } catch (HloException refusal) {
      throw refusal.prefixed(name + ": neither an .npy file nor a literal: ");
    }
  }

  private static boolean isNpy(Path file) throws IOException {
    try (var in = Files.newInputStream(file)) {
      return in.read() == (NPY_FIRST & 0xff);
    }
  }

  /**
   * Converts a stored array to the wanted type if NumPy lacks that type. The file then holds its
   * bits or, for types narrower than a byte, its values. All other arrays are returned unchanged.
   */
  static Literal reinterpret(String name, Shape wanted, Literal stored) {
    if (!(wanted instanceof Shape.Array want) || !(stored.shape() instanceof Shape.Array)) {
      return stored;
    }
    return Npy.reinterpret(name, stored, want.elementType());
  }
}
