package org.hlo4j.hlo.source;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.npy.Npz;
import org.hlo4j.hlo.safetensors.Safetensors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

final class WholeFileTest {
  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void writeOld() throws IOException {
    file = Files.writeString(folder.resolve("file"), "old");
  }

  private List<String> names() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(each -> each.getFileName().toString()).sorted().toList();
    }
  }

  private static void write(Path file, String text) throws IOException {
    WholeFile.write(file, out -> out.write(text.getBytes(UTF_8)));
  }

  @Test
  void replacesWhatWasThere() throws IOException {
    write(file, "new");
    write(folder.resolve("other"), "other");
    assertThat(Files.readString(file)).isEqualTo("new");
    assertThat(names()).containsExactly("file", "other");
  }

  @Test
  void keepsWhatWasThereIfItFails() throws IOException {
    IOException full =
        assertThrows(
            FileSystemException.class,
            () ->
                WholeFile.write(
                    file,
                    out -> {
                      out.write(new byte[1 << 20]);
                      throw new IOException("No space left on device");
                    }));
    assertThat(full).hasMessageThat().isEqualTo(file + ": No space left on device");
    assertThat(Files.readString(file)).isEqualTo("old");
    assertThat(names()).containsExactly("file");
  }

  /** Elements that were left out are noticed after the header is written. */
  @Test
  void writersOfArraysKeepWhatWasThere() throws IOException {
    Literal elided = Literal.elided(Shape.of(ElementType.F32, 2));
    ImmutableMap<String, Literal> arrays = ImmutableMap.of("a", Literal.of(1), "b", elided);
    List<Executable> writers =
        List.of(
            () -> Npy.write(file, elided),
            () -> Npz.write(file, arrays),
            () -> Safetensors.write(file, arrays));
    for (Executable writer : writers) {
      assertThrows(HloException.class, writer);
      assertThat(Files.readString(file)).isEqualTo("old");
      assertThat(names()).containsExactly("file");
    }
  }

  @Test
  void replacesLinksAndLeavesWhatTheyLeadTo() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    Path nowhere = Files.createSymbolicLink(folder.resolve("nowhere"), folder.resolve("none"));
    write(link, "new");
    write(nowhere, "new");
    assertThat(Files.readString(link)).isEqualTo("new");
    assertThat(Files.readString(file)).isEqualTo("old");
    assertThat(names()).containsExactly("file", "link", "nowhere");
    assertThat(Files.isSymbolicLink(link)).isFalse();
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void keepsPermissions() throws IOException {
    assumeTrue(Files.getFileStore(file).supportsFileAttributeView("posix"), "POSIX only");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    WholeFile.write(
        file,
        out -> {
          for (String name : names()) {
            assertThat(permissions(folder.resolve(name))).isEqualTo("rw-------");
          }
          out.write("new".getBytes(UTF_8));
        });
    assertThat(permissions(file)).isEqualTo("rw-------");
    assertThat(Files.readString(file)).isEqualTo("new");
  }

  @Test
  void replacesFilesInSharedMemory() throws IOException {
    Path memory = Path.of("/dev/shm");
    assumeTrue(Files.isWritable(memory), "no " + memory);
    Path there = Files.createTempDirectory(memory, "hlo4j").resolve("there");
    try {
      write(there, "first");
      write(there, "2nd");
      assertThat(Files.readString(there)).isEqualTo("2nd");
    } finally {
      Files.deleteIfExists(there);
      Files.delete(there.getParent());
    }
  }

  @Test
  void writesToDevices() throws IOException {
    Path device = Path.of("/dev/null");
    assumeTrue(Files.exists(device), "no " + device);
    write(device, "gone");
    assertThat(Files.isRegularFile(device)).isFalse();
  }
}
