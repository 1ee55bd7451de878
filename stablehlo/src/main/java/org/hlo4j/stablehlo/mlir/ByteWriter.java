package org.hlo4j.stablehlo.mlir;

import java.util.Arrays;

/** A buffer to which MLIR bytecode is written. */
final class ByteWriter {
  private byte[] bytes = new byte[256];
  private int size;

  private void reserve(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(size + more, 2 * size));
    }
  }

  void writeByte(int value) {
    reserve(1);
    bytes[size++] = (byte) value;
  }

  void write(byte[] more) {
    reserve(more.length);
    System.arraycopy(more, 0, bytes, size, more.length);
    size += more.length;
  }

  void write(ByteWriter other) {
    reserve(other.size);
    System.arraycopy(other.bytes, 0, bytes, size, other.size);
    size += other.size;
  }

  /**
   * Writes an unsigned number; the number of trailing zeros of the first byte is the number of
   * bytes that follow.
   */
  void varint(long value) {
    int more = 0;
    while (more < 8 && (value >>> (7 * (more + 1))) != 0) {
      more++;
    }
    if (more == 8) {
      writeByte(0);
      writeLittleEndian(value, Long.BYTES);
    } else {
      writeLittleEndian(((value << 1) | 1) << more, more + 1);
    }
  }

  private void writeLittleEndian(long value, int count) {
    for (int i = 0; i < count; i++) {
      writeByte((int) (value >>> (8 * i)));
    }
  }

  /** Writes a number with a flag in its lowest bit. */
  void varintWithFlag(long value, boolean flag) {
    varint(value << 1 | (flag ? 1 : 0));
  }

  /** Writes a section: its number, its length and its contents. */
  void section(int id, ByteWriter body) {
    writeByte(id);
    varint(body.size);
    write(body);
  }

  int size() {
    return size;
  }

  byte[] toByteArray() {
    return Arrays.copyOf(bytes, size);
  }
}
