package org.hlo4j.tools.input;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.npy.Npz;
import org.hlo4j.hlo.safetensors.Safetensors;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.tools.Cli;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values of --input: literals, files, and several arrays at once. */
class InputsTest {
  private static final String SUM = "f32[3] {21, 22, 23}\n";

  /** {@code z = {x[0], y, b}} of three types. */
  private static final String TYPES =
      """
      HloModule types
      ENTRY main {
        x = bf16[2] parameter(0)
        y = s4[2] parameter(1)
        b = pred[] parameter(2)
        ROOT t = (bf16[2], s4[2], pred[]) tuple(x, y, b)
      }
      """;

  @TempDir Path folder;
  private Cli cli;

  @BeforeEach
  void programs() {
    cli = new Cli(folder).with("sum.hlo", Cli.SUM).with("types.hlo", TYPES);
  }

  private void npy(String name, String literal) throws IOException {
    Files.createDirectories(folder.resolve(name).getParent());
    Npy.write(folder.resolve(name), Parser.parseLiteral(literal));
  }

  private void npz(String name, String... namesAndLiterals) throws IOException {
    Map<String, Literal> arrays = new LinkedHashMap<>();
    for (int i = 0; i < namesAndLiterals.length; i += 2) {
      arrays.put(namesAndLiterals[i], Parser.parseLiteral(namesAndLiterals[i + 1]));
    }
    Npz.write(folder.resolve(name), arrays);
  }

  private Cli.Ran sum(String... inputs) {
    String[] command = new String[inputs.length + 3];
    command[0] = "run";
    command[1] = "@/sum.hlo";
    command[2] = "--input";
    System.arraycopy(inputs, 0, command, 3, inputs.length);
    return cli.run(command);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[3] {1, 2, 3}    | f32[] 10",
        "f32[3]{1,2,3}       | f32[]10",
        "f32[3]{0} {1,2,3}   | 10",
        "float32[3] {1 2 3}  | float32[] 10",
        "{1,2,3}             | 10.0",
        "[1, 2, 3]           | 1e1",
        " { 1, 2, 3 }        | +10",
        "y=10                | {1, 2, 3}",
        "%y=10               | x={1, 2, 3}",
        "f32[3]{1,2,3}       | y=float32[] 10",
      })
  void literals(String first, String second) {
    sum(first, second).prints(SUM);
    sum(first, "--input", second).prints(SUM);
  }

  @Test
  void negativeNumbersAndBooleans() {
    sum("{1,2,3}", "-0.5").prints("f32[3] {0, 1, 2}\n");
    sum("{1,2,3}", "--input", "-1").prints("f32[3] {-1, 0, 1}\n");
    cli.run("run", "@/types.hlo", "-i", "[1, 2]", "int4[2] {-8, 7}", "True")
        .prints("0: bf16[2] {1, 2}\n1: s4[2] {-8, 7}\n2: pred[] true\n");
    cli.run("run", "@/types.hlo", "-i", "bfloat16[2]{1, 2}", "{-8, 7}", "bool[] false")
        .prints("0: bf16[2] {1, 2}\n1: s4[2] {-8, 7}\n2: pred[] false\n");
  }

  @Test
  void programAtAnyPosition() {
    cli.run("run", "--input", "{1,2,3}", "10", "@/sum.hlo").prints(SUM);
    cli.run("run", "--input", "{1,2,3}", "@/sum.hlo", "--input", "10").prints(SUM);
    cli.run("run", "-i", "{1,2,3}", "-i", "10", "--replicas", "1", "@/sum.hlo").prints(SUM);
    cli.run("run", "-i", "{1,2,3}", "10", "--", "@/sum.hlo").prints(SUM);
  }

  @Test
  void patternMatchesSortByNumber() throws IOException {
    npy("in/in10.npy", "f32[] 10");
    npy("in/in2.npy", "f32[3] {1, 2, 3}");
    sum("@/in/in*.npy").prints(SUM);
    sum("@/in/in??.npy", "{1, 2, 3}")
        .fails(
            "@/in/in10.npy: got f32[], want f32[3] for parameter x\n"
                + "hlo4j: {1, 2, 3}: neither an .npy file nor a literal: 1:1: got {, want a number"
                + " of type f32; for parameter y: f32[]");
    sum("@/in/out*.npy").fails("@/in/out*.npy: no files of such a name");
  }

  @Test
  void foldersByNameOrNumber() throws IOException {
    npy("named/y.npy", "f32[] 10");
    npy("named/x.npy", "f32[3] {1, 2, 3}");
    npy("numbered/1.npy", "f32[] 10");
    npy("numbered/0.npy", "f32[3] {1, 2, 3}");
    npy("wrong/0.npy", "f32[] 10");
    npy("wrong/x.npy", "f32[3] {1, 2, 3}");
    sum("@/named").prints(SUM);
    sum("@/named/").prints(SUM);
    sum("@/named/*.npy").prints(SUM);
    sum("@/numbered").prints(SUM);
    sum("@/wrong")
        .fails(
            "@/wrong: got arrays 0, x, want the names of parameters (x, y) or 0, 1, …, as in arr_0"
                + " too");
  }

  @Test
  void archivesByNameOrNumber() throws IOException {
    npz("named.npz", "y", "f32[] 10", "x", "f32[3] {1, 2, 3}");
    npz("numbered.npz", "arr_0", "f32[3] {1, 2, 3}", "arr_1", "f32[] 10");
    npz("y.npz", "y", "f32[] 10");
    npz("other.npz", "y", "f32[] 10", "w", "f32[] 10");
    npz("types.npz", "x", "bf16[2] {1, 2}", "y", "s4[2] {-8, 7}", "b", "pred[] true");
    sum("@/named.npz").prints(SUM);
    sum("@/numbered.npz").prints(SUM);
    sum("@/y.npz", "{1, 2, 3}").prints(SUM);
    sum("x={1, 2, 3}", "y=@/y.npz").prints(SUM);
    cli.run("run", "@/types.hlo", "-i", "@/types.npz")
        .prints("0: bf16[2] {1, 2}\n1: s4[2] {-8, 7}\n2: pred[] true\n");
    sum("@/other.npz")
        .fails(
            "@/other.npz: got arrays y, w, want the names of parameters (x, y) or 0, 1, …, as in"
                + " arr_0 too");
    sum("x=@/named.npz").fails("x=@/named.npz: got 2 arrays, want one");
  }

  @Test
  void safetensorsByName() throws IOException {
    Literal x = Parser.parseLiteral("f32[3] {1, 2, 3}");
    Literal y = Parser.parseLiteral("f32[] 10");
    Safetensors.write(folder.resolve("model.safetensors"), Map.of("y", y, "x", x));
    Safetensors.write(folder.resolve("1.safetensors"), Map.of("x", x));
    Safetensors.write(folder.resolve("2.safetensors"), Map.of("y", y));
    Safetensors.write(folder.resolve("other.safetensors"), Map.of("layer.0.weight", x));
    cli.with(
        "m.safetensors.index.json",
        "{\"weight_map\": {\"x\": \"1.safetensors\", \"y\": \"2.safetensors\"}}");
    sum("@/model.safetensors").prints(SUM);
    sum("@/m.safetensors.index.json").prints(SUM);
    sum("@/2.safetensors", "{1, 2, 3}").prints(SUM);
    sum("@/other.safetensors")
        .fails(
            "@/other.safetensors: got arrays layer.0.weight, want the names of parameters (x, y)"
                + " or 0, 1, …, as in arr_0 too");
    cli.with("cut.safetensors", "cut");
    sum("@/cut.safetensors")
        .fails(
            "@/cut.safetensors: safetensors: got 3 bytes, want at least 8 for the header's length");
  }

  @Test
  void elementTypeMismatchAndConversion() throws IOException {
    npy("in/x.npy", "f64[3] {1, 2, 3}");
    sum("@/in/x.npy", "s32[] 10")
        .fails(
            "@/in/x.npy: got f64[3], want f32[3] for parameter x; --convert converts it\n"
                + "hlo4j: s32[] 10: got s32[], want f32[] for parameter y; --convert converts it");
    sum("@/in/x.npy", "s32[] 10", "--convert").prints(SUM);
    sum("f64[2] {1, 2}", "10", "--convert")
        .fails("f64[2] {1, 2}: got f64[2], want f32[3] for parameter x");
  }

  @Test
  void allErrorsAreReported() {
    sum("@/none.npy", "y=f32[2] {1, 2}", "z=1")
        .fails(
            "z=1: got no parameter z, want one of x: f32[3], y: f32[]\n"
                + "hlo4j: @/sum.hlo: got 3 of 2 arguments (x: f32[3], y: f32[]), want --input for"
                + " each, or --random SEED\n"
                + "hlo4j: @/none.npy: no such file or directory; for parameter x: f32[3]\n"
                + "hlo4j: y=f32[2] {1, 2}: got f32[2], want f32[] for parameter y");
    sum("@/none.npy")
        .fails(
            "@/sum.hlo: got 1 of 2 arguments (x: f32[3], y: f32[]), want --input for each, or"
                + " --random SEED\n"
                + "hlo4j: @/none.npy: no such file or directory; for parameter x: f32[3]");
    sum("y=1", "y=2").fails("y=2: got parameter y twice, want it once");
    sum("0.5", "y=2")
        .fails(
            "0.5: neither an .npy file nor a literal: got one number, want f32[3]; for parameter x:"
                + " f32[3]");
  }

  /** A token has no value: it may be given, and need not be; () likewise. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "token[] | {1, 2} | () | (token, {3, 4})",
        "{1, 2} | (token[], f32[2]) (token[], {3, 4})",
        "u=(token, {3, 4}) | {1, 2}",
        "x={1, 2} | u=(token, {3, 4}) | t=token[]",
      })
  void tokens(String inputs) {
    cli.with(
        "token.hlo",
        """
        HloModule m
        ENTRY main {
          t = token[] parameter(0)
          x = f32[2] parameter(1)
          e = () parameter(2)
          u = (token[], f32[2]) parameter(3)
          y = f32[2] get-tuple-element(u), index=1
          s = f32[2] add(x, y)
          ROOT r = (token[], f32[2]) tuple(t, s)
        }
        """);
    List<String> command = new ArrayList<>(List.of("run", "@/token.hlo", "--input"));
    command.addAll(List.of(inputs.split(" \\| ", -1)));
    cli.run(command.toArray(String[]::new)).prints("0: token[]\n1: f32[2] {4, 6}\n");
  }

  @Test
  void onlyTokensNeedNoInput() {
    cli.with(
            "only.hlo",
            """
            HloModule m
            ENTRY main { t = token[] parameter(0) ROOT c = f32[] constant(3) }
            """)
        .run("run", "@/only.hlo")
        .prints("f32[] 3\n");
    cli.run("run", "@/sum.hlo", "--input", "token[]")
        .fails(
            """
            @/sum.hlo: got 1 of 2 arguments (x: f32[3], y: f32[]), want --input for each, or --random SEED
            hlo4j: token[]: got token[], want f32[3] for parameter x\
            """);
  }
}
