package org.hlo4j.hlo.safetensors;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Bytes that are read at positions, by several threads at a time. */
interface TensorBytes {
  long size() throws IOException;

  /** Reads bytes from a position on, as many as there are or as fit; -1 at the end. */
  int read(ByteBuffer into, long position) throws IOException;

  void close() throws IOException;

  /** The bytes of a file. */
  static TensorBytes of(FileChannel channel) {
    return new TensorBytes() {
      @Override
      public long size() throws IOException {
        return channel.size();
      }

      @Override
      public int read(ByteBuffer into, long position) throws IOException {
        return channel.read(into, position);
      }

      @Override
      public void close() throws IOException {
        channel.close();
      }
    };
  }

  /** The bytes of a buffer from its position to its limit. */
  static TensorBytes of(ByteBuffer buffer) {
    ByteBuffer bytes = buffer.slice();
    return new TensorBytes() {
      @Override
      public long size() {
        return bytes.limit();
      }

      @Override
      public int read(ByteBuffer into, long position) {
        if (position >= bytes.limit()) {
          return -1;
        }
        int count = Math.min(into.remaining(), bytes.limit() - (int) position);
        into.put(bytes.slice((int) position, count));
        return count;
      }

      @Override
      public void close() {}
    };
  }
}
