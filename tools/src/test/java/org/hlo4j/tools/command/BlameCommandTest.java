package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ObjectArrays;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.hlo4j.testing.Nightly;
import org.hlo4j.tools.Cli;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("slow")
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

  /** One of what passes do: each row below plants a fault in one of its instructions. */
  private static final String STEP =
      """
      HloModule step

      sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT ab = f32[] add(a, b) }
      product { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT ab = f32[] multiply(a, b) }
      goes {
        state = (s32[], f32[4,4]) parameter(0)
        count = s32[] get-tuple-element(state), index=0
        times = s32[] constant(3)
        ROOT less = pred[] compare(count, times), direction=LT
      }
      body {
        state = (s32[], f32[4,4]) parameter(0)
        count = s32[] get-tuple-element(state), index=0
        one = s32[] constant(1)
        next = s32[] add(count, one)
        y = f32[4,4] get-tuple-element(state), index=1
        zero = s32[] constant(0)
        row = f32[1,4] dynamic-slice(y, count, zero), dynamic_slice_sizes={1,4}
        sine = f32[1,4] sine(row)
        up = f32[4,4] dynamic-update-slice(y, sine, count, zero)
        ROOT both = (s32[], f32[4,4]) tuple(next, up)
      }
      high { a = f32[4,4] parameter(0)  ROOT e = f32[4,4] exponential(a) }
      low { a = f32[4,4] parameter(0)  ROOT f = f32[4,4] floor(a) }

      ENTRY main {
        x = f32[4,4] parameter(0)
        at = s32[2,1] parameter(1)
        zero = f32[] constant(0)
        half = f32[] constant(0.5)
        one = f32[] constant(1)
        ones = f32[4,4] broadcast(one), dimensions={}
        minusone = f32[] constant(-1)
        minus = f32[4,4] broadcast(minusone), dimensions={}
        clamped = s32[2,1] constant({{0}, {0}})
        n = f32[4,4] negate(x)
        b = f32[4,4] reduce-precision(n), exponent_bits=8, mantissa_bits=7
        t = f32[4,4] transpose(x), dimensions={1,0}
        nt = f32[4,4] negate(t)
        d = f32[4,4] dot(n, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}
        s = f32[3,4] slice(d), slice={[0:3], [0:4]}
        p = f32[4,4] pad(s, zero), padding=0_1x0_0
        r = f32[4] reduce(p, zero), dimensions={1}, to_apply=sum
        v = f32[4,4] broadcast(r), dimensions={0}
        c = pred[4,4] compare(x, v), direction=LT
        w = f32[4,4] select(c, v, x)
        count = s32[] constant(0)
        state = (s32[], f32[4,4]) tuple(count, w)
        loop = (s32[], f32[4,4]) while(state), condition=goes, body=body
        y = f32[4,4] get-tuple-element(loop), index=1
        yes = pred[] constant(true)
        z = f32[4,4] conditional(yes, y, y), true_computation=high, false_computation=low
        g = f32[2,4] gather(d, at), offset_dims={1}, collapsed_slice_dims={0}, \
      start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
        k = f32[4,4] scatter(z, at, g), update_window_dims={1}, inserted_window_dims={0}, \
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum, unique_indices=true
        ROOT result = (f32[4,4], f32[4], f32[]) tuple(k, r, half)
      }
      """;

  /**
   * Faults of passes: what is replaced by what, and the instruction that is named. Those behind a
   * star at night only.
   */
  private static final String FAULTS =
      """
      a dropped negation | negate(x) | copy(x) | n
      *a transpose that is folded wrongly | transpose(x), dimensions={1,0} | copy(x) | t
      *a contraction of the other side | lhs_contracting_dims={1} | lhs_contracting_dims={0} | d
      an operand in bf16 | dot(n, t) | dot(b, t) | d
      *slices that are merged, off by one | [0:3] | [1:4] | s
      *a padding value | pad(s, zero) | pad(s, half) | p
      *another side of a pad | 0_1x0_0 | 1_0x0_0 | p
      *another dimension of a reduction | dimensions={1}, to_apply | dimensions={0}, to_apply | r
      *an initial value | reduce(p, zero) | reduce(p, half) | r
      *another dimension of a broadcast | broadcast(r), dimensions={0} | broadcast(r), dimensions={1} | v
      *the sides of a comparison | compare(x, v) | compare(v, x) | c
      *the sides of a select | select(c, v, x) | select(c, x, v) | w
      one more iteration | constant(3) | constant(4) | times, in loop, iteration 3, condition
      the body of a loop | sine(row) | cosine(row) | sine, in loop, iteration 0, body
      *the index in a loop | dynamic-slice(y, count, | dynamic-slice(y, next, | row, in loop, iteration 0, body
      another branch | true_computation=high | true_computation=low | f, in z, branch 0
      *an op in a branch | exponential(a) | exponential-minus-one(a) | e, in z, branch 0
      *a clamped index | gather(d, at) | gather(d, clamped) | g
      the reducer of a scatter | sum, unique | product, unique | k
      a constant | constant(0.5) | constant(0.501) | half
      """;

  private static List<String> faults() {
    return FAULTS
        .lines()
        .filter(row -> Nightly.isOn() || !row.startsWith("*"))
        .map(row -> row.replace("*", ""))
        .toList();
  }

  /** The passes before and after it change the program, too, as passes may. */
  @ParameterizedTest
  @MethodSource
  void faults(String row) throws IOException {
    List<String> columns = Splitter.on('|').trimResults().splitToList(row);
    String swapped = STEP.replace("add(a, b)", "add(b, a)");
    String planted = swapped.replace(columns.get(1), columns.get(2));
    assertThat(planted).isNotEqualTo(swapped);
    steps(STEP, swapped, planted, planted.replace("floor(a)", "ceil(a)"));
    String out = blameSteps().out();
    assertThat(out).contains("wrong after 2\n  @/steps/2.hlo\n");
    List<String> place = Splitter.on(", in ").splitToList(columns.get(3));
    assertThat(out)
        .containsMatch(
            "operands agree:\\n.*\\n    %?"
                + place.get(0)
                + " = .*\\n"
                + (place.size() == 1 ? "    operands" : "    in " + place.get(1)));
  }

  /** Faults of passes by which a loop no longer ends, and the place that is named. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"add(count, one) | subtract(count, one) | next, in loop, iteration 0, body"})
  void endless(String from, String to, String place) throws IOException {
    String planted = STEP.replace(from, to);
    steps(STEP, planted, STEP, planted);
    Cli.Ran ran = blameSteps("--deadline", "1s");
    assertThat(ran.out())
        .startsWith(
            """
            @/steps: 1 of 4 modules run
              passed over, 2: not run after a module that passed a limit
            failed after 1
              @/steps/1.hlo
              run: got beyond the deadline of 1 s
              first pair that differs although the operands agree:
            """);
    assertThat(ran.status()).isEqualTo(1);
    List<String> names = Splitter.on(", in ").splitToList(place);
    assertThat(ran.out())
        .containsMatch("    %?" + names.get(0) + " = .*\\n    in " + names.get(1) + "\\n");
  }

  /** What {@link #endless} leaves to the night. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "count, times), direction=LT | times, times), direction=EQ"
            + " | less, in loop, iteration 3, condition"
      })
  void endlessAtNight(String from, String to, String place) throws IOException {
    endless(from, to, place);
  }

  /** What passes may do is nobody's fault. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "add(a, b) | add(b, a)",
        "negate(x) | multiply(x, minus)",
        "dot(n, t) | dot(x, nt)",
        "broadcast(r), dimensions={0} | dot(p, ones), lhs_contracting_dims={1},"
            + " rhs_contracting_dims={0}",
      })
  void allowed(String from, String to) throws IOException {
    steps(STEP, STEP.replace(from, to));
    assertThat(blameSteps().status()).isEqualTo(0);
  }

  private Cli.Ran blameSteps(String... more) {
    String x =
        "f32[4,4] {{0.3, -1.2, 2.1, 0.7}, {1.9, 0.4, -0.6, 1.1}, {-2.3, 0.2, 1.3, -0.9}, {0.8, 1.7,"
            + " -0.1, 0.5}}";
    String[] all = {"blame", "@/steps", "--input", x, "s32[2,1] {{1}, {3}}"};
    return cli.run(ObjectArrays.concat(all, more, String.class));
  }

  private void steps(String... modules) throws IOException {
    Files.createDirectories(folder.resolve("steps"));
    for (int i = 0; i < modules.length; i++) {
      cli.with("steps/" + i + ".hlo", modules[i]);
    }
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

  /** A pass whose module does not run may be the guilty one. */
  @Test
  void passedOverBeforeTheWrong() {
    dump(
        "0010.simplification.after_cse.before_dce",
        ORIGINAL.replace("tanh(y)", "custom-call(y), custom_call_target=\"other\""));
    dump("cpu_after_optimizations", MULTIPLIED.replace("0.5", "0.75"));
    assertThat(blame().out())
        .contains(
            """
            wrong after cpu_after_optimizations
              @/dump/module_0003.jit_f.cpu_after_optimizations.txt
              or one of the passes before it that were passed over: cse of simplification
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
                  "before": "@/dump/module_0003.jit_f.0010.simplification.after_cse.before_dce.txt",
                  "passedOver": []
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
