package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.schema.ByteStrings;

/**
 * The attributes, types and strings of a bytecode file that is being written, without duplicates.
 */
public final class EntryPool {
  private record Key(
      boolean attribute, String dialect, boolean encoded, ImmutableList<Object> parts) {}

  private final Map<Key, EntryWriter.Entry> entries = new LinkedHashMap<>();
  private final Map<String, Integer> strings = new LinkedHashMap<>();
  private final Map<String, Integer> dialects = new LinkedHashMap<>();

  EntryPool() {
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
    return entries.computeIfAbsent(
        key,
        any -> {
          int height = height(key.parts);
          HloException.require(
              height <= Nesting.MAX_HEIGHT,
              HloException.Kind.LIMIT,
              "artifact: got more than %s levels of nesting, want fewer",
              Nesting.MAX_HEIGHT);
          return new EntryWriter.Entry(key.attribute, key.dialect, key.encoded, key.parts, height);
        });
  }

  /** Returns how many entries refer to each other, this one included. */
  private static int height(List<Object> parts) {
    int highest = 0;
    for (Object part : parts) {
      if (part instanceof EntryWriter.Entry entry) {
        highest = Math.max(highest, entry.height);
      } else if (part instanceof EntryWriter.OptionalEntry maybe) {
        highest = Math.max(highest, maybe.entry().map(entry -> entry.height).orElse(0));
      }
    }
    return highest + 1;
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
    int[] next = new int[2];
    for (String dialect : dialects.keySet()) {
      for (EntryWriter.Entry entry : entries.values()) {
        if (entry.dialect.equals(dialect)) {
          entry.number = next[entry.attribute ? 0 : 1]++;
        }
      }
    }
  }

  /** Writes the bytes of an entry, or the properties of an operation. */
  void write(List<Object> parts, ByteWriter out) {
    for (Object part : parts) {
      switch (part) {
        case EntryWriter.Varint number -> out.varint(number.value());
        case EntryWriter.Raw raw -> out.write(raw.bytes());
        case EntryWriter.OptionalEntry maybe ->
            out.varint(maybe.entry().map(entry -> entry.number * 2L + 1).orElse(0L));
        case EntryWriter.Entry entry -> out.varint(entry.number);
        case String string -> out.varint(string(string));
        default -> throw new IllegalArgumentException("no part of an entry: " + part);
      }
    }
  }

  /** Writes the entries and, separately, the size of each. */
  void writeEntries(ByteWriter data, ByteWriter sizes) {
    sizes.varint(entries.values().stream().filter(entry -> entry.attribute).count());
    sizes.varint(entries.values().stream().filter(entry -> !entry.attribute).count());
    for (boolean attribute : new boolean[] {true, false}) {
      dialects.forEach((dialect, number) -> writeGroup(attribute, dialect, number, data, sizes));
    }
  }

  private void writeGroup(
      boolean attribute, String dialect, int number, ByteWriter data, ByteWriter sizes) {
    List<EntryWriter.Entry> group = new ArrayList<>();
    for (EntryWriter.Entry entry : entries.values()) {
      if (entry.attribute == attribute && entry.dialect.equals(dialect)) {
        group.add(entry);
      }
    }
    if (group.isEmpty()) {
      return;
    }
    sizes.varint(number);
    sizes.varint(group.size());
    for (EntryWriter.Entry entry : group) {
      int before = data.size();
      write(entry.parts, data);
      sizes.varintWithFlag(data.size() - before, entry.encoded);
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
    encoded.forEach(out::write);
  }
}
