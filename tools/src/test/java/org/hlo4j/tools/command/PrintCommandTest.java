package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.hlo4j.tools.Cli;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrintCommandTest {
  private static final String CALL =
      """
      HloModule call
      twice { p = f32[] parameter(0) ROOT d = f32[] add(p, p) }
      ENTRY e {
        x = f32[] parameter(0)
        ROOT y = f32[] call(x), to_apply=twice, metadata={source_file="a \\"b\\".py" source_line=3}
      }
      """;

  @TempDir Path folder;

  private Cli cli() {
    return new Cli(folder).with("call.hlo", CALL);
  }

  @Test
  void fullHlo() {
    cli()
        .run("print", "@/call.hlo")
        .prints(
            """
            HloModule call, entry_computation_layout={(f32[])->f32[]}

            %twice (p: f32[]) -> f32[] {
              %p = f32[] parameter(0)
              ROOT %d = f32[] add(%p, %p)
            }

            ENTRY %e (x: f32[]) -> f32[] {
              %x = f32[] parameter(0)
              ROOT %y = f32[] call(%x), to_apply=%twice, \
            metadata={source_file="a \\"b\\".py" source_line=3}
            }
            """);
  }

  @Test
  void severalModulesInFile() {
    Cli cli = cli().with("two.hlo", Cli.TWO).with("same.hlo", Cli.TWO.replace("le b", "le a"));
    String b =
        """
        HloModule b, entry_computation_layout={()->f32[1]{0}}

        ENTRY e {
          ROOT x = f32[1] constant({3})
        }
        """;
    cli.run("print", "@/two.hlo", "-f", "short")
        .prints(
            """
            HloModule a, entry_computation_layout={()->f32[2]{0}}

            ENTRY e {
              ROOT x = f32[2] constant({1, 2})
            }

            """
                + b);
    cli.run("print", "@/two.hlo", "-f", "short", "--module", "1").prints(b);
    cli.run("print", "@/two.hlo", "-f", "dot")
        .fails("@/two.hlo: got 2 modules (0: a, 1: b), want one of them: --module NAME or NUMBER");
    cli.run("print", "@/same.hlo", "--module", "a")
        .fails("@/same.hlo: got --module a for 2 modules (0: a, 1: a), want the number of one");
  }

  @Test
  void shortFormToFile() throws IOException {
    cli().run("print", "@/call.hlo", "--format", "SHORT", "--output", "@/out.hlo").prints("");
    assertThat(Files.readString(folder.resolve("out.hlo")))
        .isEqualTo(
            """
            HloModule call, entry_computation_layout={(f32[])->f32[]}

            twice {
              p = f32[] parameter(0)
              ROOT d = f32[] add(p, p)
            }

            ENTRY e {
              x = f32[] parameter(0)
              ROOT y = f32[] call(x), to_apply=twice
            }
            """);
  }

  @Test
  void protoRoundTrip() {
    Cli cli = cli();
    cli.run("print", "@/call.hlo", "-f", "proto", "-o", "@/call.pb").prints("");
    assertThat(cli.run("print", "@/call.pb")).isEqualTo(cli.run("print", "@/call.hlo"));
    cli.run("verify", "@/call.pb").prints("ok @/call.pb\n");
    cli.run("run", "@/call.pb", "-i", "f32[] 4").prints("f32[] 8\n");
  }

  @Test
  void graphvizGraph() {
    cli()
        .run("print", "@/call.hlo", "-f", "dot")
        .prints(
            """
            digraph "call" {
              compound=true
              node [shape=box fontname="sans-serif" fontsize=11]
              edge [fontname="sans-serif" fontsize=9]
              subgraph cluster_0 {
                label="twice"
                n0 [label="parameter\\np\\nf32[]" tooltip="p = f32[] parameter(0)"]
                n1 [label="add\\nd\\nf32[]" tooltip="ROOT d = f32[] add(p, p)" penwidth=2]
              }
              subgraph cluster_1 {
                label="e"
                n2 [label="parameter\\nx\\nf32[]" tooltip="x = f32[] parameter(0)"]
                n3 [label="call\\ny\\nf32[]" tooltip="ROOT y = f32[] call(x), to_apply=twice\\n\
            a \\"b\\".py:3" penwidth=2]
              }
              n0 -> n1 [label="f32[]"]
              n0 -> n1 [label="f32[]"]
              n2 -> n3 [label="f32[]"]
              n3 -> n1 [style=dashed lhead=cluster_0]
            }
            """);
  }

  @Test
  void stableHlo() {
    cli()
        .run("print", "@/call.hlo", "-f", "stablehlo")
        .prints(
            """
            module @call {
              func.func public @main(%x: tensor<f32> loc(#loc1)) -> tensor<f32> {
                %0 = call @twice(%x) : (tensor<f32>) -> tensor<f32> loc(#loc2)
                return %0 : tensor<f32> loc(unknown)
              } loc(unknown)
              func.func private @twice(%p: tensor<f32> loc(#loc3)) -> tensor<f32> {
                %0 = stablehlo.add %p, %p : tensor<f32> loc(unknown)
                return %0 : tensor<f32> loc(unknown)
              } loc(unknown)
            } loc(unknown)
            #loc1 = loc("x")
            #loc2 = loc("a \\22b\\22.py":3:1)
            #loc3 = loc("p")
            """);
  }

  @Test
  void artifact() throws IOException {
    Cli cli = cli();
    cli.run("print", "@/call.hlo", "-f", "artifact", "--version", "1.2.0", "-o", "@/c.mlirbc")
        .prints("");
    byte[] file = Files.readAllBytes(folder.resolve("c.mlirbc"));
    assertThat(new String(file, java.nio.charset.StandardCharsets.ISO_8859_1))
        .contains("StableHLO_v1.2.0");
    Cli.Ran least = cli.run("print", "@/call.hlo", "-f", "artifact", "--version", "least");
    assertThat(least.out()).contains("StableHLO_v0.9.0");
    assertThat(least.err())
        .isEqualTo("hlo4j: the least StableHLO version that can hold the program is 0.9.0\n");
    cli.run("print", "@/call.hlo", "--version", "1.2.0")
        .fails("--version got 1.2.0 with -f hlo, want -f artifact");
  }

  /** As jaxlib's HloPrintOptions.fingerprint() prints the same text. */
  @Test
  void fingerprintKeepsTheOrderOfComputations() {
    Cli cli =
        cli()
            .with(
                "order.hlo",
                """
                HloModule order
                times { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] multiply(a, b) }
                neg { a = f32[] parameter(0) ROOT c = f32[] negate(a) }
                plus { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
                ENTRY e { x = f32[] parameter(0) y = f32[] call(x, x), to_apply=plus
                  z = f32[] call(y), to_apply=neg ROOT w = f32[] call(z, z), to_apply=times }
                """);
    assertThat(
            cli.run("print", "@/order.hlo", "-f", "fingerprint")
                .out()
                .lines()
                .filter(line -> line.startsWith("  ROOT")))
        .containsExactly(
            "  ROOT tmp_2 = f32[] multiply(f32[] tmp_0, f32[] tmp_1)",
            "  ROOT tmp_1 = f32[] negate(f32[] tmp_0)",
            "  ROOT tmp_2 = f32[] add(f32[] tmp_0, f32[] tmp_1)",
            "  ROOT tmp_3 = f32[] call(f32[] tmp_2, f32[] tmp_2), to_apply=")
        .inOrder();
  }

  @Test
  void unknownFormatAndFolder() {
    cli()
        .run("print", "@/call.hlo", "--format", "pdf")
        .isRefused(
            "Invalid value for option '--format': got 'pdf', want one of hlo, short, canonical,"
                + " fingerprint, proto, stablehlo, artifact, dot, html; see hlo4j print --help");
    cli()
        .run("print", "@/call.hlo", "-o", "@/none/x.hlo")
        .fails("@/none/x.hlo: no such file or directory");
  }
}
