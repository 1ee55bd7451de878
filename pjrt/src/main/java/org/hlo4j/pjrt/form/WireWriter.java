package org.hlo4j.pjrt.form;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.ByteArrayOutputStream;

/** A writer of a message of protocol buffers, field by field. Zeros are written as well. */
final class WireWriter {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int DELIMITED = 2;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @CanIgnoreReturnValue
  WireWriter number(int field, long value) {
    varint(((long) field << 3) | VARINT);
    varint(value);
    return this;
  }

  @CanIgnoreReturnValue
  WireWriter flag(int field, boolean value) {
    return number(field, value ? 1 : 0);
  }

  @CanIgnoreReturnValue
  WireWriter real(int field, double value) {
    varint(((long) field << 3) | FIXED64);
    long bits = Double.doubleToRawLongBits(value);
    for (int i = 0; i < Long.BYTES; i++) {
      out.write((int) (bits >>> (8 * i)));
    }
    return this;
  }

  @CanIgnoreReturnValue
  WireWriter bytes(int field, byte[] value) {
    varint(((long) field << 3) | DELIMITED);
    varint(value.length);
    out.writeBytes(value);
    return this;
  }

  @CanIgnoreReturnValue
  WireWriter text(int field, String value) {
    return bytes(field, value.getBytes(UTF_8));
  }

  @CanIgnoreReturnValue
  WireWriter message(int field, WireWriter value) {
    return bytes(field, value.toBytes());
  }

  private void varint(long value) {
    long left = value;
    while ((left & ~0x7FL) != 0) {
      out.write((int) (left & 0x7F) | 0x80);
      left >>>= 7;
    }
    out.write((int) left);
  }

  byte[] toBytes() {
    return out.toByteArray();
  }
}
