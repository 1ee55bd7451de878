package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExplainCommandTest {
  @TempDir Path folder;

  @Test
  void theSteps() {
    Cli.Ran ran = new Cli(folder).with("sum.hlo", Cli.SUM).run("explain", "@/sum.hlo");
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).contains("f32[3]");
    assertThat(ran.status()).isEqualTo(0);
  }

  @Test
  void aProgramThatIsNone() {
    new Cli(folder).run("explain", "@/none.hlo").fails("@/none.hlo: no such file or directory");
  }
}
