package org.hlo4j.tools;

import static org.hlo4j.hlo.HloException.require;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A request or an answer of {@code hlo4j serve}: a byte, the number of parts (4 bytes), then for
 * each part its length (8 bytes) and its bytes. Numbers are big-endian.
 *
 * @param code what is requested, or how it ended
 * @param parts its data
 */
record Frame(char code, List<byte[]> parts) {
  /** Reads the next frame; empty at the end of the stream. */
  static Optional<Frame> read(DataInputStream in) throws IOException {
    int code = in.read();
    if (code < 0) {
      return Optional.empty();
    }
    int count = in.readInt();
    require(count >= 0, "", "request got %s parts, want at least 0", count);
    List<byte[]> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      parts.add(part(i, in));
    }
    return Optional.of(new Frame((char) code, parts));
  }

  private static byte[] part(int i, DataInputStream in) throws IOException {
    long length = in.readLong();
    require(
        length >= 0 && length <= Integer.MAX_VALUE - 8,
        "",
        "part %s got %s bytes, want at most %s",
        i,
        length,
        Integer.MAX_VALUE - 8);
    byte[] bytes = in.readNBytes((int) length);
    require(bytes.length == length, "", "part %s got %s bytes, want %s", i, bytes.length, length);
    return bytes;
  }

  /** Writes the frame. */
  void write(DataOutputStream out) throws IOException {
    out.writeByte(code);
    out.writeInt(parts.size());
    for (byte[] part : parts) {
      out.writeLong(part.length);
      out.write(part);
    }
    out.flush();
  }
}
