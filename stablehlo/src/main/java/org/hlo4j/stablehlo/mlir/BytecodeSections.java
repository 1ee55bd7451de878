package org.hlo4j.stablehlo.mlir;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The sections of a bytecode file, and its tables of strings, dialects and operation names. */
final class BytecodeSections {
  /** The newest supported version of the container. */
  static final int MAX_VERSION = 6;

  /** The first version in which a dialect may give its own version. */
  static final int DIALECT_VERSIONS = 1;

  /** The first version in which isolated regions are sections of their own. */
  static final int ISOLATED_SECTIONS = 2;

  /** The first version in which use-list orders may be given. */
  static final int USE_ORDERS = 3;

  /** The first version in which a block argument may have no location. */
  static final int OPTIONAL_LOCATIONS = 4;

  /** The first version in which operations encode their inherent attributes. */
  static final int PROPERTIES = 5;

  // The numbers of the sections.
  static final int STRINGS = 0;
  static final int DIALECTS = 1;
  static final int ENTRIES = 2;
  static final int ENTRY_SIZES = 3;
  static final int OPERATIONS = 4;
  private static final int RESOURCES = 5;
  private static final int RESOURCE_SIZES = 6;
  static final int PROPERTY_TABLE = 8;
  private static final int SECTIONS = 9;

  private static final byte[] MAGIC = {'M', 'L', (byte) 0xEF, 'R'};

  private final ByteReader header;
  final int version;
  private final @Nullable ByteReader[] sections = new @Nullable ByteReader[SECTIONS];
  private final List<ByteReader> strings = new ArrayList<>();
  private final List<@Nullable String> decoded = new ArrayList<>();
  final List<String> dialects = new ArrayList<>();
  final List<String> operationNames = new ArrayList<>();
  final BytecodeResources resources;

  static byte[] magic() {
    return MAGIC.clone();
  }

  /** Returns whether bytes have the signature of bytecode. */
  static boolean isBytecode(byte[] file) {
    return file.length >= MAGIC.length
        && java.util.Arrays.equals(file, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
  }

  BytecodeSections(byte[] file, BytecodeDialects known) {
    header = new ByteReader(file, 0, file.length);
    header.require(
        isBytecode(file), "got a file that does not begin with 4D 4C EF 52, want MLIR bytecode");
    header.slice(MAGIC.length);
    ByteReader place = new ByteReader(header);
    long given = header.varint();
    place.require(
        given >= 0 && given <= MAX_VERSION,
        "got version %s of MLIR bytecode, want at most %s",
        given,
        MAX_VERSION);
    version = (int) given;
    known.checkProducer(header.zeroTerminated("the producer").text());
    while (!header.isAtEnd()) {
      readSection();
    }
    readStrings(section(STRINGS));
    readDialects(section(DIALECTS));
    resources = new BytecodeResources(this, find(RESOURCE_SIZES), find(RESOURCES));
  }

  private void readSection() {
    int id = header.readByte();
    int number = id & 0x7f;
    header.require(number < sections.length, "got section %s, want one of 0 to 8", number);
    header.require(sections[number] == null, "got section %s twice", number);
    sections[number] = body(header, id);
  }

  /** Returns the contents of the section that begins here, which has to hold operations. */
  static ByteReader operations(ByteReader in) {
    int id = in.readByte();
    int number = id & 0x7f;
    in.require(number == OPERATIONS, "got section %s, want one with operations", number);
    return body(in, id);
  }

  private static ByteReader body(ByteReader in, int id) {
    long length = in.varint();
    if ((id & 0x80) != 0) {
      in.align(in.varint());
    }
    return in.slice(
        in.fitting(
            length, in.remaining(), "got section %s of %s bytes, the file has %s more", id & 0x7f));
  }

  ByteReader section(int id) {
    return find(id).orElseThrow(() -> header.refusal("section %s is missing", id));
  }

  private Optional<ByteReader> find(int id) {
    return Optional.ofNullable(sections[id]);
  }

  Optional<ByteReader> properties() {
    return find(PROPERTY_TABLE);
  }

  /** Reads the number of a string, and returns the string. */
  String string(ByteReader in) {
    return string(in.varint(), in);
  }

  private String string(long number, ByteReader in) {
    int index = in.index(number, strings.size(), "string");
    String known = decoded.get(index);
    if (known == null) {
      known = strings.get(index).text();
      decoded.set(index, known);
    }
    return known;
  }

  /** Reads the strings: their lengths in reverse order, followed by their characters. */
  private void readStrings(ByteReader in) {
    int[] lengths = new int[in.count("strings")];
    for (int i = lengths.length - 1; i >= 0; i--) {
      long length = in.varint();
      lengths[i] = requireLength(length, in);
    }
    for (int length : lengths) {
      // The length includes the terminating zero.
      ByteReader string = in.slice(requireLength(length, in));
      strings.add(string.slice(length - 1));
      decoded.add(null);
    }
  }

  private static int requireLength(long length, ByteReader in) {
    boolean fits = length >= 1 && length <= in.remaining();
    in.require(fits, "got a string of %s bytes, %s follow", length, in.remaining());
    return (int) length;
  }

  private void readDialects(ByteReader in) {
    int count = in.count("dialects");
    for (int i = 0; i < count; i++) {
      long name = in.varint();
      if (version >= DIALECT_VERSIONS) {
        if ((name & 1) != 0) {
          body(in, in.readByte());
        }
        name >>>= 1;
      }
      dialects.add(string(name, in));
    }
    if (version >= OPTIONAL_LOCATIONS) {
      in.varint();
    }
    while (!in.isAtEnd()) {
      String dialect = dialects.get(in.index(dialects.size(), "dialect"));
      int names = in.count("operation names");
      for (int i = 0; i < names; i++) {
        long name = in.varint();
        operationNames.add(dialect + "." + string(version >= PROPERTIES ? name >>> 1 : name, in));
      }
    }
  }
}
