package org.hlo4j.hlo.safetensors;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/**
 * The header of a file: its length in eight bytes, and JSON.
 *
 * @param tensors the tensors by name, in the order of their data, which are adjacent
 * @param metadata the other information in the file
 */
record Header(ImmutableMap<String, TensorInfo> tensors, ImmutableMap<String, String> metadata) {
  /** The largest header; the safetensors library does not read longer ones. */
  static final int MAX_BYTES = 100_000_000;

  /** The name of the metadata entry. */
  static final String METADATA = "__metadata__";

  private static final Comparator<TensorInfo> BY_PLACE =
      Comparator.comparingLong(TensorInfo::begin).thenComparingLong(TensorInfo::end);

  private static final Comparator<TensorInfo> ALIGNED =
      Comparator.comparing(TensorInfo::dtype)
          .reversed()
          .thenComparing(tensor -> tensor.name().getBytes(UTF_8), Arrays::compareUnsigned);

  /**
   * Reads the JSON of a header.
   *
   * @param json the bytes after the length
   * @param dataBytes the number of bytes of the file after the header
   */
  static Header read(byte[] json, long dataBytes) throws IOException {
    Header header = HeaderReader.read(json);
    long end = 0;
    String before = "the header";
    for (TensorInfo tensor : header.tensors.values()) {
      require(
          tensor.begin() == end,
          "",
          "tensor %s: data begin at %s, want %s, where %s ends",
          tensor.name(),
          tensor.begin(),
          end,
          before);
      end = tensor.end();
      before = tensor.name();
    }
    require(
        end == dataBytes, "", "got %s bytes of data, want %s as the header says", dataBytes, end);
    return header;
  }

  /** Returns a header of tensors that are given in any order. */
  static Header of(List<TensorInfo> tensors, ImmutableMap<String, String> metadata) {
    ImmutableMap.Builder<String, TensorInfo> sorted = ImmutableMap.builder();
    tensors.stream().sorted(BY_PLACE).forEach(tensor -> sorted.put(tensor.name(), tensor));
    return new Header(sorted.buildOrThrow(), metadata);
  }

  /** Returns the header of arrays to be written, in the order of the format. */
  static Header of(Map<String, Literal> arrays, Map<String, String> metadata) {
    List<TensorInfo> sorted = new ArrayList<>();
    arrays.forEach((name, array) -> sorted.add(unplaced(name, array)));
    sorted.sort(ALIGNED);
    ImmutableMap.Builder<String, TensorInfo> placed = ImmutableMap.builder();
    long begin = 0;
    for (TensorInfo tensor : sorted) {
      long end = begin + tensor.end();
      placed.put(
          tensor.name(), new TensorInfo(tensor.name(), tensor.dtype(), tensor.sizes(), begin, end));
      begin = end;
    }
    return new Header(placed.buildOrThrow(), ImmutableMap.copyOf(metadata));
  }

  private static TensorInfo unplaced(String name, Literal array) {
    try {
      require(!name.equals(METADATA), "", "got the name of the metadata, want another");
      Shape.Array shape = array.arrayShape();
      require(!array.isElided(), "", "got %s whose elements were left out, want them", shape);
      Dtype dtype = Dtype.of(shape.elementType());
      return new TensorInfo(name, dtype, shape.sizes(), 0, dtype.bytes(shape.elementCount()));
    } catch (HloException refusal) {
      throw refusal.prefixed("safetensors: tensor " + name + ": ");
    }
  }

  /**
   * Returns the first bytes of the file: the length, and JSON padded with blanks to a multiple of 8
   * bytes.
   */
  byte[] toBytes() throws IOException {
    byte[] json = json();
    int padded = (json.length + Long.BYTES - 1) / Long.BYTES * Long.BYTES;
    require(
        padded <= MAX_BYTES,
        "",
        "safetensors: header of %s bytes, want at most %s",
        padded,
        MAX_BYTES);
    ByteBuffer bytes =
        ByteBuffer.allocate(Long.BYTES + padded).order(ByteOrder.LITTLE_ENDIAN).putLong(padded);
    bytes.put(json).put(" ".repeat(padded - json.length).getBytes(UTF_8));
    return bytes.array();
  }

  private byte[] json() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Writer text = new OutputStreamWriter(bytes, UTF_8.newEncoder());
        JsonWriter json = new JsonWriter(text)) {
      json.setStrictness(Strictness.STRICT);
      json.beginObject();
      if (!metadata.isEmpty()) {
        json.name(METADATA).beginObject();
        for (Map.Entry<String, String> entry : metadata.entrySet()) {
          json.name(entry.getKey()).value(entry.getValue());
        }
        json.endObject();
      }
      for (TensorInfo tensor : tensors.values()) {
        write(json, tensor);
      }
      json.endObject();
    } catch (CharacterCodingException halfCharacter) {
      throw new HloException("", "safetensors: got a name with half a character, want whole ones");
    }
    return bytes.toByteArray();
  }

  private static void write(JsonWriter json, TensorInfo tensor) throws IOException {
    json.name(tensor.name()).beginObject().name("dtype").value(tensor.dtype().name());
    json.name("shape").beginArray();
    for (long size : tensor.sizes().toArray()) {
      json.value(size);
    }
    json.endArray().name("data_offsets").beginArray();
    json.value(tensor.begin()).value(tensor.end()).endArray().endObject();
  }
}
