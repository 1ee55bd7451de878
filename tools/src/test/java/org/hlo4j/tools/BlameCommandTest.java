package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BlameCommandTest {
  private static final String ORIGINAL =
      """
      HloModule f

      ENTRY main {
        x = f32[3] parameter(0)
        two = f32[] constant(2)
        twos = f32[3] broadcast(two), dimensions={}
        y = f32[3] divide(x, twos)
        ROOT t = f32[3] tanh(y)
      }
      """;

  /** Division by two is the same in all bits. */
  private static final String MULTIPLIED =
      ORIGINAL.replace("constant(2)", "constant(0.5)").replace("divide", "multiply");

  /** Half of a tangent of three halves: other bits, by some ulps. */
  private static final String ROUNDED =
      MULTIPLIED.replace(
          "ROOT t = f32[3] tanh(y)",
          "u = f32[3] tanh(y)\n  e = f32[3] exponential(u)\n  ROOT t = f32[3] log(e)");

  @TempDir Path folder;
  private Cli cli;

  @BeforeEach
  void write() throws IOException {
    cli = new Cli(folder);
    Files.createDirectories(folder.resolve("dump"));
    dump("before_optimizations", ORIGINAL);
    dump("0000.simplification.after_pipeline-start.before_algsimp", ORIGINAL);
    dump("0001.simplification.after_algsimp.before_cse", MULTIPLIED);
    dump("0010.simplification.after_cse.before_dce", ROUNDED);
    dump("cpu_after_optimizations", ROUNDED);
    cli.with("dump/module_0003.jit_f.cpu_after_optimizations-buffer-assignment.txt", "none");
    cli.with("dump/module_0003.jit_f.ir.ll", "none");
  }

  private void dump(String name, String module) {
    cli.with("dump/module_0003.jit_f." + name + ".txt", module);
  }

  private Cli.Ran blame(String... more) {
    String[] all = new String[4 + more.length];
    System.arraycopy(new String[] {"blame", "@/dump", "--input", "{0.5, 1, -3}"}, 0, all, 0, 4);
    System.arraycopy(more, 0, all, 4, more.length);
    return cli.run(all);
  }

  @Test
  void rounded() {
    Cli.Ran ran = blame();
    assertThat(ran.out())
        .startsWith(
            """
            @/dump: 5 of 5 modules run
            rounded after cse of simplification
              @/dump/module_0003.jit_f.0010.simplification.after_cse.before_dce.txt
              result, f32[3]: rounded, \
            """);
    assertThat(ran.status()).isEqualTo(0);
  }

  @Test
  void same() {
    dump("0010.simplification.after_cse.before_dce", MULTIPLIED);
    dump("cpu_after_optimizations", MULTIPLIED);
    assertThat(blame().out()).isEqualTo("@/dump: 5 of 5 modules run\nall results are the same\n");
  }

  /** The pass that made the result wrong is named, not those before or after it. */
  @ParameterizedTest
  @CsvSource({
    "0000.simplification.after_pipeline-start.before_algsimp, pipeline-start of simplification",
    "0001.simplification.after_algsimp.before_cse, algsimp of simplification",
    "0010.simplification.after_cse.before_dce, cse of simplification",
    "cpu_after_optimizations, cpu_after_optimizations",
  })
  void wrong(String file, String pass) {
    dump(file, MULTIPLIED.replace("constant(0.5)", "constant(0.75)"));
    Cli.Ran ran = blame();
    assertThat(ran.out())
        .contains("wrong after " + pass + "\n  @/dump/module_0003.jit_f." + file + ".txt\n");
    assertThat(ran.out()).contains("  first pair that differs although the operands agree:\n");
    assertThat(ran.status()).isEqualTo(1);
  }

  /** What only a device can run is passed over, and what has lost its constants. */
  @Test
  void passedOver() {
    dump(
        "0001.simplification.after_algsimp.before_cse",
        ORIGINAL.replace("tanh(y)", "custom-call(y), custom_call_target=\"__cudnn$conv\""));
    dump(
        "0002.simplification.after_fold.before_cse",
        ORIGINAL
            .replace("f32[] constant(2)", "f32[3] constant({...})")
            .replace("dimensions={}", "dimensions={0}"));
    assertThat(blame().out())
        .startsWith(
            """
            @/dump: 4 of 6 modules run
              passed over, 1: constants are written {...}: want dumps with --xla_dump_large_constants \
            or --xla_dump_hlo_as_proto
              passed over, 1: custom-call: \
            """);
  }

  /** Files of other names are in the order of the numbers in them. */
  @Test
  void anyModules() throws IOException {
    Files.createDirectories(folder.resolve("steps"));
    cli.with("steps/step9.hlo", ORIGINAL);
    cli.with("steps/step10.hlo", MULTIPLIED.replace("0.5", "0.25"));
    cli.with("steps/step11.hlo", MULTIPLIED.replace("0.5", "0.25"));
    assertThat(cli.run("blame", "@/steps", "--random", "1").out())
        .contains("wrong after step10\n  @/steps/step10.hlo\n");
  }

  @Test
  void json() {
    dump("cpu_after_optimizations", MULTIPLIED.replace("0.5", "0.75"));
    Cli.Ran ran = blame("--format", "json");
    assertThat(ran.out())
        .contains(
            """
                {
                  "pass": "algsimp of simplification",
                  "file": "@/dump/module_0003.jit_f.0001.simplification.after_algsimp.before_cse.txt",
                  "verdict": "same"
                },
            """);
    assertThat(ran.out())
        .contains(
            """
                  "pass": "cpu_after_optimizations",
                  "file": "@/dump/module_0003.jit_f.cpu_after_optimizations.txt",
                  "before": "@/dump/module_0003.jit_f.0010.simplification.after_cse.before_dce.txt"
            """);
    assertThat(ran.status()).isEqualTo(1);
  }

  @Test
  void page() throws IOException {
    dump("cpu_after_optimizations", MULTIPLIED.replace("0.5", "0.75"));
    blame("--html", "@/page.html");
    String page = Files.readString(folder.resolve("page.html"));
    assertThat(page).contains("<tr><td>algsimp of simplification</td><td>same</td></tr>");
    assertThat(page).contains("<h1>cse of simplification and cpu_after_optimizations</h1>");
  }

  @Test
  void refusals() {
    cli.with("dump/module_0004.jit_g.before_optimizations.txt", ORIGINAL);
    blame().fails("@/dump: got [module_0003.jit_f, module_0004.jit_g], want one: --program NAME");
    assertThat(blame("--program", "jit_g").status()).isEqualTo(0);
    blame("--program", "jit_h")
        .fails("@/dump: got [module_0003.jit_f, module_0004.jit_g], want one: --program NAME");
    cli.run("blame", "@/dump/page.html", "--random", "1")
        .fails("@/dump/page.html: got no folder, want one of modules");
  }
}
