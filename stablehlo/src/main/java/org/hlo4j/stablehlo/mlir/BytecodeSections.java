package org.hlo4j.stablehlo.mlir;

import java.util.ArrayList;
import java.util.List;
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
  private final int version;
  private final @Nullable ByteReader[] sections = new @Nullable ByteReader[SECTIONS];
  private final List<ByteReader> strings = new ArrayList<>();
  private final List<@Nullable String> decoded = new ArrayList<>();
  private final List<String> dialects = new ArrayList<>();
  private final List<String> operationNames = new ArrayList<>();
  private final BytecodeResources resources;

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
    if (!isBytecode(file)) {
      throw header.refusal("got a file that does not begin with 4D 4C EF 52, want MLIR bytecode");
    }
    header.slice(MAGIC.length);
    int place = header.position();
    long given = header.varint();
    if (given < 0 || given > MAX_VERSION) {
      throw new ByteReader(file, place, place)
          .refusal("got version %s of MLIR bytecode, want at most %s", given, MAX_VERSION);
    }
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
    if ((id & 0x7f) >= sections.length) {
      throw header.refusal("got section %s, want one of 0 to 8", id & 0x7f);
    }
    if (sections[id & 0x7f] != null) {
      throw header.refusal("got section %s twice", id & 0x7f);
    }
    sections[id & 0x7f] = body(header, id);
  }

  /** Returns the contents of the section that begins here, which has to hold operations. */
  static ByteReader operations(ByteReader in) {
    int id = in.readByte();
    if ((id & 0x7f) != OPERATIONS) {
      throw in.refusal("got section %s, want one with operations", id & 0x7f);
    }
    return body(in, id);
  }

  private static ByteReader body(ByteReader in, int id) {
    long length = in.varint();
    if ((id & 0x80) != 0) {
      in.align(in.varint());
    }
    if (length < 0 || length > in.remaining()) {
      throw in.refusal(
          "got section %s of %s bytes, the file has %s more",
          id & 0x7f, Long.toUnsignedString(length), in.remaining());
    }
    return in.slice((int) length);
  }

  private ByteReader section(int id) {
    ByteReader section = find(id);
    if (section == null) {
      throw header.refusal("section %s is missing", id);
    }
    return section;
  }

  private @Nullable ByteReader find(int id) {
    return sections[id];
  }

  int version() {
    return version;
  }

  ByteReader entries() {
    return section(ENTRIES);
  }

  ByteReader entrySizes() {
    return section(ENTRY_SIZES);
  }

  ByteReader operations() {
    return section(OPERATIONS);
  }

  @Nullable ByteReader properties() {
    return find(PROPERTY_TABLE);
  }

  BytecodeResources resources() {
    return resources;
  }

  List<String> dialects() {
    return dialects;
  }

  List<String> operationNames() {
    return operationNames;
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
    int count = in.count("strings");
    int[] lengths = new int[count];
    for (int i = count - 1; i >= 0; i--) {
      long length = in.varint();
      if (length < 1 || length > in.remaining()) {
        throw in.refusal("got a string of %s bytes, %s follow", length, in.remaining());
      }
      lengths[i] = (int) length;
    }
    for (int length : lengths) {
      if (length > in.remaining()) {
        throw in.refusal("got a string of %s bytes, %s follow", length, in.remaining());
      }
      // The length includes the terminating zero.
      ByteReader string = in.slice(length);
      strings.add(string.slice(length - 1));
      decoded.add(null);
    }
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
