package org.hlo4j.tools.program;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.hlo4j.hlo.file.FileForm;

/**
 * The recognition of protocol buffers: XLA dumps messages other than modules with the same file
 * extension.
 */
public final class ProtocolBuffers {
  private ProtocolBuffers() {}

  /** Returns whether the bytes consist of fields of some message other than a module. */
  public static boolean isOtherMessage(byte[] bytes) {
    return FileForm.of(bytes) == FileForm.UNKNOWN && isMessage(ByteBuffer.wrap(bytes));
  }

  private static boolean isMessage(ByteBuffer bytes) {
    try {
      while (bytes.hasRemaining()) {
        long tag = varint(bytes);
        if (tag >>> 3 == 0 || !skip(bytes, (int) tag & 7)) {
          return false;
        }
      }
      return true;
    } catch (BufferUnderflowException truncated) {
      return false;
    }
  }

  /** Skips a value of a wire type; returns false if there is no such type. */
  private static boolean skip(ByteBuffer bytes, int wireType) {
    switch (wireType) {
      case 0 -> varint(bytes);
      case 1 -> bytes.getLong();
      case 2 -> skip(bytes, varint(bytes));
      case 5 -> bytes.getInt();
      default -> {
        return false;
      }
    }
    return true;
  }

  private static void skip(ByteBuffer bytes, long count) {
    if (count < 0 || count > bytes.remaining()) {
      throw new BufferUnderflowException();
    }
    bytes.position(bytes.position() + (int) count);
  }

  private static long varint(ByteBuffer bytes) {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      byte next = bytes.get();
      value |= (next & 0x7fL) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new BufferUnderflowException();
  }
}
