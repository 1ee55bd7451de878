package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Path;
import org.hlo4j.tools.Cli;
import org.hlo4j.tools.graph.GraphPages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfileCommandTest {
  private static final String LAYERS =
      """
      HloModule layers

      ENTRY main {
        x = f32[64,64] parameter(0)
        w = f32[64,64] parameter(1)
        h = f32[64,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/first/dot"}
        s = f32[64,64] sort(h), dimensions={1}, to_apply=less, metadata={op_name="jit(f)/first/sort"}
        ROOT y = f32[64,64] dot(s, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/second/dot"}
      }
      """
          .replace(
              "ENTRY",
              """
              less {
                a = f32[] parameter(0)
                b = f32[] parameter(1)
                ROOT l = pred[] compare(a, b), direction=LT
              }

              ENTRY\
              """);

  @TempDir Path folder;

  private Cli.Ran run(String... more) {
    String[] line = {"profile", "@/layers.hlo", "-r", "1", "-n", "3", "-w", "1"};
    String[] all = new String[line.length + more.length];
    System.arraycopy(line, 0, all, 0, line.length);
    System.arraycopy(more, 0, all, line.length, more.length);
    return new Cli(folder).with("layers.hlo", LAYERS).run(all);
  }

  @Test
  void aLineForEachStep() {
    Cli.Ran ran = run();
    String row = " *[0-9.]+ % +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+ % (mem |flop)  [hsy] .*\n";
    assertThat(ran.out())
        .matches(
            "[0-9.]+ ms a run, the median of 3 runs; this machine: [0-9]+ GFLOP/s, [0-9.]+ GB/s\n"
                + " share     time µs  GFLOP/s    GB/s  of limit  step\n"
                + row.repeat(3));
    assertThat(ran.err()).isEmpty();
    assertThat(ran.status()).isEqualTo(0);
  }

  @ParameterizedTest
  @CsvSource({
    "op, 2, dot  2 steps, sort  1 step",
    "scope, 2, '  all  3 steps\n', '    jit(f)  3 steps\n'",
    "scope, 2, '      first  2 steps\n', '      second  1 step\n'",
  })
  void sums(String by, String depth, String one, String other) {
    Cli.Ran ran = run("--by", by, "--depth", depth);
    assertThat(ran.out()).contains(one);
    assertThat(ran.out()).contains(other);
  }

  @Test
  void theOtherStepsAreOneLine() {
    assertThat(run("--top", "1").out()).containsMatch(" % +[0-9.]+  2 more\n$");
  }

  @Test
  void scopesEndAtTheDepth() {
    assertThat(run("--by", "scope", "--depth", "1").out()).doesNotContain("first");
    assertThat(run("--by", "scope", "--top", "1").out()).endsWith("  all  3 steps\n3 more\n");
  }

  /** The graph is that of the steps, each with its part of the time. */
  @Test
  void html() {
    String page = run("--format", "html").out();
    assertThat(page).contains("<title>layers - hlo4j</title>");
    double sum = 0;
    JsonObject program = GraphPages.program(page).getAsJsonObject();
    for (JsonElement computation : program.getAsJsonArray("computations")) {
      for (JsonElement node : computation.getAsJsonObject().getAsJsonArray("nodes")) {
        JsonArray fields = node.getAsJsonArray();
        sum += fields.size() > 10 ? fields.get(10).getAsDouble() : 0;
      }
    }
    assertThat(sum).isWithin(1e-9).of(1);
  }

  /** Without dots, which would be slow before Java has compiled them. */
  @Test
  void machineIsMeasuredByItself() {
    String out =
        new Cli(folder)
            .with(
                "n.hlo",
                "HloModule n ENTRY e { x = f32[8] parameter(0) ROOT n = f32[8] negate(x) }")
            .run("profile", "@/n.hlo", "-r", "1", "-n", "1", "-w", "0")
            .out();
    assertThat(out).doesNotContain("this machine: 0 GFLOP/s");
  }

  @Test
  void json() {
    JsonObject json = JsonParser.parseString(run("--format", "json").out()).getAsJsonObject();
    double sum = 0;
    for (JsonElement step : json.getAsJsonArray("steps")) {
      sum += step.getAsJsonObject().get("nanos").getAsDouble();
    }
    assertThat(json.get("nanos").getAsDouble()).isEqualTo(sum);
    assertThat(json.get("runs").getAsInt()).isEqualTo(3);
    JsonObject dot = json.getAsJsonArray("steps").get(0).getAsJsonObject();
    assertThat(dot.get("instruction").getAsString()).isEqualTo("h");
    assertThat(dot.get("scope").getAsString()).isEqualTo("jit(f)/first/dot");
    assertThat(dot.get("flops").getAsDouble()).isEqualTo(2.0 * 64 * 64 * 64);
    assertThat(dot.get("bytes").getAsDouble()).isEqualTo(3.0 * 4 * 64 * 64);
    assertThat(dot.get("calls").getAsDouble()).isEqualTo(1);
  }

  @Test
  void wrongUses() {
    run("--by", "layer")
        .isRefused("--by got layer, want one of step, op, scope; see hlo4j profile --help");
    run("--top", "0")
        .isRefused(
            "got --runs 3, --warmup 1, --top 0, --depth 2, want at least 1, 0, 1 and 1; see hlo4j"
                + " profile --help");
    run("--format", "xml")
        .isRefused(
            "Invalid value for option '--format': got 'xml', want one of text, json, html; see"
                + " hlo4j profile --help");
  }
}
