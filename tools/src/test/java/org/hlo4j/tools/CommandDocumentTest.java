package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of docs/markdown/reference/command.md are what the commands print. */
class CommandDocumentTest {
  private static final Pattern EXAMPLE =
      Pattern.compile("\n    hlo4j (.*)\n(?:[^`]|`(?!``))*```json\n([^`]*)```");

  private static final Pattern MEASURED =
      Pattern.compile("(Nanos|nanos|Bytes|PerSecond)\": [0-9.E]+");

  @TempDir Path folder;

  private void array(String name, String literal) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Npy.write(file, Parser.parseLiteral(literal));
  }

  private Cli cli() throws IOException {
    Cli cli = new Cli(folder).with("sum.hlo", Cli.SUM);
    cli.with("bad.hlo", Cli.SUM.replace("sum = f32[3]", "sum = f32[4]"));
    for (String name : new String[] {"negate", "wrong"}) {
      cli.with(
          "cases/" + name + "/program.hlo.txt",
          "HloModule n ENTRY e { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }");
      cli.with(
          "cases/" + name + "/meta.json",
          """
          {"inputs": [{"file": "inputs/0.npy", "shape": [2], "dtype": "f32"}],
           "outputs": [{"file": "expected/0.npy", "shape": [2], "dtype": "f32"}]}
          """);
      array("cases/" + name + "/inputs/0.npy", "f32[2] {1, -2}");
    }
    array("cases/negate/expected/0.npy", "f32[2] {-1, 2}");
    array("cases/wrong/expected/0.npy", "f32[2] {-1.5, 2}");
    return cli;
  }

  @Test
  void examplesPrintDocumentedOutput() throws IOException {
    Cli cli = cli();
    String document = Files.readString(Path.of("../docs/markdown/reference/command.md"));
    assertThat(document).contains("```\n" + Cli.SUM + "```");
    Matcher example = EXAMPLE.matcher(document);
    int found = 0;
    while (example.find()) {
      String command = example.group(1).replaceAll("(?<= )(\\w+\\.hlo|cases)", "@/$1");
      Cli.Ran ran = cli.run(Splitter.on(' ').splitToList(command).toArray(String[]::new));
      assertThat(ran.err()).isEmpty();
      assertThat(plain(ran.out())).isEqualTo(plain(example.group(2)));
      found++;
    }
    assertThat(found).isEqualTo(7);
  }

  /** Removes the folder and the measured values, which vary between runs. */
  private static String plain(String json) {
    return MEASURED.matcher(json.replace("@/", "")).replaceAll("$1\": …");
  }

  @Test
  void resultsOfAllTypes() throws IOException {
    cli()
        .with(
            "types.hlo",
            """
            HloModule types
            ENTRY e {
              a = pred[2] constant({true, false})
              b = c64[1] constant({(1, -inf)})
              c = u64[] constant(18446744073709551615)
              d = f32[2] constant({-0, 1e-30})
              t = token[] after-all()
              n = s8[0,2] constant({})
              i = s32[101] iota(), iota_dimension=0
              in = (u64[], token[]) tuple(c, t)
              ROOT r = (pred[2], c64[1], (u64[], token[]), f32[2], s8[0,2], s32[101]) tuple(a, b, in, d, n, i)
            }
            """);
    Cli.Ran ran = cli().run("run", "@/types.hlo", "--format", "json", "--output", "@/out");
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out().replaceAll("\\s+", " "))
        .isEqualTo(
            "{ \"results\": [ { \"index\": \"0\", \"shape\": \"pred[2]\", \"type\": \"pred\","
                + " \"sizes\": [ 2 ], \"values\": [ true, false ], \"file\": \"@/out/0.npy\" }, {"
                + " \"index\": \"1\", \"shape\": \"c64[1]\", \"type\": \"c64\", \"sizes\": [ 1 ],"
                + " \"values\": [ [ 1, \"-inf\" ] ], \"file\": \"@/out/1.npy\" }, { \"index\":"
                + " \"2.0\", \"shape\": \"u64[]\", \"type\": \"u64\", \"sizes\": [], \"values\": ["
                + " 18446744073709551615 ], \"file\": \"@/out/2.npy\" }, { \"index\": \"2.1\","
                + " \"shape\": \"token[]\" }, { \"index\": \"3\", \"shape\": \"f32[2]\", \"type\":"
                + " \"f32\", \"sizes\": [ 2 ], \"values\": [ -0.0, 1E-30 ], \"file\":"
                + " \"@/out/3.npy\" }, { \"index\": \"4\", \"shape\": \"s8[0,2]\", \"type\":"
                + " \"s8\", \"sizes\": [ 0, 2 ], \"values\": [], \"file\": \"@/out/4.npy\" }, {"
                + " \"index\": \"5\", \"shape\": \"s32[101]\", \"type\": \"s32\", \"sizes\": [ 101"
                + " ], \"file\": \"@/out/5.npy\" } ] } ");
    assertThat(Npy.read(folder.resolve("out/2.npy")))
        .isEqualTo(Parser.parseLiteral("u64[] 18446744073709551615"));
  }

  @Test
  void severalDevices() throws IOException {
    Cli.Ran ran =
        cli()
            .with("id.hlo", "HloModule i ENTRY e { ROOT p = u32[] partition-id() }")
            .run("run", "@/id.hlo", "--devices", "2", "--format", "json");
    assertThat(ran.out().replaceAll("\\s+", " "))
        .isEqualTo(
            "{ \"results\": [ { \"device\": 0, \"index\": \"\", \"shape\": \"u32[]\", \"type\":"
                + " \"u32\", \"sizes\": [], \"values\": [ 0 ] }, { \"device\": 1, \"index\": \"\","
                + " \"shape\": \"u32[]\", \"type\": \"u32\", \"sizes\": [], \"values\": [ 1 ] } ] }"
                + " ");
  }

  /** Findings for invalid files, warnings, rules, and files of several programs. */
  @Test
  void findings() throws IOException {
    Cli cli =
        cli()
            .with("two.hlo", Cli.TWO)
            .with("typo.hlo", "HloModule t\n\nENTRY e {\n  ROOT x = f33[] parameter(0)\n}\n")
            .with(
                "b.hlo",
                "HloModule b ENTRY e { x = f32[2,3] parameter(0)\n"
                    + "ROOT b = f32[3,2] broadcast(x), dimensions={1,0}, zzz=1 }");
    Cli.Ran ran =
        cli.run("verify", "@/two.hlo", "@/typo.hlo", "@/none.hlo", "@/b.hlo", "--format", "json");
    assertThat(ran.status()).isEqualTo(1);
    assertThat(ran.out().replaceAll("\\s+", " "))
        .isEqualTo(
            "{ \"programs\": ["
                + " { \"file\": \"@/two.hlo\", \"program\": \"a\", \"status\": \"ok\","
                + " \"findings\": [] },"
                + " { \"file\": \"@/two.hlo\", \"program\": \"b\", \"status\": \"ok\","
                + " \"findings\": [] },"
                + " { \"file\": \"@/typo.hlo\", \"status\": \"error\", \"findings\": [ {"
                + " \"severity\": \"error\", \"line\": 4, \"column\": 12, \"kind\": \"parse\","
                + " \"message\": \"got the unknown element type f33\" } ] },"
                + " { \"file\": \"@/none.hlo\", \"status\": \"error\", \"findings\": [ {"
                + " \"severity\": \"error\", \"kind\": \"io\","
                + " \"message\": \"@/none.hlo: no such file or directory\" } ] },"
                + " { \"file\": \"@/b.hlo\", \"status\": \"ok\", \"findings\": [ {"
                + " \"severity\": \"warning\", \"line\": 2, \"column\": 6, \"kind\": \"verify\","
                + " \"message\": \"broadcast: got the attribute zzz, which XLA does not know\","
                + " \"instruction\": \"b\" } ] } ], \"errors\": 2 } ");
    cli.with(
        "rule.hlo",
        "HloModule r ENTRY e { x = f32[] parameter(0) ROOT b = f32[2] broadcast(x), dimensions={0}"
            + " }");
    assertThat(cli.run("verify", "@/two.hlo", "@/rule.hlo", "-q", "--format", "json").out())
        .containsMatch(
            "\"programs\": \\[\\s+\\{\\s+\"file\": \"@/rule.hlo\"(?s:.*)\"rule\":"
                + " \"broadcast_in_dim C2\"");
  }
}
