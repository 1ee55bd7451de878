package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.tools.Cli;
import org.hlo4j.tools.PluginCommandsTest;
import org.hlo4j.tools.serve.Frame;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServeCommandTest {
  private static final String TWICE =
      "HloModule t ENTRY e { x = f32[2] parameter(0) ROOT y = f32[2] add(x, x) }";

  @TempDir Path folder;

  private static final String CUSTOM_CALL =
      "HloModule c ENTRY e { x = f32[2] parameter(0) ROOT y = f32[2] custom-call(x),"
          + " custom_call_target=\"mine\" }";

  private final ByteArrayOutputStream requests = new ByteArrayOutputStream();

  /** Adds a request; {@code f32[2] {1, 2}} stands for a .npy array. */
  private ServeCommandTest ask(char code, String... parts) throws IOException {
    List<byte[]> bytes = new ArrayList<>();
    for (String part : parts) {
      bytes.add(part.startsWith("f32[") ? npy(part) : part.getBytes(UTF_8));
    }
    new Frame(code, bytes).write(new DataOutputStream(requests));
    return this;
  }

  private static byte[] npy(String literal) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Npy.write(out, Parser.parseLiteral(literal));
    return out.toByteArray();
  }

  /** Sends the requests; each answer is told as text, an array as HLO text. */
  private List<String> answers(int status, String... options) throws IOException {
    String[] args = new String[options.length + 1];
    args[0] = "serve";
    System.arraycopy(options, 0, args, 1, options.length);
    InputStream before = System.in;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    System.setIn(new ByteArrayInputStream(requests.toByteArray()));
    try {
      Cli.Ran ran = new Cli(folder).run(out, args);
      assertThat(ran.err()).isEmpty();
      assertThat(ran.status()).isEqualTo(status);
    } finally {
      System.setIn(before);
    }
    List<String> told = new ArrayList<>();
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(out.toByteArray()));
    for (Optional<Frame> next = Frame.read(in, Long.MAX_VALUE);
        next.isPresent();
        next = Frame.read(in, Long.MAX_VALUE)) {
      StringBuilder text = new StringBuilder().append(next.get().code());
      for (byte[] part : next.get().parts()) {
        text.append(' ').append(text(part));
      }
      told.add(text.toString());
    }
    return told;
  }

  private static String text(byte[] part) throws IOException {
    return part.length > 0 && part[0] == (byte) 0x93
        ? Npy.read(new ByteArrayInputStream(part)).toString()
        : new String(part, UTF_8);
  }

  @Test
  void loadsRunsAndCompares() throws IOException {
    List<String> answers =
        ask('L', TWICE)
            .ask('R', "0", "f32[2] {1, 2}")
            .ask('C', "0", "1", "f32[2] {1, 2}", "f32[2] {2, 4}")
            .ask('C', "0", "1", "f32[2] {1, 2}", "f32[2] {2, 5}")
            .answers(0);
    assertThat(answers.subList(0, 3))
        .containsExactly("= 0", "= " + Parser.parseLiteral("f32[2] {2, 4}"), "= same  same")
        .inOrder();
    assertThat(answers.get(3)).startsWith("= wrong result, f32[2]: wrong, 1 of 2 differs");
    assertThat(answers.get(3)).contains("at [1] got 5, want 4");
    assertThat(answers.get(3)).endsWith(" wrong");
  }

  /** Results after the first are judged beside the compiled evaluator, the wrong ones again. */
  @Test
  void laterResultsAreJudgedAlike() throws IOException {
    String exponential = TWICE.replace("add(x, x)", "exponential(x)");
    String tuple =
        exponential
            .replace("ROOT y", "y")
            .replace(" }", " ROOT t = (f32[2], f32[2]) tuple(x, y) }");
    ask('L', tuple);
    for (String result :
        List.of("{1, 7.3890576}", "{1, 7.3890576}", "{1, 7.4}", "{1, 7.3890576}")) {
      ask('C', "0", "1", "f32[2] {0, 2}", "f32[2] {0, 2}", "f32[2] " + result);
    }
    List<String> answers = answers(0);
    for (int i : new int[] {1, 2, 4}) {
      assertThat(answers.get(i))
          .startsWith("= rounded result 0, f32[2]: same\nresult 1, f32[2]: rounded");
      assertThat(answers.get(i)).endsWith(" same rounded");
    }
    assertThat(answers.get(3))
        .startsWith("= wrong result 0, f32[2]: same\nresult 1, f32[2]: wrong");
    assertThat(answers.get(3)).endsWith(" same wrong");
  }

  /** All devices have the global arrays, whatever they compute together. */
  @Test
  void programsForSeveralDevicesRunOnThem() throws IOException {
    String summed =
        """
        module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
          sdy.mesh @mesh = <["x"=2]>
          func.func public @main(%arg0: tensor<4xf32>) -> tensor<2xf32> {
            %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
              %1 = "stablehlo.all_reduce"(%arg1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> ({
              ^bb0(%a: tensor<f32>, %b: tensor<f32>):
                %2 = stablehlo.add %a, %b : tensor<f32>
                stablehlo.return %2 : tensor<f32>
              }) : (tensor<2xf32>) -> tensor<2xf32>
              sdy.return %1 : tensor<2xf32>
            } : (tensor<4xf32>) -> tensor<2xf32>
            return %0 : tensor<2xf32>
          }
        }
        """;
    String twice =
        """
        module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
          sdy.mesh @mesh = <["x"=2]>
          func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
            %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
            return %0 : tensor<4xf32>
          }
        }
        """;
    assertThat(
            ask('L', summed)
                .ask('R', "0", "f32[4] {1, 2, 30, 40}")
                .ask('C', "0", "1", "f32[4] {1, 2, 30, 40}", "f32[2] {31, 42}")
                .ask('L', twice)
                .ask('R', "1", "f32[4] {1, 2, 30, 40}")
                .answers(0))
        .containsExactly(
            "= 0",
            "= " + Parser.parseLiteral("f32[2] {31, 42}"),
            "= same  same",
            "= 1",
            "= " + Parser.parseLiteral("f32[4] {2, 4, 60, 80}"))
        .inOrder();
  }

  @Test
  void wrongRequestsAreAnswered() throws IOException {
    assertThat(
            ask('R', "0")
                .ask('L', TWICE)
                .ask('X')
                .ask('L')
                .ask('R')
                .ask('R', "1", "f32[2] {1, 2}")
                .ask('R', "0")
                .ask('C', "0", "2", "f32[2] {1, 2}")
                .ask('C', "0", "1", "f32[2] {1, 2}")
                .answers(0))
        .containsExactly(
            "! ARGUMENT id got 0, want a loaded program",
            "= 0",
            "! ARGUMENT request got 88, want L, R, C or U",
            "! ARGUMENT L got 0 parts, want one program",
            "! ARGUMENT R got no parts, want an id and arguments",
            "! ARGUMENT id got 1, want 0 to 0",
            "! ARGUMENT program got 0 arguments, want 1",
            "! ARGUMENT number of arguments got 2, want 0 to 1",
            "! ARGUMENT program got 0 results, want 1")
        .inOrder();
  }

  @Test
  void forgets() throws IOException {
    assertThat(
            ask('L', TWICE)
                .ask('U', "0")
                .ask('R', "0", "f32[2] {1, 2}")
                .ask('U', "0")
                .ask('L', TWICE)
                .ask('U')
                .answers(0))
        .containsExactly(
            "= 0",
            "=",
            "! ARGUMENT id got 0, want a loaded program",
            "! ARGUMENT id got 0, want a loaded program",
            "= 1",
            "! ARGUMENT U got 0 parts, want one id")
        .inOrder();
  }

  @Test
  void unknownCustomCallIsUnsupported() throws IOException {
    assertThat(ask('L', CUSTOM_CALL).answers(0))
        .containsExactly("! UNSUPPORTED custom_call_target mine is known to no evaluator");
  }

  @Test
  void limitIsAnswered() throws IOException {
    assertThat(ask('L', TWICE).ask('R', "0", "f32[2] {1, 2}").answers(0, "--max-steps", "0").get(1))
        .startsWith("! LIMIT ");
  }

  @Test
  void partOfTooManyBytesIsAnswered() throws IOException {
    new DataOutputStream(requests).write(new byte[] {'L', 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0});
    assertThat(answers(0))
        .containsExactly(
            "! LIMIT part 0 got 72057594037927936 bytes, want at most "
                + Runtime.getRuntime().maxMemory() / 4
                + " in all parts, or a larger -Xmx");
  }

  /** Runs python/hlo4j_jax.py with the Python with JAX that HLO4J_JAX_PYTHON names. */
  @Test
  void jaxRunsUnderCheck() throws IOException, InterruptedException {
    Optional<String> python = Optional.ofNullable(System.getenv("HLO4J_JAX_PYTHON"));
    assumeTrue(python.isPresent(), "HLO4J_JAX_PYTHON names no Python with JAX");
    ProcessBuilder builder =
        new ProcessBuilder(
            python.orElseThrow(),
            "-c",
            "import hlo4j_jax, jax; print(jax.jit(lambda x: x * 3)(2.0)); "
                + "print(hlo4j_jax.summary())");
    builder.environment().put("PYTHONPATH", Path.of("../python").toAbsolutePath().toString());
    builder.environment().put("HLO4J_JAX", "evaluate");
    builder
        .environment()
        .put(
            "HLO4J",
            ProcessHandle.current().info().command().orElseThrow()
                + " -cp '"
                + System.getProperty("java.class.path")
                + "' org.hlo4j.tools.Hlo4j");
    Process process = builder.redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertWithMessage(out).that(process.waitFor()).isEqualTo(0);
    assertThat(out).contains("6.0\nhlo4j: 1 computations, 1 runs on hlo4j\n");
  }

  /** A request that is too large is told so, and the next one is read. */
  @Test
  void largeRequestsAreDropped() throws IOException {
    ask('L', "x".repeat(1000), "y").ask('R', "0").ask('R', "12345");
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(requests.toByteArray()));
    HloException refusal = assertThrows(HloException.class, () -> Frame.read(in, 500));
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.LIMIT);
    assertThat(refusal)
        .hasMessageThat()
        .isEqualTo("part 0 got 1000 bytes, want at most 500 in all parts, or a larger -Xmx");
    assertThat(Frame.read(in, 500).orElseThrow().code()).isEqualTo('R');
    assertThat(Frame.read(in, 500).orElseThrow().parts().get(0)).isEqualTo("12345".getBytes(UTF_8));
    assertThat(Frame.read(in, 500)).isEmpty();
  }

  @Test
  void partsTogetherAreLimited() throws IOException {
    ask('R', "0", "x".repeat(100), "x".repeat(100), "x".repeat(100));
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(requests.toByteArray()));
    assertThat(assertThrows(HloException.class, () -> Frame.read(in, 300)))
        .hasMessageThat()
        .isEqualTo("part 3 got 100 bytes, want at most 300 in all parts, or a larger -Xmx");
    assertThat(in.read()).isEqualTo(-1);
  }

  /** A plugin runs the programs; custom calls are its to know, and hlo4j's evaluators judge. */
  @Test
  void programsOnAPlugin() throws IOException {
    String plugin = PluginCommandsTest.evaluator();
    List<String> answers =
        ask('L', TWICE)
            .ask('R', "0", "f32[2] {1, 2}")
            .ask('C', "0", "1", "f32[2] {1, 2}", "f32[2] {2, 4}")
            .ask('C', "0", "1", "f32[2] {1, 2}", "f32[2] {2, 5}")
            .ask('L', CUSTOM_CALL)
            .ask('R', "1", "f32[2] {1, 2}")
            .answers(0, "--evaluator", plugin);
    assertThat(answers.subList(0, 3))
        .containsExactly("= 0", "= " + Parser.parseLiteral("f32[2] {2, 4}"), "= same  same")
        .inOrder();
    assertThat(answers.get(3)).startsWith("= wrong result, f32[2]: wrong, 1 of 2 differs");
    assertThat(answers.get(4)).isEqualTo("= 1");
    assertThat(answers.get(5))
        .isEqualTo(
            "! UNSUPPORTED PJRT_Client_Compile: NOT_FOUND: No registered implementation for untyped"
                + " custom call to mine for Host");
  }
}
