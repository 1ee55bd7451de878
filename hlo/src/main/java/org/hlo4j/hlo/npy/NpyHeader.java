package org.hlo4j.hlo.npy;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.source.RawElements;

/**
 * The header of a {@code .npy} file.
 *
 * @param shape the element type and sizes of the array
 * @param order the byte order of an element
 * @param fortran whether the first dimension varies fastest
 */
record NpyHeader(Shape.Array shape, ByteOrder order, boolean fortran) {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  static final int MAGIC_BYTES = MAGIC.length;
  private static final int MAX_BYTES = 1 << 16;
  private static final int ALIGNMENT = 64;

  /** The types of NumPy, and those that ml_dtypes stores under an unambiguous name. */
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
          .put("V2", ElementType.BF16)
          .put("f1", ElementType.F8E5M2)
          .buildOrThrow();

  /** The name that ml_dtypes uses for all types of one byte or less that NumPy does not have. */
  private static final String BYTES = "V1";

  /** The other names that NumPy's {@code dtype} knows these types by. */
  private static final ImmutableMap<String, String> OTHER_NAMES =
      ImmutableMap.<String, String>builder()
          .put("?", "b1")
          .put("bool", "b1")
          .put("b", "i1")
          .put("int8", "i1")
          .put("h", "i2")
          .put("int16", "i2")
          .put("i", "i4")
          .put("int32", "i4")
          .put("q", "i8")
          .put("int64", "i8")
          .put("B", "u1")
          .put("uint8", "u1")
          .put("H", "u2")
          .put("uint16", "u2")
          .put("I", "u4")
          .put("uint32", "u4")
          .put("Q", "u8")
          .put("uint64", "u8")
          .put("e", "f2")
          .put("float16", "f2")
          .put("f", "f4")
          .put("float32", "f4")
          .put("d", "f8")
          .put("float64", "f8")
          .put("F", "c8")
          .put("complex64", "c8")
          .put("D", "c16")
          .put("complex128", "c16")
          .buildOrThrow();

  private static final Pattern DESCR =
      Pattern.compile(
          key("descr") + "[uU]?(?<quote>['\"])(?<order>[<>=|]?)(?<type>[\\w?]+)\\k<quote>");
  private static final Pattern ORDER =
      Pattern.compile(key("fortran_order") + "(?<fortran>True|False)\\b");

  private static final Pattern SHAPE =
      Pattern.compile(key("shape") + "\\((?<sizes>[0-9L,\\s]*)\\)");

  /** A size; Python 2 wrote those of the type long as 3L. */
  private static final Pattern SIZE = Pattern.compile("\\s*([0-9]+)L?\\s*");

  /**
   * Reads the header of a file.
   *
   * @param voidType the type of elements that the file calls V1, if that is known
   */
  static NpyHeader read(DataInputStream in, Optional<ElementType> voidType) throws IOException {
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
    require(length <= MAX_BYTES, "", "npy: header of %s bytes, want at most %s", length, MAX_BYTES);
    byte[] header = new byte[(int) length];
    in.readFully(header);
    return parse(new String(header, StandardCharsets.UTF_8), voidType);
  }

  /** Returns whether bytes are the first ones of a file. */
  static boolean isMagic(byte[] bytes) {
    return Arrays.equals(bytes, MAGIC);
  }

  /** Returns the pattern of a key of a Python dictionary. */
  private static String key(String name) {
    return "[uU]?(['\"])" + name + "\\1\\s*:\\s*";
  }

  private static NpyHeader parse(String header, Optional<ElementType> voidType) {
    Matcher descr = field(DESCR, header, "a plain 'descr'");
    ElementType type = type(descr.group("type"), voidType);
    boolean fortran = field(ORDER, header, "'fortran_order'").group("fortran").equals("True");
    Dims sizes = sizes(field(SHAPE, header, "'shape'").group("sizes"));
    ByteOrder order =
        descr.group("order").equals(">") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    return new NpyHeader(Shape.of(type, sizes), order, fortran);
  }

  private static ElementType type(String name, Optional<ElementType> voidType) {
    if (name.equals(BYTES)) {
      require(
          voidType.filter(NpyHeader::isStoredAsBytes).isPresent(),
          "",
          "npy: type got V1, which stands for each type of ml_dtypes of a byte or less, want to be"
              + " told which%s",
          voidType.map(type -> " rather than " + type).orElse(""));
      return voidType.orElseThrow();
    }
    return Optional.ofNullable(TYPES.get(OTHER_NAMES.getOrDefault(name, name)))
        .orElseThrow(() ->
            new HloException(
                "", "npy: type got " + name + ", want one of " + TYPES.keySet() + " or V1"));
  }

  /**
   * Returns whether ml_dtypes stores this type with one byte per element and NumPy does not have
   * it.
   */
  private static boolean isStoredAsBytes(ElementType type) {
    return type.bits() <= 8 && (!TYPES.containsValue(type) || type == ElementType.F8E5M2);
  }

  private static Matcher field(Pattern pattern, String header, String what) {
    Matcher matcher = pattern.matcher(header);
    require(matcher.find(), "", "npy: header got %s, want %s in it", header.strip(), what);
    return matcher;
  }

  private static Dims sizes(String tuple) {
    String text = tuple.strip();
    String inner =
        text.length() > 1 && text.endsWith(",") ? text.substring(0, text.length() - 1) : text;
    List<Long> sizes = new ArrayList<>();
    for (String size : inner.isEmpty() ? List.<String>of() : Splitter.on(',').split(inner)) {
      Matcher number = SIZE.matcher(size);
      require(number.matches(), "", "npy: shape got (%s), want a tuple of sizes", text);
      try {
        sizes.add(Long.parseLong(number.group(1)));
      } catch (NumberFormatException tooLarge) {
        throw new HloException("", "npy: shape got (" + text + "), want sizes below 2^63");
      }
    }
    return Dims.copyOf(sizes);
  }

  /** Writes the header of a little-endian array in C order, as NumPy does. */
  static void write(OutputStream out, Shape.Array shape) throws IOException {
    String text =
        String.format(
            "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
            descr(shape.elementType()), tuple(shape.sizes()));
    int prefix = MAGIC.length + 4;
    int unpadded = prefix + text.length() + 1;
    int padded = (unpadded + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    ByteBuffer bytes = ByteBuffer.allocate(padded).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put(MAGIC).put((byte) 1).put((byte) 0).putShort((short) (padded - prefix));
    bytes.put(text.getBytes(StandardCharsets.US_ASCII));
    bytes.put(" ".repeat(padded - unpadded).getBytes(StandardCharsets.US_ASCII)).put((byte) '\n');
    out.write(bytes.array());
  }

  /**
   * Returns NumPy's name of a type. F8E5M2 is written as {@code V1}; its name {@code f1} is only
   * read.
   */
  private static String descr(ElementType type) {
    String name =
        TYPES.entrySet().stream()
            .filter(entry -> entry.getValue() == type && type != ElementType.F8E5M2)
            .map(Map.Entry::getKey)
            .findFirst()
            .orElse(BYTES);
    return (RawElements.width(type) == 1 && !name.equals(BYTES) ? "|" : "<") + name;
  }

  private static String tuple(Dims sizes) {
    String comma = sizes.count() == 1 ? ",)" : ")";
    return sizes.stream().mapToObj(Long::toString).collect(Collectors.joining(", ", "(", comma));
  }
}
