package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hlo4j.check.compare.Comparison.LeftOpen;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.testing.FakeCommand;
import org.hlo4j.tools.Cli;
import org.hlo4j.tools.conformance.ConformanceResult;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
final class ConformanceCommandTest {
  /** Of suites, written once. */
  @TempDir static Path written;

  @TempDir Path folder;
  private Cli cli;

  @BeforeAll
  static void write() {
    new Cli(written)
        .run("conformance", "@/suite", "--ops", "add,sine", "--types", "f32,s8")
        .prints("@/suite: 9 values and 3 refusals\n");
    new Cli(written).run("conformance", "@/twins", "--ops", "transpose", "--types", "s32");
    new Cli(written).run("conformance", "@/complex", "--ops", "tan,acos", "--types", "c64");
  }

  @BeforeEach
  void copy() throws IOException {
    cli = new Cli(folder);
    try (Stream<Path> files = Files.walk(written)) {
      for (Path file : files.skip(1).toList()) {
        Files.copy(file, folder.resolve(written.relativize(file)));
      }
    }
  }

  @Test
  void index() throws IOException {
    JsonObject index =
        JsonParser.parseString(Files.readString(folder.resolve("suite/index.json")))
            .getAsJsonObject();
    assertThat(index.get("cases").getAsJsonArray().get(3).toString())
        .isEqualTo(
            """
            {"path":"sine/f32","op":"sine","type":"f32","kind":"value","rule":"extremes",\
            "standing":"required",\
            "words":"Performs element-wise sine operation on operand tensor and produces a result \
            tensor.","source":"https://openxla.org/stablehlo/spec#sine",\
            "programs":["program.hlo.txt","program.mlir","program.mlirbc"]}\
            """);
    assertThat(index.get("cases").getAsJsonArray().get(2).toString())
        .isEqualTo(
            """
            {"path":"sine/s8-refused","op":"sine","type":"s8","kind":"refusal",\
            "rule":"element types","standing":"required",\
            "words":"operand: tensor of floating-point or complex type or per-tensor quantized \
            tensor","source":"https://openxla.org/stablehlo/spec#sine",\
            "message":"sine: element type of operand got s8, want float, complex",\
            "twins":["sine/s8-refused/twin-1","sine/s8-refused/twin-2"],\
            "programs":["program.hlo.txt"]}\
            """);
  }

  @Test
  void evaluatorsPass() {
    Cli.Ran ran = cli.run("conformance", "@/suite", "--run");
    ran.prints(
        """
        op add: 16 of 16
        op sine: 8 of 8
        type f32: 16 of 16
        type s8: 8 of 8
        rules: 9 of 9
        required: 24 passed, 0 failed, 0 unspecified, 0 undecided, 0 unsupported
        """);
  }

  /** A sum has bounds around its result, integers and what only moves have none. */
  @Test
  void structuredOps() throws IOException {
    cli.run("conformance", "@/more", "--ops", "dot,reverse", "--types", "f32,s8")
        .prints("@/more: 14 values and 27 refusals\n");
    assertThat(Files.readString(folder.resolve("more/dot/matrix-f32/program.hlo.txt")))
        .isEqualTo(
            """
            HloModule dot_matrix_f32


            ENTRY main {
              x = f32[3,4] parameter(0)
              y = f32[4,2] parameter(1)
              ROOT r = f32[3,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
            }
            """);
    assertThat(Files.readString(folder.resolve("more/index.json")))
        .contains("\"rule\": \"sums over the contracting dimensions\"");
    Path sum = folder.resolve("more/dot/matrix-f32");
    double want = Npy.read(sum.resolve("expected/0.npy")).doubleAt(0);
    assertThat(Npy.read(sum.resolve("low/0.npy")).doubleAt(0)).isLessThan(want);
    assertThat(Npy.read(sum.resolve("high/0.npy")).doubleAt(0)).isGreaterThan(want);
    Path moved = folder.resolve("more/reverse/two-f32");
    assertThat(Npy.read(moved.resolve("low/0.npy")))
        .isEqualTo(Npy.read(moved.resolve("expected/0.npy")));
    assertThat(cli.run("conformance", "@/more", "--run").out())
        .endsWith("required: 82 passed, 0 failed, 0 unspecified, 0 undecided, 0 unsupported\n");
    assertThat(cli.run("test", "@/more").out()).endsWith("14 passed, 0 failed, 0 unsupported\n");
  }

  /** The rows of hlo4j's tests are cases, with the comment above them or the check as the rule. */
  @Test
  void rows() throws IOException {
    cli.run("conformance", "@/rows", "--ops", "sort,reverse,module", "--types", "s32,f32");
    String index = Files.readString(folder.resolve("rows/index.json")).replaceAll("\\s+", " ");
    assertThat(index)
        .contains(
            """
            { "path": "reverse/shapes-2-f32-refused", "op": "reverse", "type": "f32", \
            "kind": "refusal", "rule": "reverse: dimensions are in range [reverse C3]", \
            "standing": "required", "words": "0 <= dimensions < rank(result)", \
            "source": "https://openxla.org/stablehlo/spec#reverse", \
            "message": "reverse: dimensions[1] got 2, want a dimension of operand f32[5,3]{1,0}", \
            "twins": [ "reverse/shapes-2-f32-refused/twin-1" ], \
            "programs": [ "program.hlo.txt" ] }\
            """);
    assertThat(index).contains("\"rule\": \"3.1 input_output_alias: a result once\"");
    assertThat(index)
        .contains("\"rule\": \"Several move together; what compares equal keeps its order.\"");
    Path sorted = folder.resolve("rows/sort/row-5-s32");
    assertThat(Files.readString(sorted.resolve("program.hlo.txt")))
        .endsWith(
            """
            ENTRY %entry (operand.0: s32[4], operand.1: f32[4]) -> (s32[4], f32[4]) {
              %operand.0 = s32[4]{0} parameter(0)
              %operand.1 = f32[4]{0} parameter(1)
              ROOT %result = (s32[4]{0}, f32[4]{0}) sort(%operand.0, %operand.1), dimensions={0}, \
            is_stable=true, to_apply=%by_key
            }
            """);
    assertThat(Npy.read(sorted.resolve("expected/0.npy")).toString())
        .isEqualTo("s32[4] {1, 1, 2, 2}");
    assertThat(Npy.read(sorted.resolve("high/1.npy")))
        .isEqualTo(Npy.read(sorted.resolve("expected/1.npy")));
  }

  /** A refusal that proves nothing, for want of a valid twin, is named and counted. */
  @Test
  void refusalsWithoutTwin() throws IOException {
    Cli.Ran written = cli.run("conformance", "@/left", "--ops", "infeed,negate", "--types", "f32");
    String left =
        """
        no twin infeed, infeed: feeds: a valid program takes a value from the host
        no twin infeed, 3.3 infeed: the operand is a token: a valid program takes a value from the host
        refusals without a twin, left out: 2
        """;
    assertThat(written.out()).startsWith(left);
    String index = Files.readString(folder.resolve("left/index.json")).replaceAll("\\s+", " ");
    assertThat(index)
        .contains(
            """
            "without_twin": [ { "op": "infeed", "type": "f32", "rule": "infeed: feeds", \
            """);
    assertThat(cli.run("conformance", "@/left", "--run").out()).contains(left);
    assertThat(cli.run("conformance", "@/left", "--run", "--format", "json").out())
        .contains("\"reason\": \"a valid program takes a value from the host\"");
  }

  /** Both evaluators pass all cases, and each refusal has a twin. */
  @Test
  @Tag("nightly")
  void wholeSuite() throws IOException {
    cli.run("conformance", "@/whole");
    String index = Files.readString(folder.resolve("whole/index.json")).replaceAll("\\s+", " ");
    assertThat(index).doesNotContain("\"twins\": []");
    assertThat(index.split("\"kind\": \"refusal\"", -1).length).isGreaterThan(1400);
    assertThat(index.split("\"standing\": \"open\"", -1).length).isGreaterThan(250);
    assertThat(index.split("\"reason\": ", -1).length - 1).isEqualTo(4);
    String out = cli.run("conformance", "@/whole", "--run").out();
    assertThat(out).containsMatch("\nrequired: \\d+ passed, 0 failed, .*, 0 unsupported\n");
    assertThat(out).containsMatch("\nopen: \\d+ passed, 0 failed, .*, 0 unsupported\n$");
  }

  @Test
  void theCommandTestRunsIt() {
    assertThat(cli.run("test", "@/suite").out()).endsWith("9 passed, 0 failed, 0 unsupported\n");
  }

  @Test
  void failingCommandsFailEachCase() throws IOException {
    Cli.Ran ran =
        cli.run(
            "conformance",
            "@/suite",
            "--run",
            "--types",
            "s8",
            "--with",
            FakeCommand.in("FAKE nothing {hlo} {results}"),
            "--junit",
            "@/suite.xml");
    assertThat(ran.out())
        .startsWith("FAIL command add/s8 command wrote no {results}/0.npy, want s8[");
    assertThat(ran.out())
        .endsWith(
            """
            rule Integers wrap.: 0 of 1
            rule element types: 0 of 1
            rule extremes: 0 of 1
            rule integer add, subtract, multiply, negate, abs overflow: wrap: 0 of 1
            rules: 0 of 4
            required: 0 passed, 4 failed, 0 unspecified, 0 undecided, 0 unsupported
            """);
    assertThat(ran.status()).isEqualTo(1);
    assertThat(Files.readString(folder.resolve("suite.xml")))
        .isEqualTo(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
            <testsuite name="command required" tests="4" failures="4" skipped="0">
            <testcase classname="add" name="add/s8: extremes"><failure message="command wrote no {results}/0.npy, want s8[100]"/></testcase>
            <testcase classname="sine" name="sine/s8-refused: element types"><failure message="got a value, want a refusal"/></testcase>
            <testcase classname="add" name="add/row-1-s8: Integers wrap."><failure message="command wrote no {results}/0.npy, want s8[2]"/></testcase>
            <testcase classname="add" name="add/corner-1-s8: integer add, subtract, multiply, negate, abs overflow: wrap"><failure message="command wrote no {results}/0.npy, want s8[2]"/></testcase>
            </testsuite>
            </testsuites>
            """);
  }

  @Test
  void hangingCommandsFailEachCase() {
    Cli.Ran ran =
        cli.run(
            "conformance",
            "@/suite",
            "--run",
            "--ops",
            "sine",
            "--deadline",
            "50ms",
            "--with",
            FakeCommand.in("FAKE wait {hlo} {results}"));
    assertThat(ran.out())
        .contains("FAIL command sine/f32 command " + FakeCommand.java() + " timed out after 50 ms");
    assertThat(ran.out())
        .endsWith("required: 0 passed, 4 failed, 0 unspecified, 0 undecided, 0 unsupported\n");
  }

  @Test
  void wrongUses() {
    cli.run("conformance", "@/suite").fails("@/suite: is not empty, want a new folder");
    cli.run("conformance", "@/none", "--run")
        .fails("@/none: has no index.json, want a suite that hlo4j conformance wrote");
    assertThat(cli.run("conformance", "@/new", "--ops", "adds").err())
        .startsWith("hlo4j: --ops got adds, want opcodes such as add, or module");
    assertThat(cli.run("conformance", "@/new", "--types", "f31").err())
        .startsWith("hlo4j: --types got f31, want element types such as f32");
    assertThat(Files.exists(folder.resolve("new"))).isFalse();
  }

  /** What a specification leaves open is listed, and no value of it passes or fails. */
  @Test
  void open() throws IOException {
    cli.run("conformance", "@/open", "--ops", "divide", "--types", "s8")
        .prints("@/open: 2 values and 0 refusals\n");
    assertThat(Files.readString(folder.resolve("open/index.json")).replaceAll("\\s+", " "))
        .contains(
            """
            "rule": "least integer divided by -1, remainder by -1", "standing": "open", \
            "words": "Performs element-wise division of dividend lhs and divisor rhs tensors and \
            produces a result tensor.", "source": "https://openxla.org/stablehlo/spec#divide", \
            "open": [ { "name": "integer division", \
            "condition": "divide and remainder of integers by 0, and of the least one by -1", \
            "words": "produces an implementation defined value", \
            "source": "https://openxla.org/xla/operation_semantics#div" } ]\
            """);
    Path corner = folder.resolve("open/divide/corner-1-s8");
    assertThat(Npy.read(corner.resolve("free/0.npy")).toString()).isEqualTo("u8[1] {2}");
    assertThat(cli.run("conformance", "@/open", "--run").status()).isEqualTo(0);
    Files.copy(corner.resolve("inputs/1.npy"), corner.resolve("expected/0.npy"), REPLACE_EXISTING);
    assertThat(cli.run("conformance", "@/open", "--run", "--junit", "@/open.xml").out())
        .endsWith("open: 2 passed, 0 failed, 2 unspecified, 0 undecided, 0 unsupported\n");
    assertThat(Files.readString(folder.resolve("open.xml")))
        .contains("<testsuite name=\"compiled open\" tests=\"2\" failures=\"0\" skipped=\"1\">");
    assertThat(cli.run("conformance", "@/open", "--run", "--format", "json").out())
        .contains(
            """
                {
                  "name": "divide/corner-1-s8",
                  "outcome": "unspecified",
                  "message": "unspecified: result 0, s8[1], component 0 got -128, want -1, left open: integer division",
                  "system": "compiled",
                  "standing": "open",
            """);
  }

  /** The words that leave complex numbers open are those of the op. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "For complex numbers: complex tangent. | https://openxla.org/stablehlo/spec#tan",
        "Returns Acos(operand) element-wise. |"
            + " https://openxla.org/stablehlo/generated/chlo#chloacos_chloacosop",
      })
  void complexNumbers(String words, String source) throws IOException {
    assertThat(Files.readString(folder.resolve("complex/index.json")).replaceAll("\\s+", " "))
        .contains("\"words\": \"" + words + "\", \"source\": \"" + source + "\" } ]");
  }

  /** The page has the table of what is open. */
  @Test
  void page() throws IOException {
    String page = Files.readString(Path.of("../docs/markdown/howto/conformance.md"));
    for (LeftOpen row : LeftOpen.values()) {
      assertThat(page)
          .contains("| " + row.condition() + " | [" + row.words() + "](" + row.source() + ") |\n");
    }
  }

  /** A twin differs in the refused thing only. */
  @Test
  void twins() throws IOException {
    Path refused = folder.resolve("twins/transpose/row-2-s32-refused");
    String hlo = Files.readString(refused.resolve("program.hlo.txt"));
    assertThat(hlo)
        .contains("ROOT %result = s32[2,3]{1,0} transpose(%operand.0), dimensions={1,1}\n");
    assertThat(Files.readString(refused.resolve("twin-1/program.hlo.txt")))
        .contains("ROOT %result = s32[2,3]{1,0} transpose(%operand.0), dimensions={0,1}\n");
  }

  /** A refusal counts only beside a valid program that is taken. */
  @ParameterizedTest
  @CsvSource({
    "'0,1', ''",
    "'1,1', '<failure message=\"got a value, want a refusal\"/>'",
    "'2,2', '<skipped message=\"the valid program transpose/row-2-s32-refused/twin-1\"/>'"
  })
  void refusalsCountBesideTwins(String taken, String outcome) throws IOException {
    String command = FakeCommand.in("FAKE takes " + taken + " {hlo} {results}");
    cli.run("conformance", "@/twins", "--run", "--with", command, "--junit", "@/twins.xml");
    assertThat(Files.readString(folder.resolve("twins.xml")))
        .containsMatch("row-2-s32-refused: [^>]*>" + Pattern.quote(outcome + "</testcase>"));
  }

  @Test
  void neighbors() {
    assertThat(ConformanceResult.neighbor(ElementType.F32, -0.0, false)).isEqualTo(-0x1p-149);
    assertThat(ConformanceResult.neighbor(ElementType.F32, -1, true))
        .isEqualTo((double) Math.nextUp(-1f));
    assertThat(ConformanceResult.neighbor(ElementType.F16, 65504, true))
        .isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(ConformanceResult.neighbor(ElementType.F8E4M3FN, 448, true)).isEqualTo(448);
  }

  /** A refusal for another reason is not the one of the case. */
  @Test
  void otherRefusals() throws IOException {
    Files.writeString(folder.resolve("suite/sine/s8-refused/program.hlo.txt"), "HloModule m");
    Cli.Ran ran = cli.run("conformance", "@/suite", "--run", "--ops", "sine", "--types", "s8");
    assertThat(ran.out()).contains("FAIL reference sine/s8-refused got the refusal ");
    assertThat(ran.out()).contains("want sine: element type of operand got s8, want float");
    assertThat(ran.status()).isEqualTo(1);
  }

  @Test
  void indexWithoutFields() throws IOException {
    Files.writeString(folder.resolve("suite/index.json"), "{\"version\": 4, \"cases\": [{}]}");
    Cli.Ran ran = cli.run("conformance", "@/suite", "--run");
    assertThat(ran.err()).contains("index.json: \"path\" of a case got null, want a text");
    assertThat(ran.status()).isEqualTo(1);
  }

  @Test
  void indexOfAnotherVersion() throws IOException {
    Files.writeString(folder.resolve("suite/index.json"), "{\"version\": 1, \"cases\": [{}]}");
    cli.run("conformance", "@/suite", "--run")
        .fails("@/suite/index.json: version got 1, want 4: write the suite again");
  }

  /** Another system gets programs that must be refused as they are, if it reads HLO text. */
  @ParameterizedTest
  @CsvSource({
    "{hlo}, required: 0 passed; 3 failed; 0 unspecified; 0 undecided; 1 unsupported",
    "{mlirbc}, required: 0 passed; 3 failed; 0 unspecified; 0 undecided; 1 unsupported"
  })
  void otherSystemsRefuse(String form, String counts) {
    String command = FakeCommand.in("FAKE fail 1 no " + form + " {results}");
    Cli.Ran ran = cli.run("conformance", "@/suite", "--run", "--ops", "sine", "--with", command);
    assertThat(ran.out()).endsWith(counts.replace(';', ',') + "\n");
  }
}
