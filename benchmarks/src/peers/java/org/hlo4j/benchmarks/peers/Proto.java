package org.hlo4j.benchmarks.peers;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** A writer of a protocol buffer, field by field. */
final class Proto {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  private Proto varint(long value) {
    for (; (value & ~0x7FL) != 0; value >>>= 7) {
      bytes.write((int) (value & 0x7F | 0x80));
    }
    bytes.write((int) value);
    return this;
  }

  Proto number(int field, long value) {
    return varint(field << 3).varint(value);
  }

  Proto real(int field, float value) {
    varint(field << 3 | 5);
    bytes.writeBytes(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putFloat(value).array());
    return this;
  }

  Proto text(int field, String value) {
    return data(field, value.getBytes(StandardCharsets.UTF_8));
  }

  Proto message(int field, Proto value) {
    return data(field, value.toBytes());
  }

  Proto data(int field, byte[] value) {
    varint(field << 3 | 2).varint(value.length);
    bytes.writeBytes(value);
    return this;
  }

  byte[] toBytes() {
    return bytes.toByteArray();
  }
}
