package org.hlo4j.hlo.safetensors;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SafetensorsTest {
  /**
   * The contents of types.safetensors, as version 0.8.0 of the Python library wrote it, in order.
   */
  private static final String[] TYPES = {
    "u64     = u64[1] {18446744073709551615}",
    "i64     = s64[1] {-9223372036854775808}",
    "f64     = f64[2] {0.1, nan}",
    "c64     = c64[1] {(1, 2)}",
    "empty   = f32[0,3] {}",
    "f32     = f32[2,3] {{1, 2, 3}, {4, 5, -0}}",
    "u32     = u32[1] {4294967295}",
    "i32     = s32[] -7",
    "bf16    = bf16[2] {1, -2.5}",
    "f16     = f16[1,2] {{1, -65504}}",
    "u16     = u16[1] {65535}",
    "i16     = s16[2] {-32768, 1}",
    "f8_e5m2fnuz = f8e5m2fnuz[2] {-1, 57344}",
    "f8_e4m3fnuz = f8e4m3fnuz[2] {-1, 240}",
    "f8_e8m0 = f8e8m0fnu[2] {0.5, 2}",
    "f8_e4m3 = f8e4m3fn[2] {1.5, 448}",
    "f8_e5m2 = f8e5m2[2] {1.5, inf}",
    "i8      = s8[2] {-128, 127}",
    "u8      = u8[2] {0, 255}",
    "f4      = f4e2m1fn[4] {0.5, 1, -6, 6}",
    "bool    = pred[3] {true, false, true}",
  };

  @TempDir Path folder;

  private static ImmutableMap<String, Literal> types() {
    ImmutableMap.Builder<String, Literal> types = ImmutableMap.builder();
    for (String row : TYPES) {
      String[] nameAndValue = row.split("\\s*=\\s*", 2);
      types.put(nameAndValue[0], Parser.parseLiteral(nameAndValue[1]));
    }
    return types.buildOrThrow();
  }

  private Path golden() throws IOException {
    return Files.write(
        folder.resolve("types.safetensors"),
        Resources.toByteArray(Resources.getResource(SafetensorsTest.class, "types.safetensors")));
  }

  /** Writes a file with the header, followed by the bytes 1 to {@code dataBytes}. */
  private Path file(String name, String header, int dataBytes) throws IOException {
    byte[] json = header.getBytes(UTF_8);
    ByteBuffer bytes =
        ByteBuffer.allocate(8 + json.length + dataBytes).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(json.length).put(json);
    for (int i = 1; i <= dataBytes; i++) {
      bytes.put((byte) i);
    }
    return Files.write(folder.resolve(name), bytes.array());
  }

  private static ImmutableMap<String, Literal> readAll(Path file) throws IOException {
    try (Safetensors tensors = Safetensors.open(file)) {
      return tensors.readAll();
    }
  }

  @Test
  void readsEveryTypeAsWrittenByPython() throws IOException {
    try (Safetensors tensors = Safetensors.open(golden())) {
      assertThat(tensors.readAll()).containsExactlyEntriesIn(types()).inOrder();
      assertThat(tensors.names()).containsExactlyElementsIn(types().keySet()).inOrder();
      assertThat(tensors.metadata()).containsExactly("format", "np");
      assertThat(tensors.shape("f32").toString()).isEqualTo("f32[2,3]");
    }
  }

  @Test
  void writesTheSameBytesAsPython() throws IOException {
    Path file = folder.resolve("ours.safetensors");
    Map<String, Literal> byName = new TreeMap<>(types());
    Safetensors.write(file, byName, ImmutableMap.of("format", "np"));
    assertThat(Files.readAllBytes(file)).isEqualTo(Files.readAllBytes(golden()));
  }

  /** The tensor is longer than a block, and its last block is not full. */
  @Test
  void longTensorsRoundTrip() throws IOException {
    LiteralBuilder builder = new LiteralBuilder(Shape.of(ElementType.F32, 3, 50_001));
    for (int i = 0; i < 150_003; i++) {
      builder.setDouble(i, i);
    }
    ImmutableMap<String, Literal> arrays =
        ImmutableMap.of("long", builder.build(), "ü ☃ \uD83D\uDE00", Literal.of(true));
    Path file = folder.resolve("long.safetensors");
    Safetensors.write(file, arrays);
    assertThat(readAll(file)).containsExactlyEntriesIn(arrays).inOrder();
    assertThat(Files.size(file) % 8).isEqualTo((600_012 + 1) % 8);
  }

  @Test
  void emptyFiles() throws IOException {
    Path file = folder.resolve("nothing.safetensors");
    Safetensors.write(file, ImmutableMap.of());
    assertThat(Files.readString(file)).isEqualTo("\b\0\0\0\0\0\0\0{}      ");
    assertThat(readAll(file)).isEmpty();
    assertThat(readAll(file("null.safetensors", "{\"__metadata__\":null}\n", 0))).isEmpty();
  }

  /** The header lists tensors in any order, and has fields of later versions. */
  @Test
  void tensorsAreReadInDataOrder() throws IOException {
    Path file =
        file(
            "order.safetensors",
            """
            {"b": {"data_offsets": [1, 2], "shape": [], "later": {"x": [1]}, "dtype": "U8"},
             "a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}}
            """,
            2);
    assertThat(readAll(file))
        .containsExactly("a", Parser.parseLiteral("u8[1] {1}"), "b", Parser.parseLiteral("u8[] 2"))
        .inOrder();
  }

  @Test
  void typesUnknownToHloAreRefused() throws IOException {
    Path file =
        file(
            "six.safetensors",
            """
            {"six": {"dtype": "F6_E2M3", "shape": [4], "data_offsets": [0, 3]},
             "byte": {"dtype": "U8", "shape": [1], "data_offsets": [3, 4]}}\
            """,
            4);
    try (Safetensors tensors = Safetensors.open(file)) {
      assertThat(tensors.read("byte")).isEqualTo(Parser.parseLiteral("u8[1] {4}"));
      String refusal =
          file + ": safetensors: tensor six: dtype got F6_E2M3, which HLO has no type for";
      assertRefused(refusal, () -> tensors.read("six"));
      assertRefused(refusal, () -> tensors.shape("six"));
    }
  }

  @Test
  void unknownNamesAndClosedFilesAreRefused() throws IOException {
    Path file = golden();
    Safetensors tensors = Safetensors.open(file);
    assertRefused(
        file + ": safetensors: got the name f128, want one of the 21 tensors of the file",
        () -> tensors.read("f128"));
    assertRefused(
        file
            + ": safetensors: got the name ff64, want one of the 21 tensors of the file; nearest"
            + " known name: f64",
        () -> tensors.read("ff64"));
    tensors.close();
    assertRefused(
        file + ": safetensors: read after close, want an open file", () -> tensors.read("f64"));
  }

  @Test
  void fileTruncatedWhileOpenIsRefused() throws IOException {
    Path file = golden();
    try (Safetensors tensors = Safetensors.open(file);
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(1400);
      assertRefused(
          file
              + ": safetensors: tensor bool: the file was cut short while it was read, want the"
              + " whole",
          () -> tensors.read("bool"));
    }
  }

  @Test
  void unsupportedArraysAreNotWritten() throws IOException {
    Path file = folder.resolve("none.safetensors");
    for (String[] row :
        new String[][] {
          {"c128[] (1, 2)", "got c128, which safetensors has no type for, want one of ["},
          {"s4[2] {1, 2}", "got s4, which safetensors has no type for, want one of ["},
          {"f4e2m1fn[3] {1, 2, 3}", "got 3 elements of F4, want as many as fill whole bytes"},
        }) {
      Literal array = Parser.parseLiteral(row[0]);
      HloException refusal =
          assertThrows(
              HloException.class, () -> Safetensors.write(file, ImmutableMap.of("w", array)));
      assertThat(refusal).hasMessageThat().startsWith("safetensors: tensor w: " + row[1]);
    }
    assertRefused(
        "safetensors: tensor w: got f32[2] whose elements were left out, want them",
        () ->
            Safetensors.write(
                file, ImmutableMap.of("w", Literal.elided(Shape.of(ElementType.F32, 2)))));
    assertRefused(
        "safetensors: tensor w: literal: got (), want an array",
        () -> Safetensors.write(file, ImmutableMap.of("w", Literal.tuple())));
    assertRefused(
        "safetensors: tensor __metadata__: got the name of the metadata, want another",
        () -> Safetensors.write(file, ImmutableMap.of("__metadata__", Literal.of(1))));
    assertRefused(
        "safetensors: got a name with half a character, want whole ones",
        () -> Safetensors.write(file, ImmutableMap.of("\uD800", Literal.of(1))));
    assertThat(Files.exists(file)).isFalse();
  }

  // Sharded models.

  private Path index(String json) throws IOException {
    return Files.writeString(folder.resolve("model.safetensors.index.json"), json);
  }

  private void shards() throws IOException {
    Safetensors.write(folder.resolve("m-1.safetensors"), ImmutableMap.of("a", Literal.of(1)));
    Safetensors.write(folder.resolve("m-2.safetensors"), ImmutableMap.of("b", Literal.of(2)));
  }

  @Test
  void shardedModelsAreRead() throws IOException {
    shards();
    Path index =
        index(
            """
            {"metadata": {"total_size": 8, "tied": true, "more": [{}]}, "other": null,
             "weight_map": {"b": "m-2.safetensors", "a": "m-1.safetensors"}}
            """);
    try (Safetensors tensors = Safetensors.open(index)) {
      assertThat(tensors.metadata()).containsExactly("total_size", "8", "tied", "true");
      assertThat(tensors.readAll())
          .containsExactly("b", Literal.of(2), "a", Literal.of(1))
          .inOrder();
    }
  }

  @Test
  void shardsAreOpenedLazily() throws IOException {
    shards();
    Files.writeString(folder.resolve("m-2.safetensors"), "damaged");
    Path index =
        index("{\"weight_map\": {\"b\": \"m-2.safetensors\", \"a\": \"m-1.safetensors\"}}");
    try (Safetensors tensors = Safetensors.open(index)) {
      assertThat(tensors.read("a")).isEqualTo(Literal.of(1));
      assertRefused(
          folder.resolve("m-2.safetensors")
              + ": safetensors: got 7 bytes, want at least 8 for the header's length",
          () -> tensors.shape("b"));
    }
  }

  @Test
  void tensorMissingFromItsShardIsRefused() throws IOException {
    shards();
    Path index = index("{\"weight_map\": {\"c\": \"m-1.safetensors\"}}");
    try (Safetensors tensors = Safetensors.open(index)) {
      assertRefused(
          index
              + ": safetensors: tensor c: "
              + folder.resolve("m-1.safetensors")
              + " has none of that name, want one as the index says",
          () -> tensors.read("c"));
    }
  }

  @Test
  void malformedIndexesAreRefused() throws IOException {
    shards();
    String[][] rows = {
      {"{}", "index: got no weight_map, want one"},
      {"[]", "value got BEGIN_ARRAY, want an object"},
      {"{\"weight_map\": {\"a\": 1}}", "a got NUMBER, want a string"},
      {"{\"weight_map\": {\"a\": \"x\", \"a\": \"x\"}}", "got the name a twice, want each once"},
      {"", "index: got JSON that is cut short, want the whole"},
      {
        "{\"weight_map\": {\"a\": \"none\"}}",
        "tensor a: got the file " + folder.resolve("none") + ", which is not there"
      },
    };
    for (String[] row : rows) {
      Path index = index(row[0]);
      assertRefused(index + ": safetensors: " + row[1], () -> Safetensors.open(index));
    }
    for (String name :
        new String[] {"../m-1.safetensors", "/etc/passwd", "..", ".", "", "a\\\\b"}) {
      Path index = index("{\"weight_map\": {\"a\": \"" + name + "\"}}");
      assertRefused(
          index
              + ": safetensors: tensor a: got the file "
              + name.replace("\\\\", "\\")
              + ", want the name of one beside the index",
          () -> Safetensors.open(index));
    }
  }

  // Streams and buffers.

  @Test
  void streamsAndBuffers() throws IOException {
    byte[] bytes = Files.readAllBytes(golden());
    ByteBuffer within = ByteBuffer.allocateDirect(bytes.length + 5).put(3, bytes);
    within.position(3).limit(3 + bytes.length);
    for (Safetensors weights :
        ImmutableList.of(
            Safetensors.open(bytes),
            Safetensors.open(within),
            Safetensors.open(new ByteArrayInputStream(bytes)))) {
      assertThat(weights.readAll()).containsExactlyEntriesIn(types()).inOrder();
    }
    assertThat(within.position()).isEqualTo(3);
  }

  @Test
  void refusalsOfBuffers() throws IOException {
    byte[] bytes = Files.readAllBytes(golden());
    Safetensors weights = Safetensors.open(bytes);
    assertRefused(
        "safetensors: got the name f23, want one of the 21 tensors of the file; nearest known name:"
            + " f32",
        () -> weights.read("f23"));
    weights.close();
    assertRefused("safetensors: read after close, want an open file", () -> weights.read("f32"));
    assertRefused(
        "safetensors: got 0 bytes, want at least 8 for the header's length",
        () -> Safetensors.open(new byte[0]));
    for (int length = 1; length < bytes.length; length += 11) {
      byte[] cut = Arrays.copyOf(bytes, length);
      HloException refusal = assertThrows(HloException.class, () -> Safetensors.open(cut));
      assertThat(refusal).hasMessageThat().startsWith("safetensors: ");
      assertThat(refusal.kind()).isEqualTo(HloException.Kind.PARSE);
    }
  }
}
