package org.hlo4j.hlo.safetensors;

import static org.hlo4j.hlo.HloException.require;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.source.ForeignFile;
import org.jspecify.annotations.Nullable;

/**
 * One file with tensors, opened when it is first used, or a file in memory. Several threads may
 * read at a time.
 *
 * <p>The file is read at positions and not mapped: the elements are copied to a Java array in any
 * case, and a mapped file that another process truncates would cause an error of the virtual
 * machine.
 */
final class TensorFile {
  /** How to open it. */
  private interface Opening {
    TensorBytes open() throws IOException;
  }

  /** Its name, for messages; empty in memory. */
  private final String name;

  private final Opening opening;

  @GuardedBy("this")
  private @Nullable Opened opened;

  @GuardedBy("this")
  private boolean closed;

  private TensorFile(String name, Opening opening) {
    this.name = name;
    this.opening = opening;
  }

  @SuppressWarnings("resource") // closed by close()
  static TensorFile of(Path file) {
    return new TensorFile(
        file.toString(), () -> TensorBytes.of(FileChannel.open(file, StandardOpenOption.READ)));
  }

  static TensorFile of(ByteBuffer bytes) {
    return new TensorFile("", () -> TensorBytes.of(bytes));
  }

  /** Returns what messages about a file begin with. */
  static String prefix(String name) {
    return name.isEmpty() ? "safetensors: " : name + ": safetensors: ";
  }

  /**
   * An open file.
   *
   * @param bytes its bytes
   * @param header its header
   * @param data the position where the data begin
   */
  private record Opened(TensorBytes bytes, Header header, long data) {}

  Header header() throws IOException {
    return opened().header;
  }

  private synchronized Opened opened() throws IOException {
    require(!closed, "", "%sread after close, want an open file", prefix(name));
    if (opened == null) {
      opened = open();
    }
    return opened;
  }

  private Opened open() throws IOException {
    TensorBytes channel = opening.open();
    try {
      long size = channel.size();
      int length = headerBytes(channel, size);
      ByteBuffer json = ByteBuffer.allocate(length);
      fill(channel, json, Long.BYTES);
      long data = (long) Long.BYTES + length;
      return new Opened(channel, Header.read(json.array(), size - data), data);
    } catch (HloException refusal) {
      channel.close();
      throw refusal.prefixed(prefix(name)).withKind(HloException.Kind.PARSE);
    } catch (IOException | RuntimeException | Error problem) {
      channel.close();
      throw problem;
    }
  }

  private static int headerBytes(TensorBytes channel, long size) throws IOException {
    require(size >= Long.BYTES, "", "got %s bytes, want at least 8 for the header's length", size);
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    fill(channel, bytes, 0);
    long length = bytes.getLong(0);
    requireNoOther(channel, size);
    require(
        length >= 0 && length <= Header.MAX_BYTES,
        "",
        "header of %s bytes, want at most %s",
        Long.toUnsignedString(length),
        Header.MAX_BYTES);
    require(
        length <= size - Long.BYTES,
        "",
        "header of %s bytes, want at most %s, as many as the file has",
        length,
        size - Long.BYTES);
    return (int) length;
  }

  /** Requires that a file is none of another form that is often found in place of weights. */
  private static void requireNoOther(TensorBytes channel, long size) throws IOException {
    ByteBuffer first = ByteBuffer.allocate((int) Math.min(size, ForeignFile.SNIFFED));
    fill(channel, first, 0);
    boolean hasHeader = first.limit() > Long.BYTES && first.get(Long.BYTES) == '{';
    Optional<String> other =
        hasHeader
            ? Optional.empty()
            : ForeignFile.name(first.array()); // a length may look like one
    require(other.isEmpty(), "", "got %s, want a .safetensors file", other.orElse(""));
  }

  /** Fills a buffer with the bytes at a position, and makes it ready to be read. */
  private static void fill(TensorBytes channel, ByteBuffer bytes, long position)
      throws IOException {
    while (bytes.hasRemaining()) {
      int read = channel.read(bytes, position + bytes.position());
      require(read >= 0, "", "the file was cut short while it was read, want the whole");
    }
    bytes.flip();
  }

  /** Returns the header's entry of a tensor; empty if there is none of that name. */
  Optional<TensorInfo> info(String name) throws IOException {
    return Optional.ofNullable(header().tensors().get(name));
  }

  Shape.Array shape(TensorInfo tensor) {
    try {
      return tensor.shape();
    } catch (HloException refusal) {
      throw refusal.prefixed(place(tensor));
    }
  }

  private String place(TensorInfo tensor) {
    return prefix(name) + "tensor " + tensor.name() + ": ";
  }

  Literal read(TensorInfo tensor) throws IOException {
    Shape.Array shape = shape(tensor);
    try {
      return elements(opened(), tensor, new LiteralBuilder(shape));
    } catch (HloException refusal) {
      throw refusal.prefixed(place(tensor)).withKind(HloException.Kind.PARSE);
    }
  }

  private static Literal elements(Opened from, TensorInfo tensor, LiteralBuilder builder)
      throws IOException {
    long bytes = tensor.end() - tensor.begin();
    ByteBuffer block = TensorBlocks.allocate(bytes);
    int component = 0;
    for (long at = 0; at < bytes; at += block.limit()) {
      fill(from.bytes, TensorBlocks.next(block, bytes - at), from.data + tensor.begin() + at);
      component = TensorBlocks.set(builder, component, block, tensor.dtype());
    }
    return builder.build();
  }

  synchronized void close() throws IOException {
    closed = true;
    if (opened != null) {
      opened.bytes.close();
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
