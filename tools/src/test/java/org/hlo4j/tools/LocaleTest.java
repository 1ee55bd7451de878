package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;

import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What commands write does not depend on the language of the machine. */
@Isolated
final class LocaleTest {
  private static final Locale ARABIC = Locale.forLanguageTag("ar-EG-u-nu-arab");
  private static final Locale BEFORE = Locale.getDefault();
  private static final String DOT =
      "HloModule t, num_partitions=2 ENTRY e { x = f32[64,300] parameter(0) ROOT d = f32[64,64]"
          + " dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1} }";

  @TempDir Path folder;

  @AfterEach
  void restore() {
    Locale.setDefault(BEFORE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "explain @/dot.hlo",
        "run @/sum.hlo --random 7",
        "run @/dot.hlo --random 7",
        "run @/sum.hlo -i f32[3]{1,2,3}",
        "summary @/dot.hlo",
        "compare @/sum.hlo --random 7",
        "diff @/sum.hlo @/dot.hlo",
        "trace @/sum.hlo --random 7",
        "print @/dot.hlo",
        "print @/sum.hlo -f html",
        "verify @/none.hlo",
        "fuzz --count 2 --seed 3",
        "run @/dot.hlo --max-steps x",
      })
  void outputIsTheSameInArabic(String command) {
    Cli cli = new Cli(folder).with("sum.hlo", Cli.SUM).with("dot.hlo", DOT);
    String[] arguments = command.split(" ");
    Locale.setDefault(Locale.ROOT);
    Cli.Ran want = cli.run(arguments);
    Locale.setDefault(ARABIC);
    assertThat(cli.run(arguments)).isEqualTo(want);
  }
}
