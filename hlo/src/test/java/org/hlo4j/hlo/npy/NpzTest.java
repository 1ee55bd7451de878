package org.hlo4j.hlo.npy;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableMap;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NpzTest {
  private static final long PLENTY = 1 << 20;

  @TempDir private Path folder;

  private Path zip(String entry, byte[] content) throws IOException {
    Path file = folder.resolve("a.npz");
    try (OutputStream out = Files.newOutputStream(file);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      zip.putNextEntry(new ZipEntry(entry));
      zip.write(content);
      zip.closeEntry();
    }
    return file;
  }

  private static byte[] npy(Literal array) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Npy.write(out, array);
    return out.toByteArray();
  }

  @Test
  void arraysRoundTripInOrder() throws IOException {
    ImmutableMap<String, Literal> arrays =
        ImmutableMap.of(
            "y", Literal.of(new float[] {1, 2}),
            "x", Literal.of(true),
            "empty", Literal.zeros(Shape.of(ElementType.C128, 0, 3)));
    Path file = folder.resolve("arrays.npz");
    Npz.write(file, arrays);
    assertThat(Npz.read(file)).containsExactlyEntriesIn(arrays).inOrder();
  }

  @Test
  void singleArraysAreRead() throws IOException {
    Literal narrow = Literal.of(ElementType.S4, new byte[] {-8, 7});
    Path file = folder.resolve("arrays.npz");
    Npz.write(file, ImmutableMap.of("y", narrow, "x", Literal.of(true)));
    assertThat(Npz.names(file)).containsExactly("y", "x").inOrder();
    assertThat(Npz.read(file, "y", ElementType.S4)).isEqualTo(narrow);
    assertThat(Npz.read(file, "x", ElementType.F32)).isEqualTo(Literal.of(true));
    assertRefused(
        file + ": npz: got no array z, want one of y, x",
        () -> Npz.read(file, "z", ElementType.F32));
  }

  /** As NumPy's savez: stored, dated 1980-01-01 0:00, without times of the machine's zone. */
  @Test
  void entriesAreStoredAndDated1980() throws IOException {
    Path file = folder.resolve("arrays.npz");
    Npz.write(file, ImmutableMap.of("ü", Literal.zeros(Shape.of(ElementType.F32, 100_000))));
    try (ZipFile zip = new ZipFile(file.toFile())) {
      ZipEntry entry = zip.getEntry("ü.npy");
      assertThat(entry.getMethod()).isEqualTo(ZipEntry.STORED);
      assertThat(entry.getSize()).isEqualTo(400_128);
      assertThat(entry.getTimeLocal()).isEqualTo(LocalDateTime.of(1980, 1, 1, 0, 0));
      assertThat(entry.getExtra()).isNull();
    }
  }

  @Test
  void namesThatZipDoesNotTakeAreRefused() {
    Path file = folder.resolve("arrays.npz");
    Literal one = Literal.of(1);
    String most = "a".repeat(65_485);
    assertRefused(
        "npz: got a name of 65490 bytes with .npy, want at most 65489: " + "a".repeat(299) + "…",
        () -> Npz.write(file, ImmutableMap.of(most + "a", one)));
    assertRefused(
        "npz: got the name a\\x00b, want whole characters, none of them 0",
        () -> Npz.write(file, ImmutableMap.of("a\0b", one)));
    assertRefused(
        "npz: got the name \uD83D, want whole characters, none of them 0",
        () -> Npz.write(file, ImmutableMap.of("\uD83D", one)));
    assertThat(Files.exists(file)).isFalse();
  }

  @Test
  void longestNamesAreWritten() throws IOException {
    Path file = folder.resolve("arrays.npz");
    ImmutableMap<String, Literal> arrays =
        ImmutableMap.of("a".repeat(65_485), Literal.of(1), "", Literal.of(2));
    Npz.write(file, arrays);
    assertThat(Npz.read(file)).isEqualTo(arrays);
  }

  @Test
  void compressedArraysAreRead() throws IOException {
    Literal zeros = Literal.zeros(Shape.of(ElementType.F32, 1000));
    Path file = zip("z.npy", npy(zeros));
    assertThat(Files.size(file)).isLessThan(1000L);
    assertThat(Npz.read(file)).containsExactly("z", zeros);
  }

  @Test
  void typesUnknownToNumPyMustBeGiven() throws IOException {
    Literal nibbles = Literal.of(ElementType.S4, new int[] {-8, 7});
    Path file = zip("n.npy", npy(nibbles));
    assertThat(Npz.read(file, ImmutableMap.of("n", ElementType.S4), PLENTY))
        .containsExactly("n", nibbles);
    assertRefused(
        file
            + ": n: npy: type got V1, which stands for each type of ml_dtypes of a byte or less,"
            + " want to be told which",
        () -> Npz.read(file));
  }

  /** The file has about a thousandth of the size of its contents. */
  @Test
  void zipBombsAreRefused() throws IOException {
    Path file = zip("b.npy", npy(Literal.zeros(Shape.of(ElementType.U8, 1_000_000))));
    assertThat(Files.size(file)).isLessThan(2000L);
    assertRefused(
        file + ": npz: b got 1000128 bytes, want at most 1000000 for all arrays",
        () -> Npz.read(file, ImmutableMap.of(), 1_000_000));
  }

  /** NumPy knows arrays by their first bytes, and gives the bytes of all else. */
  @Test
  void otherEntriesAreLeftOut() throws IOException {
    Path file = folder.resolve("a.npz");
    try (OutputStream out = Files.newOutputStream(file);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      zip.putNextEntry(new ZipEntry("docs/"));
      zip.putNextEntry(new ZipEntry("README.txt"));
      zip.write("arrays".getBytes(StandardCharsets.UTF_8));
      zip.putNextEntry(new ZipEntry("x.npy"));
      zip.write(npy(Literal.of(1)));
      zip.putNextEntry(new ZipEntry("empty"));
      zip.putNextEntry(new ZipEntry("docs/y"));
      zip.write(npy(Literal.of(2)));
    }
    assertThat(Npz.names(file)).containsExactly("x", "docs/y").inOrder();
    assertThat(Npz.read(file)).containsExactly("x", Literal.of(1), "docs/y", Literal.of(2));
    assertThat(Npz.read(file, "docs/y", ElementType.F32)).isEqualTo(Literal.of(2));
  }

  @Test
  void filesWithoutArraysAreRefused() throws IOException {
    Path file = zip("readme.txt", new byte[1]);
    assertRefused(
        file + ": npz: got only readme.txt, want arrays, which end in .npy", () -> Npz.read(file));
    assertRefused(
        file + ": npz: got only readme.txt, want arrays, which end in .npy", () -> Npz.names(file));
  }

  @Test
  void truncatedFilesAreRefused() throws IOException {
    byte[] whole = Files.readAllBytes(zip("a.npy", npy(Literal.of(1))));
    Path file = folder.resolve("cut.npz");
    for (int length = 0; length < whole.length; length += 7) {
      Files.write(file, Arrays.copyOf(whole, length));
      HloException refusal = assertThrows(HloException.class, () -> Npz.read(file));
      assertThat(refusal).hasMessageThat().startsWith(file + ": npz: got no whole zip file: ");
    }
  }

  @Test
  void tuplesAreNotWritten() {
    Path file = folder.resolve("none.npz");
    assertRefused(
        "literal: got (), want an array",
        () -> Npz.write(file, ImmutableMap.of("t", Literal.tuple())));
    assertThrows(NoSuchFileException.class, () -> Npz.read(file));
  }

  // Streams and buffers.

  private static ImmutableMap<String, Literal> pair() {
    return ImmutableMap.of("y", Literal.of(new float[] {1, 2}), "x", Literal.of(true));
  }

  private byte[] pairBytes() throws IOException {
    Path file = folder.resolve("pair.npz");
    Npz.write(file, pair());
    return Files.readAllBytes(file);
  }

  @Test
  void streamsAndBuffers() throws IOException {
    byte[] bytes = pairBytes();
    assertThat(Npz.read(bytes)).containsExactlyEntriesIn(pair()).inOrder();
    ByteBuffer within = ByteBuffer.allocateDirect(bytes.length + 5).put(3, bytes);
    within.position(3).limit(3 + bytes.length);
    assertThat(Npz.read(within)).containsExactlyEntriesIn(pair()).inOrder();
    assertThat(within.position()).isEqualTo(3);
    InputStream stream = new ByteArrayInputStream(bytes);
    assertThat(Npz.read(stream)).containsExactlyEntriesIn(pair()).inOrder();
    assertThat(stream.available()).isEqualTo(0);
  }

  /** Its entry is compressed, and its size follows it. */
  @Test
  void narrowTypesOfAStream() throws IOException {
    Literal narrow = Literal.of(ElementType.S4, new byte[] {-8, 7});
    Path file = zip("w.npy", npy(narrow));
    assertThat(Npz.read(Files.newInputStream(file), ImmutableMap.of("w", ElementType.S4), PLENTY))
        .containsExactly("w", narrow);
  }

  @Test
  void damagedStreams() throws IOException {
    byte[] bytes = pairBytes();
    assertRefused("npz: got no whole zip file: zip file is empty", () -> Npz.read(new byte[0]));
    for (int length = 1; length < bytes.length; length += 7) {
      byte[] cut = Arrays.copyOf(bytes, length);
      HloException refusal = assertThrows(HloException.class, () -> Npz.read(cut));
      assertThat(refusal).hasMessageThat().startsWith("npz: got no whole zip file: ");
      assertThat(refusal.kind()).isEqualTo(HloException.Kind.PARSE);
    }
  }

  /** A stream is read no further than its limit. */
  @Test
  void limitsOfAStream() throws IOException {
    byte[] zeros = npy(Literal.zeros(Shape.of(ElementType.F64, 1000)));
    Path file = zip("zeros.npy", zeros);
    assertRefused(
        "npz: zeros got 8128 bytes, want at most 8000 for all arrays",
        () -> Npz.read(Files.newInputStream(file), ImmutableMap.of(), 8000));
    InputStream endless =
        new InputStream() {
          @Override
          public int read() {
            return 'x';
          }

          @Override
          public int read(byte[] bytes, int from, int count) {
            Arrays.fill(bytes, from, from + count, (byte) 'x');
            return count;
          }
        };
    assertRefused(
        "npz: got more than 16777316 bytes, want at most these",
        () -> Npz.read(endless, ImmutableMap.of(), 100));
  }
}
