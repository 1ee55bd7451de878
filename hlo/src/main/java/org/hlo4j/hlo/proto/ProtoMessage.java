package org.hlo4j.hlo.proto;

import com.google.common.collect.ImmutableList;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.proto.MessageType.Field;
import org.hlo4j.hlo.proto.MessageType.Wire;
import org.hlo4j.hlo.source.ReadLimits;
import org.jspecify.annotations.Nullable;

/**
 * A view of a serialized message: the positions of its fields. Values are decoded on request, and
 * no allocation is larger than the size of the file permits.
 */
final class ProtoMessage {
  private static final int MAX_DEPTH = 500;

  private final MessageType type;
  private final byte[] bytes;
  private final int start;
  private final ReadLimits limits;
  private final @Nullable ProtoMessage parent;
  private final String name;
  private final int depth;

  /** For each field in file order: number and wire type, and where its value begins and ends. */
  private final int[] entries;

  private final int count;

  private ProtoMessage(
      MessageType type,
      byte[] bytes,
      int start,
      int end,
      @Nullable ProtoMessage parent,
      String name) {
    this.type = type;
    this.bytes = bytes;
    this.start = start;
    this.parent = parent;
    this.limits = parent == null ? new ReadLimits("file", bytes.length) : parent.limits;
    this.name = name;
    this.depth = parent == null ? 0 : parent.depth + 1;
    if (depth > MAX_DEPTH) {
      throw refusal(start, "messages nested deeper than " + MAX_DEPTH + ", want fewer");
    }
    WireScanner scanner = new WireScanner(this, bytes, start, end);
    scanner.scan();
    this.entries = scanner.found();
    this.count = scanner.count();
  }

  /** Returns the message that some bytes encode. */
  static ProtoMessage of(String messageName, byte[] bytes) {
    return of(Schema.message(messageName), bytes);
  }

  /** Returns the message that some bytes encode. */
  static ProtoMessage of(MessageType type, byte[] bytes) {
    return new ProtoMessage(type, bytes, 0, bytes.length, null, "");
  }

  MessageType type() {
    return type;
  }

  /** Returns the account of the file. */
  ReadLimits limits() {
    return limits;
  }

  // Entries, in the order of the file.

  int entryCount() {
    return count;
  }

  int number(int entry) {
    return entries[3 * entry] >>> 3;
  }

  int wireCode(int entry) {
    return entries[3 * entry] & 7;
  }

  /** Returns the serialized value of an entry. */
  byte[] raw(int entry) {
    return Arrays.copyOfRange(bytes, from(entry), to(entry));
  }

  private int from(int entry) {
    return entries[3 * entry + 1];
  }

  private int to(int entry) {
    return entries[3 * entry + 2];
  }

  // Fields.

  /** Returns whether a field is there. */
  boolean has(String fieldName) {
    return last(type.field(fieldName)) >= 0;
  }

  /** Returns whether there is no other field than this one. */
  boolean hasOnly(String fieldName) {
    int number = type.field(fieldName).number();
    return IntStream.range(0, count).allMatch(i -> number(i) == number);
  }

  /** Returns the number of occurrences of a field; packed numbers count as one. */
  int count(String fieldName) {
    int number = type.field(fieldName).number();
    int times = 0;
    for (int i = 0; i < count; i++) {
      times += number(i) == number ? 1 : 0;
    }
    return times;
  }

  private int last(Field field) {
    for (int i = count - 1; i >= 0; i--) {
      if (number(i) == field.number()) {
        return i;
      }
    }
    return -1;
  }

  /** Returns an integer or enumeration; 0 if it is not there. */
  long integer(String fieldName) {
    Field field = type.field(fieldName);
    int entry = last(field);
    return entry < 0 ? 0 : varint(checked(entry, field, Wire.VARINT));
  }

  /** Returns an integer that must fit into 32 bits. */
  int smallInteger(String fieldName) {
    long value = integer(fieldName);
    if ((int) value != value) {
      throw refusal(fieldName, "got " + value + ", want an integer of 32 bits");
    }
    return (int) value;
  }

  boolean bool(String fieldName) {
    return integer(fieldName) != 0;
  }

  float floatValue(String fieldName) {
    Field field = type.field(fieldName);
    int entry = last(field);
    return entry < 0 ? 0 : buffer(checked(entry, field, Wire.FIXED32)).getFloat();
  }

  double doubleValue(String fieldName) {
    Field field = type.field(fieldName);
    int entry = last(field);
    return entry < 0 ? 0 : buffer(checked(entry, field, Wire.FIXED64)).getDouble();
  }

  /** Returns a string; empty if it is not there. */
  String string(String fieldName) {
    Field field = type.field(fieldName);
    int entry = last(field);
    return entry < 0 ? "" : string(checked(entry, field, Wire.DELIMITED), fieldName);
  }

  /** Returns the text of a field of strings or bytes; empty if it is not there or is no text. */
  String text(String fieldName) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(data(fieldName)).toString();
    } catch (CharacterCodingException noText) {
      return "";
    }
  }

  /** Returns all strings of a repeated field. */
  ImmutableList<String> strings(String fieldName) {
    Field field = type.field(fieldName);
    ImmutableList.Builder<String> strings = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      if (number(i) == field.number()) {
        strings.add(string(checked(i, field, Wire.DELIMITED), fieldName));
      }
    }
    return strings.build();
  }

  private String string(int entry, String fieldName) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(buffer(entry)).toString();
    } catch (CharacterCodingException noText) {
      throw refusal(fieldName, "got bytes that are no UTF-8, want text");
    }
  }

  /** Returns the bytes of a field of strings or bytes, a view; empty if it is not there. */
  ByteBuffer data(String fieldName) {
    Field field = type.field(fieldName);
    int entry = last(field);
    return entry < 0 ? ByteBuffer.allocate(0) : buffer(checked(entry, field, Wire.DELIMITED));
  }

  /** Returns a message; empty if it is absent. A message in several parts is merged. */
  Optional<ProtoMessage> message(String fieldName) {
    Field field = type.field(fieldName);
    int entry = last(field);
    if (entry < 0) {
      return Optional.empty();
    }
    if (count(fieldName) == 1) {
      return Optional.of(message(checked(entry, field, Wire.DELIMITED), field, fieldName));
    }
    byte[] parts = joined(field);
    return Optional.of(new ProtoMessage(field.message(), parts, 0, parts.length, this, fieldName));
  }

  private byte[] joined(Field field) {
    ByteArrayOutputStream parts = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      if (number(i) == field.number()) {
        checked(i, field, Wire.DELIMITED);
        parts.write(bytes, from(i), to(i) - from(i));
      }
    }
    return parts.toByteArray();
  }

  /** Returns a message, or an empty one. */
  ProtoMessage messageOrEmpty(String fieldName) {
    return message(fieldName)
        .orElseGet(() ->
            new ProtoMessage(
                type.field(fieldName).message(), bytes, start, start, this, fieldName));
  }

  /** Returns all messages of a repeated field. */
  ImmutableList<ProtoMessage> messages(String fieldName) {
    Field field = type.field(fieldName);
    ImmutableList.Builder<ProtoMessage> messages = ImmutableList.builder();
    int index = 0;
    for (int i = 0; i < count; i++) {
      if (number(i) == field.number()) {
        String element = fieldName + "[" + index++ + "]";
        messages.add(message(checked(i, field, Wire.DELIMITED), field, element));
      }
    }
    return messages.build();
  }

  private ProtoMessage message(int entry, Field field, String place) {
    return new ProtoMessage(field.message(), bytes, from(entry), to(entry), this, place);
  }

  /** Passes each integer of a repeated field, packed or not, to a consumer. */
  void forEachInteger(String fieldName, LongConsumer consumer) {
    Field field = type.field(fieldName);
    for (int i = 0; i < count; i++) {
      if (number(i) == field.number()) {
        boolean packed = wireCode(i) == Wire.DELIMITED.code();
        WireScanner in =
            new WireScanner(this, bytes, from(packed ? i : checked(i, field, Wire.VARINT)), to(i));
        while (in.hasMore()) {
          consumer.accept(in.varint());
        }
      }
    }
  }

  /** Returns how many integers a repeated field has. */
  int integerCount(String fieldName) {
    int number = type.field(fieldName).number();
    int values = 0;
    for (int i = 0; i < count; i++) {
      for (int at = from(i); number(i) == number && at < to(i); at++) {
        values += bytes[at] >= 0 ? 1 : 0;
      }
    }
    return values;
  }

  /** Returns all integers of a repeated field, packed or not. */
  long[] integers(String fieldName) {
    LongStream.Builder values = LongStream.builder();
    forEachInteger(fieldName, values::add);
    return values.build().toArray();
  }

  Dims dims(String fieldName) {
    return Dims.of(integers(fieldName));
  }

  /** Returns the bytes of all numbers of a repeated field of floats or doubles, packed or not. */
  ByteBuffer fixed(String fieldName) {
    Field field = type.field(fieldName);
    if (count(fieldName) == 1) {
      return buffer(last(field));
    }
    ByteArrayOutputStream parts = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      if (number(i) == field.number()) {
        parts.write(bytes, from(i), to(i) - from(i));
      }
    }
    return ByteBuffer.wrap(parts.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
  }

  private long varint(int entry) {
    return new WireScanner(this, bytes, from(entry), to(entry)).varint();
  }

  private ByteBuffer buffer(int entry) {
    return ByteBuffer.wrap(bytes, from(entry), to(entry) - from(entry))
        .slice()
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  private int checked(int entry, Field field, Wire wire) {
    if (wireCode(entry) != wire.code()) {
      throw refusal(
          from(entry),
          "field " + field.name() + " got wire type " + wireCode(entry) + ", want " + wire.code());
    }
    return entry;
  }

  // Places.

  /** Returns an error about a field. */
  HloException refusal(String fieldName, String what) {
    int entry = last(type.field(fieldName));
    return refusal(entry < 0 ? start : from(entry), fieldName + " " + what);
  }

  /** Returns an error about the message. */
  HloException refusal(String what) {
    return refusal(start, what);
  }

  /** Returns an error about a position in the file. */
  HloException refusal(int at, String what) {
    String path = path();
    String place = path.isEmpty() ? "" : " in " + path;
    return new HloException(HloException.Kind.PARSE, "proto: at byte " + at + place + ": " + what);
  }

  /** Runs a constructor, and adds the position of this message to its errors. */
  <T> T located(Supplier<T> make) {
    try {
      return make.get();
    } catch (HloException refusal) {
      if (refusal.kind() == HloException.Kind.PARSE) {
        throw refusal;
      }
      throw refusal.prefixed(refusal("").summary()).withKind(HloException.Kind.PARSE);
    }
  }

  /** Returns the path of this message, such as {@code computations[1].instructions[4].shape}. */
  String path() {
    if (parent == null) {
      return name;
    }
    String before = parent.path();
    return before.isEmpty() ? name : before + "." + name;
  }
}
