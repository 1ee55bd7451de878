package org.hlo4j.hlo.safetensors;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.hlo4j.hlo.HloException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Malformed headers: each is refused by an exception that says where and why. */
class HeaderTest {
  private static final String WHOLE =
      """
      {"__metadata__": {"format": "pt"},
       "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
       "é": {"dtype": "F4", "shape": [4], "data_offsets": [24, 26]},
       "x": {"dtype": "I64", "shape": [], "data_offsets": [26, 34]}}
      """;

  /** The number of mutated headers that a test reads; a manual run may read more. */
  private static final int MUTATIONS = Integer.getInteger("hlo4j.test.mutations", 5_000);

  @TempDir Path folder;

  /** The header, with apostrophes for quotes; the number of data bytes; the message. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {'w': {'dtype': 'F32', 'shape': [2], 'data_offsets': [0, 8]}} | 7 | got 7 bytes of data, want 8 as the header says
          {'w': {'dtype': 'F32', 'shape': [2], 'data_offsets': [0, 8]}} | 9 | got 9 bytes of data, want 8 as the header says
          {'w': {'dtype': 'F32', 'shape': [2], 'data_offsets': [0, 9]}} | 9 | tensor w: data_offsets got [0, 9], want 8 bytes for F32[2]
          {'w': {'dtype': 'F32', 'shape': [2], 'data_offsets': [8, 0]}} | 8 | tensor w: data_offsets got [8, 0], want 8 bytes for F32[2]
          {'w': {'dtype': 'F32', 'shape': [2], 'data_offsets': [-8, 0]}} | 8 | tensor w: data_offsets got [-8, 0], want 8 bytes for F32[2]
          {'w': {'dtype': 'U8', 'shape': [2], 'data_offsets': [2, 4]}} | 4 | tensor w: data begin at 2, want 0, where the header ends
          {'v': {'dtype': 'U8', 'shape': [2], 'data_offsets': [0, 2]}, 'w': {'dtype': 'U8', 'shape': [2], 'data_offsets': [1, 3]}} | 3 | tensor w: data begin at 1, want 2, where v ends
          {'v': {'dtype': 'U8', 'shape': [2], 'data_offsets': [0, 2]}, 'w': {'dtype': 'U8', 'shape': [2], 'data_offsets': [3, 5]}} | 5 | tensor w: data begin at 3, want 2, where v ends
          {'w': {'dtype': 'U8', 'shape': [9223372036854775807, 3], 'data_offsets': [0, 1]}} | 1 | tensor w: shape got more than 2^63 - 1 elements of U8, want at most as many as bytes
          {'w': {'dtype': 'F32', 'shape': [9223372036854775807], 'data_offsets': [0, 1]}} | 1 | tensor w: data_offsets got [0, 1], want 9223372036854775807 bytes for F32[9223372036854775807]
          {'w': {'dtype': 'U8', 'shape': [9223372036854775808], 'data_offsets': [0, 1]}} | 1 | tensor w: shape got 9223372036854775808, want integers below 2^63
          {'w': {'dtype': 'U8', 'shape': [-1, -1], 'data_offsets': [0, 1]}} | 1 | tensor w: shape got -1, want sizes of at least 0
          {'w': {'dtype': 'U8', 'shape': [1.0], 'data_offsets': [0, 1]}} | 1 | tensor w: shape got 1.0, want integers below 2^63
          {'w': {'dtype': 'U8', 'shape': ['1'], 'data_offsets': [0, 1]}} | 1 | tensor w: shape got STRING, want integers
          {'w': {'dtype': 'U8', 'shape': 1, 'data_offsets': [0, 1]}} | 1 | tensor w: shape got NUMBER, want an array
          {'w': {'dtype': 'F4', 'shape': [3], 'data_offsets': [0, 2]}} | 2 | tensor w: got 3 elements of F4, want as many as fill whole bytes
          {'w': {'dtype': 'U8', 'shape': [1], 'data_offsets': [0]}} | 1 | tensor w: data_offsets got [0], want begin and end
          {'w': {'dtype': 'U8', 'shape': [1]}} | 1 | tensor w: got no dtype, shape or data_offsets, want all three
          {'w': {'dtype': 8, 'shape': [1], 'data_offsets': [0, 1]}} | 1 | tensor w: dtype got NUMBER, want a string
          {'w': {'dtype': 'U8', 'dtype': 'U8', 'shape': [1], 'data_offsets': [0, 1]}} | 1 | tensor w: got the name dtype twice, want each once
          {'w': {'dtype': 'U8', 'shape': [1], 'data_offsets': [0, 1]}, 'w': {'dtype': 'U8', 'shape': [1], 'data_offsets': [1, 2]}} | 2 | got the name w twice, want each once
          {'w': 1} | 0 | tensor w: value got NUMBER, want an object
          {'__metadata__': {'a': 1}} | 0 | a got NUMBER, want a string
          {'__metadata__': {'a': '1', 'a': '2'}} | 0 | got the name a twice, want each once
          {'\\ud800': 1} | 0 | header: got what is no JSON at line 1 column 10
          [] | 0 | value got BEGIN_ARRAY, want an object
          {} {} | 0 | header: got what is no JSON at line 1 column 5
          {'w' | 0 | header: got JSON that is cut short, want the whole
          """)
  void malformedHeadersAreRefused(String header, int dataBytes, String message) {
    byte[] json = header.replace('\'', '"').getBytes(UTF_8);
    assertRefused(message, () -> Header.read(json, dataBytes));
  }

  @Test
  void unknownTypesAreRefused() {
    HloException refusal =
        assertThrows(
            HloException.class,
            () -> Header.read("{\"w\": {\"dtype\": \"F128\"}}".getBytes(UTF_8), 0));
    assertThat(refusal)
        .hasMessageThat()
        .isEqualTo(
            "tensor w: dtype got F128, want one of [BOOL, F4, F6_E2M3, F6_E3M2, U8, I8, F8_E5M2,"
                + " F8_E4M3, F8_E8M0, F8_E4M3FNUZ, F8_E5M2FNUZ, I16, U16, F16, BF16, I32, U32, F32,"
                + " C64, F64, I64, U64]");
  }

  @Test
  void invalidUtf8IsRefused() {
    assertRefused(
        "header: got bytes that are no UTF-8, want JSON",
        () -> Header.read("{\"\u00ff\": 1}".getBytes(ISO_8859_1), 0));
  }

  private Path file(long length, int bytesBehind) throws IOException {
    return Files.write(
        folder.resolve("f.safetensors"),
        ByteBuffer.allocate(8 + bytesBehind)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(length)
            .array());
  }

  /** No more memory is allocated than the file has bytes. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          99999999             | header of 99999999 bytes, want at most 3, as many as the file has
          4                    | header of 4 bytes, want at most 3, as many as the file has
          100000001            | header of 100000001 bytes, want at most 100000000
          -1                   | header of 18446744073709551615 bytes, want at most 100000000
          0                    | header: got JSON that is cut short, want the whole
          """)
  void invalidHeaderLengthsAreRefused(long length, String message) throws IOException {
    Path file = file(length, 3);
    assertRefused(file + ": safetensors: " + message, () -> Safetensors.open(file));
  }

  @Test
  void wholeHeaderIsRead() throws IOException {
    Header header = Header.read(WHOLE.getBytes(UTF_8), 34);
    assertThat(header.tensors().keySet()).containsExactly("w", "é", "x").inOrder();
  }

  /** Bytes are changed, deleted, inserted and duplicated; the header is read or refused. */
  @Test
  void mutatedHeadersAreReadOrRefused() throws IOException {
    Random random = new Random(1);
    byte[] whole = WHOLE.getBytes(UTF_8);
    int read = 0;
    for (int i = 0; i < MUTATIONS; i++) {
      byte[] mutated = whole;
      for (int times = 1 + random.nextInt(3); times > 0; times--) {
        mutated = mutated(mutated, random);
      }
      try {
        Header.read(mutated, 34);
        read++;
      } catch (HloException refused) {
        assertThat(refused).hasMessageThat().isNotEmpty();
      }
    }
    assertThat(read).isGreaterThan(MUTATIONS / 500);
    assertThat(read).isLessThan(MUTATIONS / 2);
  }

  private static byte[] mutated(byte[] bytes, Random random) {
    int at = random.nextInt(bytes.length);
    int count = Math.min(1 + random.nextInt(8), bytes.length - at);
    byte[] rest = Arrays.copyOfRange(bytes, at + count, bytes.length);
    String common = "0123456789-.eE\"\\{}[],: \u0000\u00ff";
    byte[] own =
        switch (random.nextInt(4)) {
          case 0 -> new byte[0];
          case 1 -> new byte[] {(byte) common.charAt(random.nextInt(common.length()))};
          case 2 -> Arrays.copyOfRange(bytes, at, at + count);
          default -> Long.toString(random.nextLong() >> random.nextInt(64)).getBytes(UTF_8);
        };
    byte[] all =
        Arrays.copyOf(bytes, at + own.length + rest.length + (own.length == count ? count : 0));
    System.arraycopy(own, 0, all, at, own.length);
    if (own.length == count) {
      System.arraycopy(own, 0, all, at + count, count);
    }
    System.arraycopy(rest, 0, all, all.length - rest.length, rest.length);
    return all;
  }
}
