package org.hlo4j.tools.serve;

import static org.hlo4j.hlo.HloException.require;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.HloException;

/**
 * A request or an answer of {@code hlo4j serve}: a byte, the number of parts (4 bytes), then for
 * each part its length (8 bytes) and its bytes. Numbers are big-endian.
 *
 * @param code what is requested, or how it ended
 * @param parts its data
 */
public record Frame(char code, List<byte[]> parts) {
  /** What a part takes beside its bytes. */
  private static final int OBJECT = 32;

  /**
   * Reads the next frame; empty at the end of the stream. A frame that is too large is read to its
   * end and dropped, so that the next one can be read.
   *
   * @param most how many bytes its parts may have together
   * @throws HloException of kind {@code LIMIT} if they have more, of another kind if this is no
   *     frame
   */
  public static Optional<Frame> read(DataInputStream in, long most) throws IOException {
    int code = in.read();
    if (code < 0) {
      return Optional.empty();
    }
    int count = in.readInt();
    require(count >= 0, "", "request got %s parts, want at least 0", count);
    List<byte[]> parts = new ArrayList<>();
    long left = most;
    for (int i = 0; i < count; i++) {
      long length = in.readLong();
      require(length >= 0, "", "part %s got %s bytes, want at least 0", i, length);
      left -= OBJECT;
      Optional<byte[]> room = room(Math.min(left, Integer.MAX_VALUE - 8), length);
      if (room.isEmpty()) {
        skip(in, length, count - i - 1);
        throw new HloException(
            HloException.Kind.LIMIT,
            "part "
                + i
                + " got "
                + length
                + " bytes, want at most "
                + most
                + " in all parts, or a larger -Xmx");
      }
      in.readFully(room.get());
      left -= length;
      parts.add(room.get());
    }
    return Optional.of(new Frame((char) code, parts));
  }

  private static Optional<byte[]> room(long most, long length) {
    try {
      return length > most ? Optional.empty() : Optional.of(new byte[(int) length]);
    } catch (OutOfMemoryError full) {
      return Optional.empty();
    }
  }

  private static void skip(DataInputStream in, long length, int more) throws IOException {
    try {
      in.skipNBytes(length);
      for (int i = 0; i < more; i++) {
        in.skipNBytes(in.readLong());
      }
    } catch (EOFException end) {
      // The part that is too large is reported, not the end of the stream.
    }
  }

  /** Writes the frame. */
  public void write(DataOutputStream out) throws IOException {
    out.writeByte(code);
    out.writeInt(parts.size());
    for (byte[] part : parts) {
      out.writeLong(part.length);
      out.write(part);
    }
    out.flush();
  }
}
