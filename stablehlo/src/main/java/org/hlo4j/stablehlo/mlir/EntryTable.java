package org.hlo4j.stablehlo.mlir;

import static org.hlo4j.hlo.HloException.Kind.LIMIT;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The tables of attributes and types of a bytecode file. An entry is decoded on first access, since
 * it may refer to later ones.
 */
final class EntryTable {

  /**
   * The largest number of entries that one entry consists of, where an entry that is referenced
   * repeatedly counts each time. Otherwise a short file could hold a value that takes very long to
   * compare.
   */
  private static final int MAX_WEIGHT = 1 << 20;

  /** The corresponding limit for locations, which every operation has. */
  private static final int MAX_LOCATION_WEIGHT = 1 << 13;

  /**
   * The corresponding limit for all entries together, to which {@link #TOTAL_PER_ENTRY} is added
   * for each entry.
   */
  private static final int MAX_TOTAL_WEIGHT = 1 << 22;

  private static final int TOTAL_PER_ENTRY = 1 << 9;

  /** The bytes of an entry, and its value once it has been decoded. */
  private static final class Entry {
    final String dialect;
    final EntryReader bytes;
    final boolean encoded;
    @Nullable Object value;
    long weight;
    boolean isBeingDecoded;

    Entry(String dialect, EntryReader bytes, boolean encoded) {
      this.dialect = dialect;
      this.bytes = bytes;
      this.encoded = encoded;
    }
  }

  final BytecodeSections sections;
  private final BytecodeDialects dialects;
  private final List<Entry> attributes;
  private final List<Entry> types;

  /** Canonical instances of types, so that equal types are identical and compare quickly. */
  private final Map<Type, Type> equalTypes = new HashMap<>();

  private int depth;
  private long weight;
  private long total;

  EntryTable(BytecodeSections sections, BytecodeDialects dialects) {
    this.sections = sections;
    this.dialects = dialects;
    ByteReader sizes = sections.section(BytecodeSections.ENTRY_SIZES);
    ByteReader data = sections.section(BytecodeSections.ENTRIES);
    int attributeCount = sizes.count("attributes");
    int typeCount = sizes.count("types");
    attributes = readEntries(attributeCount, sizes, data);
    types = readEntries(typeCount, sizes, data);
  }

  private List<Entry> readEntries(int count, ByteReader sizes, ByteReader data) {
    List<Entry> entries = new ArrayList<>();
    while (entries.size() < count) {
      String dialect = sections.dialects.get(sizes.index(sections.dialects.size(), "dialect"));
      int group = sizes.count("entries");
      for (int i = 0; i < group; i++) {
        long size = sizes.varint();
        int length =
            sizes.fitting(
                size >>> 1, data.remaining(), "got %s of %s bytes, %s follow", "an entry");
        EntryReader bytes = new EntryReader(data.slice(length), this);
        entries.add(new Entry(dialect, bytes, (size & 1) != 0));
      }
    }
    return entries;
  }

  Attribute attribute(long index, ByteReader from) {
    int place = from.index(index, attributes.size(), "attribute");
    return (Attribute) value(attributes.get(place), "attribute ", place, this::attributeOf);
  }

  Type type(long index, ByteReader from) {
    int place = from.index(index, types.size(), "type");
    return (Type) value(types.get(place), "type ", place, this::typeOf);
  }

  private int size() {
    return attributes.size() + types.size();
  }

  Location location(long index, ByteReader from) {
    if (attribute(index, from) instanceof Attribute.OfLocation location) {
      return location.location();
    }
    throw from.refusal("got attribute %s as a location, but it is none", index);
  }

  private Object value(Entry entry, String kind, int place, Function<Entry, Object> decoder) {
    Object value = entry.value;
    if (value == null) {
      entry.bytes.setSubject(kind + place);
      value = decoded(entry, decoder);
      entry.value = value;
    }
    weight += entry.weight;
    return value;
  }

  private Object decoded(Entry entry, Function<Entry, Object> decoder) {
    int most = Nesting.MAX_HEIGHT;
    entry.bytes.require(!entry.isBeingDecoded, "it refers to itself");
    entry.bytes.require(++depth <= most, "entries refer to each other more than %s deep", most);
    entry.isBeingDecoded = true;
    long outside = weight;
    weight = 1;
    Object value = decoder.apply(entry);
    int limit = value instanceof Attribute.OfLocation ? MAX_LOCATION_WEIGHT : MAX_WEIGHT;
    total += weight;
    if (weight > limit || total > MAX_TOTAL_WEIGHT + (long) TOTAL_PER_ENTRY * size()) {
      throw entry.bytes.refusal(LIMIT, "it consists of too many entries, %s", weight);
    }
    entry.weight = weight;
    weight = outside;
    depth--;
    return value;
  }

  private Attribute attributeOf(Entry entry) {
    return entry.encoded
        ? encoding(entry).attribute(entry.bytes)
        : EntryText.attribute(entry.dialect, entry.bytes.zeroTerminated("a text"), dialects.text());
  }

  private Type typeOf(Entry entry) {
    Type type =
        entry.encoded
            ? encoding(entry).type(entry.bytes)
            : EntryText.type(entry.bytes.zeroTerminated("a text"), dialects.text());
    Type equal = equalTypes.putIfAbsent(type, type);
    return equal == null ? type : equal;
  }

  private DialectEncoding encoding(Entry entry) {
    if (entry.dialect.equals("builtin")) {
      return BuiltinEncoding.INSTANCE;
    }
    return dialects
        .encoding(entry.dialect)
        .orElseThrow(() -> entry.bytes.refusal("dialect %s is not known", entry.dialect));
  }
}
