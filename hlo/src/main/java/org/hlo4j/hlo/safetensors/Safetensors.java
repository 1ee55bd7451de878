package org.hlo4j.hlo.safetensors;

import static org.hlo4j.hlo.arguments.Arguments.requireNoNulls;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.source.Nearest;
import org.hlo4j.hlo.source.WholeFile;

/**
 * Reads and writes {@code .safetensors} files: named arrays, such as the weights of a model, each
 * of which is read on request.
 *
 * <pre>{@code
 * try (Safetensors weights = Safetensors.open(Path.of("model.safetensors"))) {
 *   Literal kernel = weights.read("dense.kernel");
 * }
 * }</pre>
 *
 * <p>A model in several files is opened by its index, {@code model.safetensors.index.json}; a file
 * of it is opened when a tensor in it is first asked for.
 *
 * <p>The element types are those that the format shares with HLO: F64, F32, F16, BF16, F8_E4M3
 * (HLO's f8e4m3fn), F8_E5M2, F8_E8M0, F8_E4M3FNUZ, F8_E5M2FNUZ, F4, C64, I64 to I8, U64 to U8,
 * BOOL. A file is checked when it is opened, and no more memory is taken than it has bytes. Source:
 * the format as the README of huggingface/safetensors describes it, and the behaviour of version
 * 0.8 of that library.
 */
public final class Safetensors implements AutoCloseable {
  private static final String INDEX_SUFFIX = ".json";

  private final String path;
  private final ImmutableMap<String, TensorFile> files;
  private final ImmutableMap<String, String> metadata;

  private Safetensors(
      String path, ImmutableMap<String, TensorFile> files, ImmutableMap<String, String> metadata) {
    this.path = path;
    this.files = files;
    this.metadata = metadata;
  }

  /**
   * Opens a file, or the files of an index.
   *
   * @param path a file with tensors, or an index of such files, whose name ends in {@code .json}
   * @return the tensors, of which none is read yet
   * @throws IOException if it cannot be read
   * @throws HloException if it is no such file; the message names the file, the tensor, the actual
   *     and the expected value
   */
  public static Safetensors open(Path path) throws IOException {
    requireNonNull(path, "path");
    if (path.toString().endsWith(INDEX_SUFFIX)) {
      ShardedIndex index = ShardedIndex.read(path);
      return new Safetensors(path.toString(), index.files(), index.metadata());
    }
    return open(path.toString(), TensorFile.of(path));
  }

  /**
   * Opens a file in memory, such as one that was read from a store of objects.
   *
   * @param bytes the whole file
   * @return the tensors, of which none is read yet; the array may not change as long as they are
   *     read
   * @throws HloException if it is no such file; the message names the tensor, the actual and the
   *     expected value
   */
  public static Safetensors open(byte[] bytes) {
    return open(ByteBuffer.wrap(requireNonNull(bytes, "bytes")));
  }

  /**
   * Opens a file in memory, from the position of a buffer to its limit.
   *
   * @param bytes the whole file; its position stays
   * @return the tensors, of which none is read yet; the bytes may not change as long as they are
   *     read
   * @throws HloException if it is no such file; the message names the tensor, the actual and the
   *     expected value
   */
  public static Safetensors open(ByteBuffer bytes) {
    requireNonNull(bytes, "bytes");
    try {
      return open("", TensorFile.of(bytes));
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible); // memory is read
    }
  }

  /**
   * Opens a file that is read from a stream into memory, up to its end, at most a quarter of the
   * heap.
   *
   * @param stream the stream, which stays open and is not used any more
   * @return the tensors
   * @throws IOException if it cannot be read
   * @throws HloException if it is no such file, or larger than the heap allows
   */
  public static Safetensors open(InputStream stream) throws IOException {
    return open(HloProtos.readAll(stream));
  }

  private static Safetensors open(String path, TensorFile file) throws IOException {
    Header header = file.header();
    ImmutableMap.Builder<String, TensorFile> files = ImmutableMap.builder();
    header.tensors().keySet().forEach(name -> files.put(name, file));
    return new Safetensors(path, files.buildOrThrow(), header.metadata());
  }

  /**
   * Returns the names of the tensors.
   *
   * @return the names, in the order of the data, or of the index
   */
  public ImmutableSet<String> names() {
    return files.keySet();
  }

  /**
   * Returns the metadata of the file, or of the index.
   *
   * @return the entries; may be empty
   */
  public ImmutableMap<String, String> metadata() {
    return metadata;
  }

  /**
   * Returns the shape of a tensor.
   *
   * @param name one of {@link #names}
   * @return the shape
   * @throws IOException if the file of an index that has it cannot be read
   * @throws HloException if there is no such tensor, HLO has no such type, or that file is none
   */
  public Shape.Array shape(String name) throws IOException {
    TensorFile file = file(name);
    return file.shape(info(file, name));
  }

  /**
   * Reads a tensor.
   *
   * @param name one of {@link #names}
   * @return the tensor
   * @throws IOException if the file that has it cannot be read
   * @throws HloException if there is no such tensor, HLO has no such type, the heap has no room for
   *     it, or this was closed
   */
  public Literal read(String name) throws IOException {
    TensorFile file = file(name);
    return file.read(info(file, name));
  }

  /**
   * Reads all tensors.
   *
   * @return the tensors by name, in the order of {@link #names}
   * @throws IOException if a file cannot be read
   * @throws HloException as {@link #read}
   */
  public ImmutableMap<String, Literal> readAll() throws IOException {
    ImmutableMap.Builder<String, Literal> all = ImmutableMap.builder();
    for (String name : names()) {
      all.put(name, read(name));
    }
    return all.buildOrThrow();
  }

  private TensorFile file(String name) {
    TensorFile file = files.get(name);
    if (file == null) {
      String nearest = Nearest.to(name, files.keySet());
      throw new HloException(
          HloException.Kind.ARGUMENT,
          String.format(
              "%sgot the name %s, want one of the %s tensors of the file%s",
              TensorFile.prefix(path),
              name,
              files.size(),
              nearest.isEmpty() ? "" : "; nearest known name: " + nearest));
    }
    return file;
  }

  private TensorInfo info(TensorFile file, String name) throws IOException {
    return file.info(name)
        .orElseThrow(() ->
            new HloException(
                HloException.Kind.PARSE,
                String.format(
                    "%stensor %s: %s has none of that name, want one as the index says",
                    TensorFile.prefix(path), name, file)));
  }

  /** Closes the files. Tensors that were read stay as they are. */
  @Override
  public void close() throws IOException {
    for (TensorFile file : ImmutableSet.copyOf(files.values())) {
      file.close();
    }
  }

  // Writing.

  /**
   * Writes a file without metadata.
   *
   * @param file the file
   * @param arrays the arrays by name
   * @throws IOException if it cannot be written
   * @throws HloException if one of them is not an array, or of a type the format does not have
   */
  public static void write(Path file, Map<String, Literal> arrays) throws IOException {
    write(file, arrays, ImmutableMap.of());
  }

  /**
   * Writes a file as the safetensors library does: types with wide elements first, those of one
   * type by name, so that all are aligned. It is moved into its place once it is whole; a link
   * there is replaced.
   *
   * @param file the file
   * @param arrays the arrays by name
   * @param metadata what else the file is to say, such as {@code format} and {@code pt}
   * @throws IOException if it cannot be written
   * @throws HloException if one of them is not an array, or of a type the format does not have
   */
  public static void write(Path file, Map<String, Literal> arrays, Map<String, String> metadata)
      throws IOException {
    requireNonNull(file, "file");
    Header header =
        Header.of(requireNoNulls(arrays, "arrays"), requireNoNulls(metadata, "metadata"));
    ByteBuffer first = ByteBuffer.wrap(header.toBytes());
    WholeFile.write(
        file,
        stream -> {
          WritableByteChannel out = Channels.newChannel(stream);
          writeAll(out, first);
          for (TensorInfo tensor : header.tensors().values()) {
            write(out, tensor, requireNonNull(arrays.get(tensor.name()), tensor.name()));
          }
        });
  }

  private static void write(WritableByteChannel out, TensorInfo tensor, Literal array)
      throws IOException {
    long bytes = tensor.end() - tensor.begin();
    ByteBuffer block = TensorBlocks.allocate(bytes);
    int component = 0;
    for (long at = 0; at < bytes; at += block.limit()) {
      component =
          TensorBlocks.get(array, component, TensorBlocks.next(block, bytes - at), tensor.dtype());
      writeAll(out, block);
    }
  }

  private static void writeAll(WritableByteChannel out, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      out.write(bytes);
    }
  }
}
