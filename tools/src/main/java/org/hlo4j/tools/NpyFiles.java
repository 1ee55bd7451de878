package org.hlo4j.tools;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/**
 * Writes {@code .npy} files, version 1. Types that NumPy does not have are stored as in the shared
 * programs: bf16 and f8 as their bits, integers narrower than a byte as values in bytes.
 */
final class NpyFiles {
  private NpyFiles() {}

  /** Writes an array. */
  static void write(Path file, Literal array) throws IOException {
    Shape.Array shape = array.arrayShape();
    try (var out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
      String header = header(shape);
      out.write(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0});
      out.writeShort(Short.reverseBytes((short) header.length()));
      out.write(header.getBytes(ISO_8859_1));
      int components = array.elementCount() * (shape.elementType().isComplex() ? 2 : 1);
      ElementType part = shape.elementType().componentType();
      for (int i = 0; i < components; i++) {
        long bits = part.isFloating() ? array.bitsAt(i) : array.longAt(i);
        for (int b = 0; b < Math.max(8, part.bits()); b += 8) {
          out.write((int) (bits >>> b));
        }
      }
    }
  }

  /** Padded with blanks to a multiple of 64 together with the 10 bytes before it. */
  private static String header(Shape.Array shape) {
    String sizes =
        LongStream.of(shape.sizes().toArray())
            .mapToObj(size -> size + ",")
            .collect(Collectors.joining(" "));
    String text =
        "{'descr': '"
            + descr(shape.elementType())
            + "', 'fortran_order': False, 'shape': ("
            + (shape.rank() > 1 ? sizes.substring(0, sizes.length() - 1) : sizes)
            + "), }";
    return text + " ".repeat(63 - (text.length() + 10) % 64) + "\n";
  }

  private static String descr(ElementType type) {
    int bytes = Math.max(8, type.bits()) / 8;
    String kind =
        switch (type.kind()) {
          case PRED -> "b";
          case SIGNED -> "i";
          case UNSIGNED -> "u";
          case FLOAT -> isNumPys(type) ? "f" : "u";
          case COMPLEX -> "c";
        };
    return (bytes == 1 ? "|" : "<") + kind + bytes;
  }

  private static boolean isNumPys(ElementType type) {
    return type == ElementType.F16 || type == ElementType.F32 || type == ElementType.F64;
  }
}
