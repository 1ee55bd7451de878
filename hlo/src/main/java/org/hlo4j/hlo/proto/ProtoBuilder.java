package org.hlo4j.hlo.proto;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Utf8;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.proto.MessageType.Field;
import org.hlo4j.hlo.proto.MessageType.Wire;
import org.hlo4j.hlo.schema.ByteStrings;

/**
 * A builder of a message. Fields are written in the order of their numbers; zeros and empty strings
 * are omitted.
 */
final class ProtoBuilder {
  private final MessageType type;

  /**
   * The values of each field by number: either the bytes that follow the tag and, if delimited, the
   * length; or a message.
   */
  private final Map<Integer, List<Part>> parts = new TreeMap<>();

  /** The number of bytes when it is written, which {@link #size()} computes just before. */
  private long writtenSize;

  /** A value: either bytes or a message. */
  private sealed interface Part {
    final class Bytes implements Part {
      private final int wireCode;
      private final byte[] bytes;

      Bytes(int wireCode, byte[] bytes) {
        this.wireCode = wireCode;
        this.bytes = bytes;
      }
    }

    record Message(ProtoBuilder message) implements Part {}
  }

  private ProtoBuilder(MessageType type) {
    this.type = type;
  }

  static ProtoBuilder of(String messageName) {
    return new ProtoBuilder(Schema.message(messageName));
  }

  static ProtoBuilder of(MessageType type) {
    return new ProtoBuilder(type);
  }

  MessageType type() {
    return type;
  }

  /** Returns whether a field was put. */
  boolean has(String fieldName) {
    return parts.containsKey(type.field(fieldName).number());
  }

  private void add(int number, Part part) {
    parts.computeIfAbsent(number, _ -> new ArrayList<>()).add(part);
  }

  private void add(Field field, Wire wire, byte[] bytes) {
    add(field.number(), new Part.Bytes(wire.code(), bytes));
  }

  /** Adds a field in its serialized form. */
  void addRaw(int number, int wireCode, byte[] bytes) {
    add(number, new Part.Bytes(wireCode, bytes));
  }

  /** Returns an integer or enumeration. */
  ProtoBuilder put(String fieldName, long value) {
    return value == 0 ? this : putPresent(fieldName, value);
  }

  /** Sets an integer that is written even if it is 0. */
  ProtoBuilder putPresent(String fieldName, long value) {
    add(type.field(fieldName), Wire.VARINT, varint(value));
    return this;
  }

  ProtoBuilder put(String fieldName, boolean value) {
    return put(fieldName, value ? 1 : 0);
  }

  ProtoBuilder put(String fieldName, float value) {
    int bits = Float.floatToRawIntBits(value);
    if (bits != 0) {
      add(type.field(fieldName), Wire.FIXED32, littleEndian(bits, 4));
    }
    return this;
  }

  ProtoBuilder put(String fieldName, double value) {
    return Double.doubleToRawLongBits(value) == 0 ? this : putPresent(fieldName, value);
  }

  /** Sets a number that is written even if it is 0. */
  ProtoBuilder putPresent(String fieldName, double value) {
    add(type.field(fieldName), Wire.FIXED64, littleEndian(Double.doubleToRawLongBits(value), 8));
    return this;
  }

  private static byte[] littleEndian(long bits, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (bits >>> (8 * i));
    }
    return bytes;
  }

  ProtoBuilder put(String fieldName, String value) {
    return value.isEmpty() ? this : add(fieldName, value);
  }

  /** Adds a string to a repeated field, even if it is empty. */
  ProtoBuilder add(String fieldName, String value) {
    byte[] bytes = ByteStrings.encoded(value);
    require(
        Utf8.isWellFormed(bytes),
        Kind.UNSUPPORTED,
        "proto: %s got bytes that are no UTF-8, which a string of a protocol buffer cannot hold",
        fieldName);
    return putBytes(fieldName, bytes);
  }

  /** Sets bytes, or numbers that are already packed. */
  ProtoBuilder putBytes(String fieldName, byte[] value) {
    add(type.field(fieldName), Wire.DELIMITED, value);
    return this;
  }

  /** Sets packed integers; omits the field if there are none. */
  ProtoBuilder put(String fieldName, Dims values) {
    if (!values.isEmpty()) {
      ByteArrayOutputStream packed = new ByteArrayOutputStream();
      for (int i = 0; i < values.count(); i++) {
        writeVarint(packed, values.get(i));
      }
      putBytes(fieldName, packed.toByteArray());
    }
    return this;
  }

  /** Sets the message of a field, or adds one to a repeated field. */
  ProtoBuilder put(String fieldName, ProtoBuilder message) {
    add(type.field(fieldName).number(), new Part.Message(message));
    return this;
  }

  /** Returns the message of a field, which is created on first use. */
  ProtoBuilder at(String fieldName) {
    Field field = type.field(fieldName);
    List<Part> there = parts.getOrDefault(field.number(), List.of());
    if (!there.isEmpty() && there.get(0) instanceof Part.Message message) {
      return message.message();
    }
    ProtoBuilder message = of(field.message());
    put(fieldName, message);
    return message;
  }

  /** Adds all fields of another message of this type after the existing ones. */
  void putAll(ProtoBuilder other) {
    other.parts.forEach((number, list) -> list.forEach(part -> add(number, part)));
  }

  // Bytes.

  byte[] toBytes() {
    long size = size();
    require(
        size <= Integer.MAX_VALUE - 8,
        "",
        "proto: %s of %s bytes, want at most 2^31",
        type.name(),
        size);
    ByteBuffer out = ByteBuffer.allocate((int) size);
    write(out);
    return out.array();
  }

  private long size() {
    long size = 0;
    for (Map.Entry<Integer, List<Part>> field : parts.entrySet()) {
      for (Part part : field.getValue()) {
        size += varintSize((long) field.getKey() << 3) + size(part);
      }
    }
    writtenSize = size;
    return size;
  }

  private static long size(Part part) {
    long size =
        switch (part) {
          case Part.Bytes bytes -> bytes.bytes.length;
          case Part.Message message -> message.message().size();
        };
    return size + (isDelimited(part) ? varintSize(size) : 0);
  }

  private static boolean isDelimited(Part part) {
    return !(part instanceof Part.Bytes bytes) || bytes.wireCode == Wire.DELIMITED.code();
  }

  private void write(ByteBuffer out) {
    parts.forEach((number, list) -> list.forEach(part -> write(out, number, part)));
  }

  private static void write(ByteBuffer out, int number, Part part) {
    switch (part) {
      case Part.Bytes bytes -> {
        writeVarint(out, ((long) number << 3) | bytes.wireCode);
        if (isDelimited(part)) {
          writeVarint(out, bytes.bytes.length);
        }
        out.put(bytes.bytes);
      }
      case Part.Message message -> {
        writeVarint(out, ((long) number << 3) | Wire.DELIMITED.code());
        writeVarint(out, message.message().writtenSize);
        message.message().write(out);
      }
    }
  }

  private static byte[] varint(long value) {
    ByteBuffer out = ByteBuffer.allocate(varintSize(value));
    writeVarint(out, value);
    return out.array();
  }

  private static int varintSize(long value) {
    return Math.max(1, (70 - Long.numberOfLeadingZeros(value)) / 7);
  }

  private static void writeVarint(ByteBuffer out, long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    out.put((byte) rest);
  }

  static void writeVarint(ByteArrayOutputStream out, long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((byte) (rest | 0x80));
      rest >>>= 7;
    }
    out.write((byte) rest);
  }
}
