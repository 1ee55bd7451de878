package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ObjectArrays;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.tools.Cli;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunCommandTest {
  @TempDir Path folder;

  private Cli cli() {
    return new Cli(folder).with("sum.hlo", Cli.SUM);
  }

  @Test
  void selectsModule() {
    Cli cli = new Cli(folder).with("two.hlo", Cli.TWO);
    cli.run("run", "@/two.hlo", "--module", "b").prints("f32[1] {3}\n");
    cli.run("run", "@/two.hlo")
        .fails("@/two.hlo: got 2 modules (0: a, 1: b), want one of them: --module NAME or NUMBER");
  }

  @Test
  void literalsAsInputs() {
    cli()
        .run("run", "@/sum.hlo", "--input", "f32[3] {1, 2, 3}", "-i", "f32[] 10")
        .prints("f32[3] {21, 22, 23}\n");
  }

  @Test
  void filesAsInputs() throws IOException {
    Npy.write(folder.resolve("x.npy"), Literal.of(new float[] {1, 2, 3}));
    cli()
        .with("y.txt", "f32[] 0.5\n")
        .run("run", "@/sum.hlo", "--input", "@/x.npy", "--input", "@/y.txt")
        .prints("f32[3] {2, 3, 4}\n");
  }

  @Test
  void randomInputsAreReproducible() {
    String printed = cli().run("run", "@/sum.hlo", "--random", "7").out();
    assertThat(printed).matches("f32\\[3\\] \\{(-?[0-9.]+(, )?){3}\\}\n");
    assertThat(cli().run("run", "@/sum.hlo", "-r", "7").out()).isEqualTo(printed);
    assertThat(cli().run("run", "@/sum.hlo", "-r", "8").out()).isNotEqualTo(printed);
  }

  @Test
  void randomInputsFillMissingOnes() {
    assertThat(
            cli()
                .with(
                    "second.hlo",
                    "HloModule s ENTRY e { x = s8[] parameter(0) "
                        + "y = (pred[2], c64[], token[], u2[2]) parameter(1) "
                        + "ROOT r = s8[] copy(x) }")
                .run("run", "@/second.hlo", "-i", "s8[] -3", "-r", "1"))
        .isEqualTo(new Cli.Ran(0, "s8[] -3\n", ""));
  }

  @Test
  void longRowsAreAbbreviatedUnlessAll() {
    Cli cli =
        cli()
            .with(
                "iota.hlo",
                "HloModule iota ENTRY e { ROOT i = s32[4,50] iota(), iota_dimension=1 }");
    cli.run("run", "@/iota.hlo")
        .prints(
            """
            s32[4,50] {
              {0, 1, 2, ..., 47, 48, 49},
              {0, 1, 2, ..., 47, 48, 49},
              {0, 1, 2, ..., 47, 48, 49},
              {0, 1, 2, ..., 47, 48, 49}
            }
            """);
    String all = cli.run("run", "@/iota.hlo", "--all").out();
    assertThat(all)
        .startsWith(
            """
            s32[4,50] {
              {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                26, 27,\
            """);
    assertThat(Parser.parseLiteral(all).getLong(3, 49)).isEqualTo(49);
  }

  @Test
  void tuplesPrintTheirLeaves() {
    cli()
        .with(
            "t.hlo",
            """
            HloModule t
            ENTRY e {
              a = f64[2,2] constant({{1, nan}, {-inf, 0.1}})
              b = pred[] constant(true)
              t = token[] after-all()
              n = s32[0] constant({})
              inner = (pred[], token[]) tuple(b, t)
              ROOT r = (f64[2,2], (pred[], token[]), s32[0]) tuple(a, inner, n)
            }
            """)
        .run("run", "@/t.hlo")
        .prints(
            """
            0: f64[2,2] {
              {1, nan},
              {-inf, 0.1}
            }
            1.0: pred[] true
            1.1: token[]
            2: s32[0] {}
            """);
  }

  @Test
  void resultsAsFiles() throws IOException {
    Cli cli =
        cli()
            .with(
                "types.hlo",
                """
                HloModule types
                ENTRY e {
                  a = bf16[2] constant({1, -2})
                  b = s4[3] constant({-8, 0, 7})
                  c = c64[1,2] constant({{(1, 2), (3, -4)}})
                  d = u64[] constant(18446744073709551615)
                  t = token[] after-all()
                  ROOT r = (bf16[2], s4[3], token[], c64[1,2], u64[]) tuple(a, b, t, c, d)
                }
                """)
            .with(
                "back.hlo",
                """
                HloModule back
                ENTRY e { a = bf16[2] parameter(0) b = s4[3] parameter(1)
                  c = c64[1,2] parameter(2) d = u64[] parameter(3)
                  ROOT r = (bf16[2], s4[3], c64[1,2], u64[]) tuple(a, b, c, d) }
                """);
    assertThat(cli.run("run", "@/types.hlo", "--output", "@/out/deep").status()).isEqualTo(0);
    try (var files = Files.list(folder.resolve("out/deep"))) {
      assertThat(files.map(file -> file.getFileName().toString()).sorted())
          .containsExactly("0.npy", "1.npy", "2.npy", "3.npy")
          .inOrder();
    }
    assertThat(Npy.read(folder.resolve("out/deep/3.npy")).toString())
        .isEqualTo("u64[] 18446744073709551615");
    cli.run(
            "run",
            "@/back.hlo",
            "-i",
            "@/out/deep/0.npy",
            "-i",
            "@/out/deep/1.npy",
            "-i",
            "@/out/deep/2.npy",
            "-i",
            "@/out/deep/3.npy")
        .prints(
            """
            0: bf16[2] {1, -2}
            1: s4[3] {-8, 0, 7}
            2: c64[1,2] {
              {(1, 2), (3, -4)}
            }
            3: u64[] 18446744073709551615
            """);
  }

  private static final String RING =
      """
      HloModule ring, num_partitions=2
      ENTRY e {
        x = s32[2] parameter(0)
        ROOT next = s32[2] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,0}}
      }
      """;

  @Test
  void devicesOfHeaderTakeTheirOwnInputs() throws IOException {
    Cli cli = cli().with("ring.hlo", RING);
    cli.run("run", "@/ring.hlo", "-i", "s32[2] {0, 1}", "-i", "s32[2] {2, 3}", "-o", "@/o")
        .prints(
            """
            device 0:
            s32[2] {2, 3}
            device 1:
            s32[2] {0, 1}
            """);
    assertThat(Npy.read(folder.resolve("o/device1/0.npy"))).isEqualTo(Literal.of(new int[] {0, 1}));
  }

  @Test
  void oneInputForAllDevices() {
    cli()
        .with("ring.hlo", RING)
        .run("run", "@/ring.hlo", "-i", "s32[2] {0, 1}")
        .prints("all 2 devices:\ns32[2] {0, 1}\n");
  }

  @Test
  void replicasOption() {
    cli()
        .with(
            "id.hlo",
            "HloModule id ENTRY e { p = u32[] partition-id() r = u32[] replica-id() "
                + "ROOT t = (u32[], u32[]) tuple(p, r) }")
        .run("run", "@/id.hlo", "--replicas", "2")
        .prints("device 0:\n0: u32[] 0\n1: u32[] 0\ndevice 1:\n0: u32[] 0\n1: u32[] 1\n");
  }

  /** The sign of NaN depends on the processor. */
  @Test
  void nanPrintsWithoutSign() {
    cli()
        .with("nan.hlo", "HloModule n ENTRY e { ROOT c = c64[2] constant({(-nan, -1), (2, nan)}) }")
        .run("run", "@/nan.hlo")
        .prints("c64[2] {(nan, -1), (2, nan)}\n");
  }

  @Test
  void verifiesBeforeRunning() {
    cli()
        .with(
            "bad.hlo",
            "HloModule b\nENTRY e {\n  a = f32[2] parameter(0)\n  ROOT n = s32[2] negate(a)\n}")
        .run("run", "@/bad.hlo")
        .fails(
            "@/bad.hlo:4:8: negate: declared shape got s32[2], want f32[2] as inferred; at %n ="
                + " s32[2] negate(%a)");
  }

  private static final String CUT =
      """
      HloModule cut
      ENTRY main {
        x = s8[] parameter(0)
        a = f32[2] constant({...})
        b = s32[] constant(7)
        c = (s8[], s8[2]) constant((1, {...}))
        ROOT t = (s8[], f32[2], s32[], (s8[], s8[2])) tuple(x, a, b, c)
      }
      """;

  @Test
  void elidedConstantsAreRejected() {
    Cli cli = cli().with("cut.hlo", CUT);
    String refusal =
        "@/cut.hlo:4:3: constant: the elements of f32[2] were left out, written {...}; want a file"
            + " that has them, as jax.jit(f).lower(x).as_text(\"hlo\"), a .pb, StableHLO or"
            + " jax.export do, or --random SEED for random numbers; at %a = f32[2] constant({...})";
    cli.run("run", "@/cut.hlo", "-i", "s8[] 1").fails(refusal);
    cli.run("bench", "@/cut.hlo", "-i", "s8[] 1").fails(refusal);
    cli.run("trace", "@/cut.hlo", "-i", "s8[] 1").fails(refusal);
  }

  @Test
  void randomValuesReplaceElidedConstants() {
    Cli cli = cli().with("cut.hlo", CUT);
    Cli.Ran ran = cli.run("run", "@/cut.hlo", "-i", "s8[] 1", "--random", "3");
    assertThat(ran.err())
        .isEqualTo(
            "hlo4j: @/cut.hlo: random numbers for the elements of 2 constants written {...}\n");
    String number = "-?[0-9.]+";
    assertThat(ran.out())
        .matches(
            "0: s8[] 1\n1: f32[2] {N, N}\n2: s32[] 7\n3.0: s8[] 1\n3.1: s8[2] {N, N}\n"
                .replaceAll("([{}\\[\\]])", "\\\\$1")
                .replace("N", number));
    assertThat(ran.status()).isEqualTo(0);
    assertThat(cli.run("run", "@/cut.hlo", "-i", "s8[] 1", "--random", "3").out())
        .isEqualTo(ran.out());
    assertThat(cli.run("run", "@/cut.hlo", "-i", "s8[] 1", "--random", "4").out())
        .isNotEqualTo(ran.out());
  }

  /** The tables of a module whose stack frame 1 is at a line of a file. */
  private static String frame(String file, int line) {
    return """

    FileNames
    1 "%s"

    FunctionNames
    1 "f"

    FileLocations
    1 {file_name_id=1 function_name_id=1 line=%s end_line=%s column=4 end_column=30}

    StackFrames
    1 {file_location_id=1 parent_frame_id=1}

    """
        .formatted(file, line, line);
  }

  @Test
  void callbacksIntoPythonAreToldWithTheirLine() {
    Cli cli =
        cli()
            .with(
                "print.hlo",
                "HloModule print\n"
                    + frame("f.py", 3)
                    + """
                    ENTRY main {
                      x = f32[2] parameter(0)
                      ROOT y = () custom-call(x), custom_call_target="xla_ffi_python_cpu_callback", metadata={stack_frame_id=1}
                    }
                    """)
            .with(
                "print.mlir",
                """
                func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
                  stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {has_side_effect = true} : (tensor<2xf32>) -> () loc("f.py":3:4)
                  return %x : tensor<2xf32>
                }
                """);
    String refusal =
        "custom-call: custom_call_target \"xla_ffi_python_cpu_callback\" calls back into Python"
            + " (jax.debug.print, pure_callback, io_callback): remove it before export, or register"
            + " the name in Java, by EvaluatorOptions.Builder.customCall; at ";
    cli.run("run", "@/print.hlo")
        .fails("@/print.hlo:17:8: " + refusal + "%y = () custom-call(%x), at f.py:3");
    cli.run("run", "@/print.mlir")
        .fails("@/print.mlir: " + refusal + "%custom-call = () custom-call(%x), at f.py:3");
    cli.run("verify", "@/print.mlir").prints("ok @/print.mlir\n");
  }

  @Test
  void unknownCustomCalls() {
    Cli cli =
        cli()
            .with(
                "call.hlo",
                """
                HloModule call
                ENTRY main {
                  x = f32[2] parameter(0)
                  ROOT y = f32[2] custom-call(x), custom_call_target="my_kernel"
                }
                """);
    String refusal =
        "@/call.hlo:4:8: custom-call: no evaluator knows the custom_call_target \"my_kernel\", want"
            + " one of LayoutConstraint, Sharding, xla.sdy.*, annotate_device_placement,"
            + " MoveTo*, Pin, Unpin, CreateBuffer, SPMD*, TopK, Qr,"
            + " ProductOfElementaryHouseholderReflectors, LuDecomposition, Eigh,"
            + " tridiagonal_solve_perturbed_ffi, cpu_csr_sparse_dense_ffi, lapack_*_ffi, cu*, hip*,"
            + " or one registered in Java by EvaluatorOptions.Builder.customCall;"
            + " at %y = f32[2] custom-call(%x)";
    cli.run("run", "@/call.hlo").fails(refusal);
    cli.run("explain", "@/call.hlo").fails(refusal);
    cli.run("verify", "@/call.hlo").prints("ok @/call.hlo\n");
  }

  @Test
  void invalidInputs() {
    Cli cli = cli();
    cli.run("run", "@/sum.hlo")
        .fails(
            "@/sum.hlo: got 0 of 2 arguments (x: f32[3], y: f32[]), want --input for each, or"
                + " --random SEED");
    cli.run("run", "@/sum.hlo", "-i", "f32[2] {1, 2}", "-r", "1")
        .fails("f32[2] {1, 2}: got f32[2], want f32[3] for parameter x");
    cli.run("run", "@/sum.hlo", "-i", "f32[3] {1, 2}", "-r", "1")
        .fails(
            "f32[3] {1, 2}: neither an .npy file nor a literal: 1:13: got }, want 3 elements"
                + " rather than 2 of f32[3]; for parameter x: f32[3]");
    cli.run("run", "@/sum.hlo", "-i", "@/none.npy", "-r", "1")
        .fails("@/none.npy: no such file or directory; for parameter x: f32[3]");
    cli.run("run", "@/sum.hlo", "-i", "@/", "-r", "1")
        .fails("@: no .npy files in this folder".replace("@", folder.toString()));
    cli.with("b.hlo", "HloModule b ENTRY e { ROOT a = s4[1] parameter(0) }")
        .run("run", "@/b.hlo", "-i", "s8[1] {100}")
        .fails("s8[1] {100}: element 0 got 100, want a value of s4; for parameter a: s4[1]");
  }

  @Test
  void randomNumbersOfBoundedSizes() {
    String program =
        "HloModule b ENTRY e { x = f32[<=2,3] parameter(0) ROOT r = f32[<=2,3] abs(x) }";
    assertThat(cli().with("b.hlo", program).run("run", "@/b.hlo", "--random", "7").out())
        .startsWith("f32[2,3] {\n  {");
  }

  /** What JAX writes for {@code table[ids]}, with the line of the source in its stack frames. */
  @ParameterizedTest
  @ValueSource(strings = {"reference", "compiled"})
  void indicesOutOfBounds(String evaluator) {
    Cli cli =
        cli()
            .with(
                "lookup.hlo",
                "HloModule jit_f\n"
                    + frame("model.py", 12)
                    + """
                    ENTRY main {
                      table = f32[4,2] constant({{0, 1}, {2, 3}, {4, 5}, {6, 7}})
                      ids = s32[2,1] parameter(0)
                      ROOT rows = f32[2,2] gather(table, ids), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}, metadata={op_name="jit(f)/gather" stack_frame_id=1}
                    }
                    """);
    String[] command = {"run", "@/lookup.hlo", "--evaluator", evaluator, "--input", "{{1}, {4}}"};
    String last = "f32[2,2] {\n  {2, 3},\n  {6, 7}\n}\n";
    cli.run(command).prints(last);
    command = ObjectArrays.concat(command, "--check-bounds");
    cli.run(command)
        .fails(
            "@/lookup.hlo:18:8: gather: start_indices[1,:] got (4, 0), want (0, 0) to (3, 0), for"
                + " slices of (1, 2) in (4, 2); without the check (3, 0) is taken; at %rows ="
                + " f32[2,2] gather(%table, %ids), at model.py:12");
    command[5] = "{{1}, {3}}";
    cli.run(command).prints(last);
  }

  @Test
  void limits() {
    Cli cli =
        cli()
            .with(
                "loop.hlo",
                """
                HloModule loop
                body { ROOT i = s32[] parameter(0) }
                forever { j = s32[] parameter(0) ROOT yes = pred[] constant(true) }
                ENTRY e {
                  z = s32[] constant(0)
                  ROOT w = s32[] while(z), condition=forever, body=body
                }
                """);
    cli.run("run", "@/loop.hlo", "--max-steps", "1000")
        .fails("@/loop.hlo:2:13: run: got beyond 1000 steps; at %i = s32[] parameter(0)");
    assertThat(cli.run("run", "@/loop.hlo", "--deadline", "200ms").err())
        .containsMatch(
            "^hlo4j: @/loop.hlo:\\d+:\\d+: run: got beyond the deadline of 200 ms; at %");
    cli.with("big.hlo", "HloModule b ENTRY e { ROOT i = s32[1000000] iota(), iota_dimension=0 }")
        .run("run", "@/big.hlo", "--max-bytes", "1m")
        .fails(
            "@/big.hlo:1:28: run: s32[1000000] of 4000000 bytes beside the 0 alive, want at most"
                + " 1048576 together; at %i = s32[1000000] iota()");
  }

  @Test
  void invalidFiles() throws IOException {
    Cli cli = cli();
    cli.run("run", "@/none.hlo").fails("@/none.hlo: no such file or directory");
    cli.run("run", folder.toString()).fails(folder + ": is a directory, want a file");
    cli.with("empty.hlo", "")
        .run("run", "@/empty.hlo")
        .fails("@/empty.hlo: file: got an empty file, want HLO, StableHLO or a jax.export file");
    cli.with("typo.hlo", Cli.SUM.replace("multiply", "mutliply"))
        .run("run", "@/typo.hlo")
        .fails("@/typo.hlo:7:17: got the unknown opcode mutliply; nearest known name: multiply");
  }

  @Test
  void verboseError() {
    cli()
        .with("typo.hlo", Cli.SUM.replace("multiply", "mutliply"))
        .run("run", "@/typo.hlo", "--verbose")
        .fails(
            """
            @/typo.hlo:7:17: got the unknown opcode mutliply
                twice = f32[] mutliply(y, two)
                              ^
              nearest known name: multiply\
            """);
  }

  @Test
  void invalidUsage() {
    Cli cli = cli();
    cli.run("run").isRefused("Missing required parameter: 'FILE'; see hlo4j run --help");
    cli.run("run", "@/sum.hlo", "--evaluator", "abacus")
        .isRefused(
            "--evaluator got abacus, want one of reference, compiled, pjrt:PLUGIN; see hlo4j run"
                + " --help");
    cli.run("run", "@/sum.hlo", "--max-bytes", "many")
        .isRefused(
            "Invalid value for option '--max-bytes': got 'many', want bytes such as 1000, 512k,"
                + " 64m or 2g; see hlo4j run --help");
    cli.run("run", "@/sum.hlo", "--deadline", "soon")
        .isRefused(
            "Invalid value for option '--deadline': got 'soon', want a time such as 500ms,"
                + " 10s, 2m or 1h; see hlo4j run --help");
    cli.run("run", "@/sum.hlo", "--random", "x")
        .isRefused(
            "Invalid value for option '--random': got 'x', want a whole number of 64 bits; see"
                + " hlo4j run --help");
    cli.run("run", "@/sum.hlo", "--format", "yaml")
        .isRefused(
            "Invalid value for option '--format': got 'yaml', want one of text, json; see hlo4j run"
                + " --help");
    cli.run("run", "@/sum.hlo", "--replicas", "4294967297")
        .isRefused(
            "Invalid value for option '--replicas': got '4294967297', want a whole number of 32"
                + " bits; see hlo4j run --help");
    cli.run("run", "@/sum.hlo", "--max-steps=-1", "-r", "1")
        .isRefused("--max-steps got -1, want at least 0; see hlo4j run --help");
    cli.run("run", "@/sum.hlo", "--fast")
        .isRefused("Unknown option: '--fast'; see hlo4j run --help");
    cli.run("run", "@/sum.hlo", "--imput", "x.npy")
        .isRefused(
            "Unknown options: '--imput', 'x.npy' (did you mean --input?); see hlo4j run --help");
    cli.run("run", "@/sum.hlo", "--replicas", "0", "-r", "1")
        .fails("devices: got 0 replicas of 1 partitions, want 1 to 4096 devices");
  }
}
