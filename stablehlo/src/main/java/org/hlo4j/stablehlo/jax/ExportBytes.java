package org.hlo4j.stablehlo.jax;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The file of an export.
 *
 * @param file its bytes, little-endian
 * @param table where the table of the export lies in them; a gradient has one of its own
 * @param artifact the bytes of its portable artifact
 */
record ExportBytes(ByteBuffer file, int table, ByteBuffer artifact) {
  byte[] artifactBytes() {
    byte[] bytes = new byte[artifact.limit()];
    artifact.get(0, bytes);
    return bytes;
  }

  /** Returns a file whose root is the table: the offset of the root is its first number. */
  byte[] serialized() {
    byte[] bytes = new byte[file.limit()];
    file.get(0, bytes);
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(0, table);
    return bytes;
  }
}
