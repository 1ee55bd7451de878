package org.hlo4j.stablehlo.mlir;

import java.io.ByteArrayOutputStream;

/** A buffer to which MLIR bytecode is written. */
final class ByteWriter extends ByteArrayOutputStream {
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
      write(0);
      writeLittleEndian(value, Long.BYTES);
    } else {
      writeLittleEndian(((value << 1) | 1) << more, more + 1);
    }
  }

  private void writeLittleEndian(long value, int count) {
    for (int i = 0; i < count; i++) {
      write((int) (value >>> (8 * i)));
    }
  }

  /** Writes a number with a flag in its lowest bit. */
  void varintWithFlag(long value, boolean flag) {
    varint(value << 1 | (flag ? 1 : 0));
  }

  /** Writes a section: its number, its length and its contents. */
  void section(int id, ByteWriter body) {
    write(id);
    sized(body);
  }

  /** Writes a length and so many bytes. */
  void sized(ByteWriter body) {
    varint(body.size());
    writeBytes(body.toByteArray());
  }
}
