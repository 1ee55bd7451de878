package org.hlo4j.hlo.proto;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.file.HloFiles;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real programs, if available, survive a round trip through protocol buffers. */
final class SharedProtosTest {
  private static final Path PROGRAMS =
      Path.of(System.getProperty("hlo4j.programs", "/work/shared/programs"));

  private static List<Path> programs(String name) throws IOException {
    assumeTrue(Files.isDirectory(PROGRAMS), "no programs in " + PROGRAMS);
    try (Stream<Path> folders = Files.list(PROGRAMS)) {
      return folders.map(folder -> folder.resolve(name)).filter(Files::exists).sorted().toList();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = "program.hlo.pb")
  void programsRoundTrip(String name) throws IOException {
    for (Path file : programs(name)) {
      HloModule module = HloFiles.readModule(file);
      byte[] bytes = HloProtos.writeModule(module);
      HloModule read = HloProtos.readModule(bytes);
      Verifier.lenient().verify(read);
      assertWithMessage("%s", file).that(Printer.print(read)).isEqualTo(Printer.print(module));
      assertWithMessage("%s", file).that(HloProtos.writeModule(read)).isEqualTo(bytes);
    }
  }

  /** Programs that SharedProgramsTest reads by day. */
  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(strings = {"program.hlo.txt", "program.opt.hlo.txt"})
  void textsRoundTrip(String name) throws IOException {
    programsRoundTrip(name);
  }

  /** The same fields are written, except for empty messages and zeros, which are optional. */
  @ParameterizedTest
  @ValueSource(strings = "program.hlo.pb")
  void protosKeepTheirFields(String name) throws IOException {
    for (Path file : programs(name)) {
      byte[] original = Files.readAllBytes(file);
      byte[] written = HloProtos.writeModule(HloProtos.readModule(original));
      assertThat(lines(written)).containsAtLeastElementsIn(lines(original));
    }
  }

  private static ImmutableList<String> lines(byte[] module) {
    return ProtoLines.of(HloProtos.print(module)).stream()
        .filter(line -> !line.endsWith("{") && !line.equals("}"))
        .filter(line -> !line.endsWith(": \"\"") && !line.endsWith(": 0"))
        .collect(ImmutableList.toImmutableList());
  }
}
