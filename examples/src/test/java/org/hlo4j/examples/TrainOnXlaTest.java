package org.hlo4j.examples;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The example that trains on XLA's CPU plugin; skipped where .ci/pjrt-plugin has not fetched it.
 */
@Isolated // prints to System.out
final class TrainOnXlaTest {
  @Test
  void weightsStayOnTheDevice() {
    Path plugin =
        Optional.ofNullable(System.getenv("HLO4J_PJRT_CPU_PLUGIN"))
            .map(Path::of)
            .orElse(Path.of("../target/pjrt/xla_cpu_pjrt.so"));
    assumeTrue(Files.exists(plugin), "no CPU plugin: .ci/pjrt-plugin fetches it");

    String[] lines = printed(plugin.toString()).split("\n");
    assertThat(lines).hasLength(7);
    assertThat(lines[0]).startsWith("on ");
    assertThat(lines[1]).startsWith("step  0: loss 1.9");
    assertThat(lines[5]).startsWith("step 40: loss 0.0000");
    assertThat(lines[6]).startsWith("weights f32[3] {");
  }

  private static String printed(String plugin) {
    PrintStream before = System.out;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    System.setOut(new PrintStream(out, true, US_ASCII));
    try {
      TrainOnXla.main(new String[] {plugin});
    } finally {
      System.setOut(before);
    }
    return out.toString(US_ASCII);
  }
}
