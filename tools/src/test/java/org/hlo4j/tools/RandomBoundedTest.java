package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --random} on a program with a bounded parameter. */
final class RandomBoundedTest {
  @TempDir Path folder;

  /** Random arguments are of the bounds, in each command that takes them. */
  @ParameterizedTest
  @ValueSource(strings = {"run", "compare", "trace", "bench -n 1 -w 0", "profile -n 1 -w 0"})
  void boundedParametersTakeRandomArguments(String command) {
    String bounded =
        "HloModule m ENTRY e { x = f32[<=2,3] parameter(0) ROOT r = f32[<=2,3] abs(x) }";
    Cli cli = new Cli(folder).with("bounded.hlo", bounded);
    Cli.Ran ran = cli.run((command + " @/bounded.hlo --random 7").split(" "));
    assertThat(ran.err()).isEmpty();
    assertThat(ran.status()).isEqualTo(0);
  }
}
