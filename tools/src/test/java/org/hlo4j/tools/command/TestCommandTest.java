package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.tools.Cli;
import org.hlo4j.tools.PluginCommandsTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestCommandTest {
  private static final String NEGATE =
      "HloModule negate ENTRY e { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }";
  private static final String META =
      """
      {"name": "negate", "devices": 1,
       "inputs": [{"file": "inputs/0.npy", "shape": [2], "dtype": "f32", "npy": "<f4"}],
       "outputs": [{"file": "expected/0.npy", "shape": [2], "dtype": "f32", "npy": "<f4",
         "rtol": 0, "atol": 0.1}]}
      """;

  @TempDir Path folder;
  private Cli cli;

  @BeforeEach
  void aCase() throws IOException {
    cli = new Cli(folder).with("cases/negate/meta.json", META);
    cli.with("cases/negate/program.hlo.txt", NEGATE);
    array("cases/negate/inputs/0.npy", "f32[2] {1, -2}");
    array("cases/negate/expected/0.npy", "f32[2] {-1.05, 2}");
  }

  private void array(String name, String literal) throws IOException {
    array(name, Parser.parseLiteral(literal));
  }

  private void array(String name, Literal literal) throws IOException {
    Files.createDirectories(folder.resolve(name).getParent());
    Npy.write(folder.resolve(name), literal);
  }

  private static Cli.Ran failed(String lines) {
    return new Cli.Ran(1, lines, "");
  }

  @Test
  void passes() {
    cli.run("test", "@/cases").prints("ok negate\n1 passed, 0 failed, 0 unsupported\n");
    cli.run("test", "@/cases/negate").prints("ok negate\n1 passed, 0 failed, 0 unsupported\n");
    cli.run("test", "-q", folder.toString()).prints("1 passed, 0 failed, 0 unsupported\n");
  }

  @Test
  void fails() throws IOException {
    array("cases/negate/expected/0.npy", "f32[2] {-1.5, 2.05}");
    assertThat(cli.run("test", folder.toString()))
        .isEqualTo(
            failed(
                """
                FAIL cases/negate result 0 at {0}: got -1, want -1.5, 4194304 ulps, 5.00 times the \
                tolerance; 1 of 2 elements differ
                0 passed, 1 failed, 0 unsupported
                """));
  }

  @Test
  void programOption() {
    cli.with("cases/negate/other.hlo", NEGATE.replace("negate(x)", "add(x, x)"));
    assertThat(cli.run("test", "@/cases", "--program", "other.hlo").out())
        .startsWith("FAIL negate result 0 at {1}: got -4, want 2, ");
    cli.run("test", "@/cases", "-p", "none.hlo")
        .prints("UNSUPPORTED negate has no none.hlo\n0 passed, 0 failed, 1 unsupported\n");
  }

  @Test
  void unsupportedCases() {
    cli.with("cases/a/meta.json", META)
        .with(
            "cases/a/program.hlo.txt",
            "HloModule a ENTRY e { x = f32[2] parameter(0) "
                + "ROOT n = f32[2] custom-call(x), custom_call_target=\"abacus\" }");
    cli.with("cases/b/meta.json", META)
        .with("cases/b/program.hlo.txt", "hlo_module { name: \"b\" }");
    Cli.Ran ran = cli.run("test", "@/cases");
    assertThat(ran.out())
        .containsMatch(
            """
            UNSUPPORTED a custom_call_target abacus
            UNSUPPORTED b program.hlo.txt: .*not read.*
            ok negate
            1 passed, 0 failed, 2 unsupported
            """);
    assertThat(ran.status()).isEqualTo(0);
  }

  /** A plugin says itself which custom calls it does not know. */
  @Test
  void customCallsOfAPlugin() {
    String plugin = PluginCommandsTest.evaluator();
    cli.with(
            "cases/negate/program.hlo.txt",
            "HloModule a ENTRY e { x = f32[2] parameter(0) "
                + "ROOT n = f32[2] custom-call(x), custom_call_target=\"abacus\" }")
        .run("test", "@/cases", "--evaluator", plugin)
        .prints(
            "UNSUPPORTED negate PJRT_Client_Compile: NOT_FOUND: No registered implementation for"
                + " untyped custom call to abacus for Host\n"
                + "0 passed, 0 failed, 1 unsupported\n");
  }

  @Test
  void invalidCases() throws IOException {
    String program = "cases/negate/program.hlo.txt";
    cli.with(program, NEGATE.replace("negate(", "negat("));
    assertThat(cli.run("test", "@/cases"))
        .isEqualTo(
            failed(
                "FAIL negate program.hlo.txt:1:68: got the unknown opcode negat; nearest known"
                    + " name: negate\n"
                    + "0 passed, 1 failed, 0 unsupported\n"));
    cli.with(program, NEGATE.replace("parameter(0)", "constant({1, 2})"));
    assertThat(firstLine()).isEqualTo("FAIL negate run: got 1 argument, want none");
    cli.with(
        program,
        "HloModule n ENTRY e { x = f32[2] parameter(0) ROOT t = (f32[2], f32[2]) tuple(x, x) }");
    assertThat(firstLine()).isEqualTo("FAIL negate got 2 results, want 1");
    cli.with(
        program,
        "HloModule n ENTRY e { x = f32[2] parameter(0) " + "ROOT t = f32[1,2] reshape(x) }");
    assertThat(firstLine()).isEqualTo("FAIL negate result 0 got f32[1,2], want f32[2]");
    cli.with(program, NEGATE);
    array("cases/negate/inputs/0.npy", "f32[3] {1, -2, 3}");
    assertThat(firstLine())
        .isEqualTo("FAIL negate inputs/0.npy: got f32[3], want f32[2] as meta.json says");
    Files.delete(folder.resolve("cases/negate/inputs/0.npy"));
    assertThat(firstLine()).isEqualTo("FAIL negate inputs/0.npy: no such file or directory");
  }

  private String firstLine() {
    return cli.run("test", "@/cases").out().lines().findFirst().orElse("");
  }

  @Test
  void invalidMeta() {
    cli.with("cases/negate/meta.json", "{");
    assertThat(firstLine()).startsWith("FAIL negate meta.json: ");
    cli.with("cases/negate/meta.json", "[]");
    assertThat(firstLine()).startsWith("FAIL negate meta.json: ");
    cli.with("cases/negate/meta.json", "{}");
    assertThat(firstLine()).isEqualTo("FAIL negate meta.json: got no \"inputs\", want one");
    cli.with("cases/negate/meta.json", META.replace("\"f32\"", "\"float\""));
    assertThat(firstLine())
        .isEqualTo("FAIL negate meta.json: dtype got float, want HLO's or NumPy's name");
    cli.with("cases/negate/meta.json", META.replace("[2]", "[-2]"));
    assertThat(firstLine()).startsWith("FAIL negate meta.json: ");
    cli.with("cases/negate/meta.json", META.replace("\"devices\": 1", "\"devices\": 0"));
    assertThat(firstLine())
        .isEqualTo("FAIL negate devices: got 1 replicas of 0 partitions, want 1 to 4096 devices");
  }

  @Test
  void typesWithoutNumPyEquivalent() throws IOException {
    cli.with(
        "cases/types/program.hlo.txt",
        """
        HloModule types ENTRY e {
          a = bf16[2] parameter(0)
          b = u4[2] parameter(1)
          t = token[] after-all()
          ROOT r = (u4[2], (token[], bf16[2])) tuple(b, u)
        }
        """
            .replace("ROOT r", "u = (token[], bf16[2]) tuple(t, a)\n  ROOT r"));
    cli.with(
        "cases/types/meta.json",
        """
        {"inputs": [
           {"file": "inputs/0.npy", "shape": [2], "dtype": "bf16", "npy": "<u2", "stored_as": "bits"},
           {"file": "inputs/1.npy", "shape": [2], "dtype": "u4", "npy": "|u1", "stored_as": "values"}],
         "outputs": [
           {"file": "inputs/1.npy", "shape": [2], "dtype": "u4", "npy": "|u1", "exact": true},
           {"file": "inputs/0.npy", "shape": [2], "dtype": "bf16", "npy": "<u2", "exact": true}]}
        """);
    array("cases/types/inputs/0.npy", "u16[2] {16256, 49152}");
    array("cases/types/inputs/1.npy", "u8[2] {3, 15}");
    cli.run("test", "@/cases/types").prints("ok types\n1 passed, 0 failed, 0 unsupported\n");
  }

  /** The global program on two devices, and that of each device. */
  @Test
  void severalDevices() throws IOException {
    cli.with("cases/ring/meta.json", META.replace("1,", "2,").replace("[2]", "[4]"));
    cli.with(
        "cases/ring/program.hlo.txt",
        "HloModule g ENTRY e { x = f32[4] parameter(0) ROOT y = f32[4] negate(x) }");
    cli.with(
        "cases/ring/program.opt.hlo.txt",
        """
        HloModule local, num_partitions=2
        ENTRY e {
          x = f32[2] parameter(0)
          y = f32[2] negate(x)
          z = f32[2] collective-permute(y), channel_id=1, source_target_pairs={{0,1},{1,0}}
          ROOT w = f32[2] collective-permute(z), channel_id=2, source_target_pairs={{0,1},{1,0}}
        }
        """);
    array("cases/ring/inputs/0.npy", "f32[4] {1, 2, 3, 4}");
    array("cases/ring/expected/0.npy", "f32[4] {-1, -2, -3, -4}");
    array("cases/ring/inputs/device0/0.npy", "f32[2] {1, 2}");
    array("cases/ring/inputs/device1/0.npy", "f32[2] {3, 4}");
    array("cases/ring/expected/device0/0.npy", "f32[2] {-1, -2}");
    array("cases/ring/expected/device1/0.npy", "f32[2] {-3, -4}");
    cli.run("test", "@/cases/ring").prints("ok ring\n1 passed, 0 failed, 0 unsupported\n");
    cli.run("test", "@/cases/ring", "-p", "program.opt.hlo.txt")
        .prints("ok ring\n1 passed, 0 failed, 0 unsupported\n");
    array("cases/ring/expected/device1/0.npy", "f32[2] {-3, -5}");
    assertThat(cli.run("test", "@/cases/ring", "-p", "program.opt.hlo.txt").out())
        .startsWith("FAIL ring result 0 of device 1 at {1}: got -4, want -5, ");
  }

  @Test
  void withoutMeta() throws IOException {
    Files.delete(folder.resolve("cases/negate/meta.json"));
    array("cases/negate/expected/0.npy", "f32[2] {-1, 2.0001}");
    cli.run("test", "@/cases").prints("ok negate\n1 passed, 0 failed, 0 unsupported\n");
    array("cases/negate/expected/0.npy", "f32[2] {-1, 2.1}");
    assertThat(firstLine())
        .isEqualTo(
            "FAIL negate result 0 at {1}: got 2, want 2.1, 419430 ulps, 455 times the tolerance; 1"
                + " of 2 elements differ");
    Files.move(
        folder.resolve("cases/negate/inputs/0.npy"), folder.resolve("cases/negate/inputs/x.npy"));
    array("cases/negate/expected/0.npy", "f32[2] {-1, 2}");
    cli.run("test", "@/cases").prints("ok negate\n1 passed, 0 failed, 0 unsupported\n");
    array("cases/negate/inputs/x.npy", "f64[2] {1, -2}");
    assertThat(firstLine())
        .isEqualTo("FAIL negate inputs/x.npy: got f64[2], want f32[2] for parameter x");
    Files.delete(folder.resolve("cases/negate/inputs/x.npy"));
    Files.delete(folder.resolve("cases/negate/inputs"));
    assertThat(firstLine())
        .isEqualTo(
            "FAIL negate program.hlo.txt: got 0 of 1 arguments (x: f32[2]), want one for each");
    array("cases/negate/expected/2.npy", "f32[2] {-1, 2}");
    assertThat(firstLine())
        .isEqualTo("FAIL negate expected: got arrays 0, 2, want 0, 1, …, as in arr_0 too");
  }

  @Test
  void onlyProgramIsUsed() throws IOException {
    Files.move(
        folder.resolve("cases/negate/program.hlo.txt"), folder.resolve("cases/negate/f.hlo"));
    cli.run("test", "@/cases").prints("ok negate\n1 passed, 0 failed, 0 unsupported\n");
    cli.with("cases/negate/g.hlo", NEGATE);
    cli.run("test", "@/cases")
        .prints("UNSUPPORTED negate has no program.hlo.txt\n0 passed, 0 failed, 1 unsupported\n");
  }

  @Test
  void recordedCasePasses() throws IOException {
    cli.with(
        "types.hlo",
        """
        HloModule types
        ENTRY e {
          a = bf16[2] parameter(0)
          b = s4[3] parameter(1)
          c = f32[100] iota(), iota_dimension=0
          d = f32[100] constant({CONSTANT})
          e = f32[100] add(c, d)
          ROOT r = (bf16[2], s4[3], f32[100]) tuple(a, b, e)
        }
        """
            .replace("CONSTANT", "1 ".repeat(100)));
    cli.run("record", "@/types.hlo", "-i", "{1, 2}", "{-8, 0, 7}", "-o", "@/new/types")
        .prints("@/new/types: 2 inputs and 3 results\n");
    cli.run("test", "@/new").prints("ok types\n1 passed, 0 failed, 0 unsupported\n");
    array("new/types/expected/1.npy", "s4[3] {-8, 0, 6}");
    assertThat(cli.run("test", "@/new").out())
        .startsWith("FAIL types result 1 at {2}: got 7, want 6; 1 of 3 elements differ\n");
    cli.run("record", "@/types.hlo", "-r", "1", "-o", "@/new/types")
        .fails("@/new/types: holds program.hlo.txt already, want another folder");
    cli.run("record", "@/types.hlo", "-r", "1")
        .isRefused("Missing required option: '--output=DIR'; see hlo4j record --help");
  }

  @Test
  void recordedCaseOfSeveralDevices() {
    cli.with(
        "id.hlo",
        "HloModule id ENTRY e { x = u32[] parameter(0) r = u32[] replica-id() "
            + "ROOT t = u32[] add(x, r) }");
    cli.run("record", "@/id.hlo", "-i", "10", "20", "--replicas", "2", "-o", "@/new/id")
        .prints("@/new/id: 1 input and 1 result on each of 2 devices\n");
    cli.run("test", "@/new").prints("ok id\n1 passed, 0 failed, 0 unsupported\n");
  }

  @Test
  void noCases() throws IOException {
    cli.run("test", "@/none").fails("@/none: no such file or directory");
    Files.createDirectory(folder.resolve("nothing"));
    cli.run("test", "@/nothing")
        .fails(
            "@/nothing: no case in it, want folders with expected or meta.json, or self-checking"
                + " .mlir files");
    cli.run("test").isRefused("Missing required parameter: 'PATH'; see hlo4j test --help");
  }
}
