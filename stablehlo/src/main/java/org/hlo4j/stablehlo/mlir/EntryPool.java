package org.hlo4j.stablehlo.mlir;

import static org.hlo4j.hlo.HloException.Kind.LIMIT;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.schema.ByteStrings;

/**
 * The attributes, types and strings of a bytecode file that is being written, without duplicates.
 */
public final class EntryPool {
  /**
   * The contents of an entry.
   *
   * @param attribute whether it is an attribute; otherwise it is a type
   * @param dialect its dialect
   * @param encoded whether the dialect encodes it; otherwise it is stored as text
   * @param parts the encoding, or the text
   */
  record Key(boolean attribute, String dialect, boolean encoded, ImmutableList<Object> parts) {}

  private final Map<Key, EntryWriter.Entry> entries = new LinkedHashMap<>();
  private final Map<String, Integer> strings = new LinkedHashMap<>();
  private final Map<String, Integer> dialects = new LinkedHashMap<>();

  /** Creates an empty pool. */
  public EntryPool() {
    dialects.put("builtin", 0);
  }

  /**
   * {@return an attribute}
   *
   * @param dialect the dialect that encodes it
   * @param parts its encoded contents
   */
  public EntryWriter.Entry attribute(String dialect, EntryWriter parts) {
    return entry(new Key(true, dialect, true, parts.parts()));
  }

  /**
   * {@return a type}
   *
   * @param dialect the dialect that encodes it
   * @param parts its encoded contents
   */
  public EntryWriter.Entry type(String dialect, EntryWriter parts) {
    return entry(new Key(false, dialect, true, parts.parts()));
  }

  /** Returns an attribute or a type that is stored as text. */
  EntryWriter.Entry text(boolean attribute, String dialect, String text) {
    byte[] bytes = ByteStrings.encoded(text + "\0");
    return entry(new Key(attribute, dialect, false, ImmutableList.of(new EntryWriter.Raw(bytes))));
  }

  private EntryWriter.Entry entry(Key key) {
    dialect(key.dialect);
    return entries.computeIfAbsent(key, EntryPool::newEntry);
  }

  private static EntryWriter.Entry newEntry(Key key) {
    int highest = 0;
    for (Object part : key.parts) {
      int height =
          switch (part) {
            case EntryWriter.Entry entry -> entry.height;
            case EntryWriter.Flagged flagged -> flagged.entry().height;
            default -> 0;
          };
      highest = Math.max(highest, height);
    }
    require(
        highest < Nesting.MAX_HEIGHT,
        LIMIT,
        "artifact: got more than %s levels of nesting, want fewer",
        Nesting.MAX_HEIGHT);
    return new EntryWriter.Entry(key, highest + 1);
  }

  /** Returns the number of a dialect. */
  int dialect(String name) {
    return dialects.computeIfAbsent(name, any -> dialects.size());
  }

  /** Returns the number of a string. */
  int string(String value) {
    return strings.computeIfAbsent(value, any -> strings.size());
  }

  /** Numbers the entries, grouped by dialect. */
  void number() {
    for (boolean attribute : new boolean[] {true, false}) {
      int next = 0;
      for (String dialect : dialects.keySet()) {
        for (EntryWriter.Entry entry : group(attribute, dialect)) {
          entry.number = next++;
        }
      }
    }
  }

  private List<EntryWriter.Entry> group(boolean attribute, String dialect) {
    return entries.values().stream()
        .filter(entry -> entry.key.attribute == attribute && entry.key.dialect.equals(dialect))
        .toList();
  }

  /** Writes the bytes of an entry, of the properties of an operation, or of operations. */
  void write(List<Object> parts, ByteWriter out) {
    for (Object part : parts) {
      switch (part) {
        case EntryWriter.Varint number -> out.varint(number.value());
        case EntryWriter.Raw raw -> out.writeBytes(raw.bytes());
        case EntryWriter.Flagged flagged -> out.varintWithFlag(flagged.entry().number, true);
        case EntryWriter.Later later -> out.varint(later.number().getAsInt());
        case EntryWriter.Section section ->
            out.section(BytecodeSections.OPERATIONS, bytes(section.parts()));
        case EntryWriter.Entry entry -> out.varint(entry.number);
        case String string -> out.varint(string(string));
        default -> throw new IllegalArgumentException("no part of an entry: " + part);
      }
    }
  }

  ByteWriter bytes(List<Object> parts) {
    ByteWriter bytes = new ByteWriter();
    write(parts, bytes);
    return bytes;
  }

  /** Writes the entries and, separately, the size of each. */
  void writeEntries(ByteWriter data, ByteWriter sizes) {
    sizes.varint(entries.values().stream().filter(entry -> entry.key.attribute).count());
    sizes.varint(entries.values().stream().filter(entry -> !entry.key.attribute).count());
    for (boolean attribute : new boolean[] {true, false}) {
      dialects.forEach((dialect, number) -> writeGroup(attribute, dialect, number, data, sizes));
    }
  }

  private void writeGroup(
      boolean attribute, String dialect, int number, ByteWriter data, ByteWriter sizes) {
    List<EntryWriter.Entry> group = group(attribute, dialect);
    if (group.isEmpty()) {
      return;
    }
    sizes.varint(number);
    sizes.varint(group.size());
    for (EntryWriter.Entry entry : group) {
      int before = data.size();
      write(entry.key.parts, data);
      sizes.varintWithFlag(data.size() - before, entry.key.encoded);
    }
  }

  List<String> dialectNames() {
    return new ArrayList<>(dialects.keySet());
  }

  /**
   * Writes the strings: their lengths in reverse order, followed by their characters, each
   * terminated by a zero.
   */
  void writeStrings(ByteWriter out) {
    List<byte[]> encoded = new ArrayList<>();
    strings.keySet().forEach(each -> encoded.add(ByteStrings.encoded(each + "\0")));
    out.varint(encoded.size());
    encoded.reversed().forEach(each -> out.varint(each.length));
    encoded.forEach(out::writeBytes);
  }
}
