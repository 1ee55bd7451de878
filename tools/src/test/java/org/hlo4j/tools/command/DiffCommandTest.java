package org.hlo4j.tools.command;

import static com.google.common.truth.Truth.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.hlo4j.tools.Cli;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiffCommandTest {
  private static final String BEFORE =
      """
      HloModule a
      ENTRY main {
        x = f32[8,4] parameter(0)
        w = f32[4,4] parameter(1)
        h = bf16[8,4] convert(x)
        g = f32[8,4] convert(h)
        y = f32[8,4] dot(g, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
        z = f32[8,4] tanh(y)
        ROOT r = f32[8,4] add(z, x)
      }
      """;

  private static final String AFTER =
      """
      HloModule b
      ENTRY entry {
        p0 = f32[8,4] parameter(0)
        p1 = f32[4,4] parameter(1)
        dot.3 = f32[8,4] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={1}
        tanh.4 = f32[8,4] tanh(dot.3)
        neg = f32[8,4] negate(tanh.4)
        ROOT add.5 = f32[8,4] add(neg, p0)
      }
      """;

  @TempDir Path folder;

  private Cli.Ran diff(String a, String b, String... more) throws IOException {
    Files.writeString(folder.resolve("a.hlo"), a);
    Files.writeString(folder.resolve("b.hlo"), b);
    String[] args = new String[more.length + 3];
    args[0] = "diff";
    args[1] = folder.resolve("a.hlo").toString();
    args[2] = folder.resolve("b.hlo").toString();
    System.arraycopy(more, 0, args, 3, more.length);
    return new Cli(folder).run(args);
  }

  @Test
  void changes() throws IOException {
    Cli.Ran ran = diff(BEFORE, AFTER);
    assertThat(ran.out())
        .isEqualTo(
            """
            A: a, 7 instructions, 352 FLOP, 1,344 bytes read and written
            B: b, 6 instructions, 320 FLOP, 1,216 bytes read and written
            3 the same, 2 changed, 2 only in A, 1 only in B
            computation main / entry:
              - convert bf16[8,4] (h), 32 FLOP
              - convert f32[8,4] (g), 32 FLOP
              + negate f32[8,4] (neg), 32 FLOP
              ~ dot: rhs_contracting_dims (0) to (1), operand 0 convert g to parameter p0 (y / dot.3)
              ~ add: operand 0 tanh z to negate neg (r / add.5)
            """);
    assertThat(ran.status()).isEqualTo(1);
  }

  /** Names, metadata and the order of instructions do not count. */
  @Test
  void theSame() throws IOException {
    Cli.Ran ran =
        diff(
            AFTER,
            AFTER
                .replace("neg ", "minus, ".replace(",", ""))
                .replace("(neg,", "(minus,")
                .replace("tanh(dot.3)", "tanh(dot.3), metadata={op_name=\"f\"}"));
    assertThat(ran.out()).endsWith("the same, but for names and metadata\n");
    assertThat(ran.status()).isEqualTo(0);
  }

  /** What is the same by its definition: the first two rows are not. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[2,3] subtract(x, y) | f32[2,3] subtract(y, x) | 1
          f32[2,3] reshape(x); b = f32[3,2] transpose(r), dimensions={1,0} | f32[2,3] reshape(x); b = f32[3,2] reshape(r) | 1
          f32[2,3] add(x, y) | f32[2,3] add(y, x) | 0
          f32[2,3] negate(x); b = f32[2,3] maximum(r, y) | f32[2,3] negate(x); b = f32[2,3] maximum(y, r) | 0
          pred[2,3] compare(x, y), direction=EQ | pred[2,3] compare(y, x), direction=EQ | 0
          f32[1,2,3] reshape(x); b = f32[1,4,2,3] broadcast(r), dimensions={0,2,3} | f32[1,4,2,3] broadcast(x), dimensions={2,3} | 0
          f32[4,2,3] broadcast(x), dimensions={1,2}; b = f32[1,4,2,3] broadcast(r), dimensions={1,2,3} | f32[1,4,2,3] broadcast(x), dimensions={2,3} | 0
          f32[2,3,1] broadcast(x), dimensions={0,1} | f32[2,3,1] reshape(x) | 0
          f32[6] reshape(x); b = f32[3,2] reshape(r) | f32[3,2] reshape(x) | 0
          f32[3,2] transpose(x), dimensions={1,0}; b = f32[2,3] transpose(r), dimensions={1,0}; c = f32[2,3] negate(b) | f32[2,3] negate(x) | 0
          f64[2,3] convert(x); b = f32[2,3] convert(r); c = f32[2,3] negate(b) | f32[2,3] negate(x) | 0
          bf16[2,3] convert(x); b = f32[2,3] convert(r); c = f32[2,3] negate(b) | f32[2,3] negate(x) | 1
          f32[2,3] reshape(x); b = f32[2,3] negate(r) | f32[2,3] negate(x) | 0
          f32[2,3] broadcast(z), dimensions={}; b = f32[6] reshape(r) | f32[6] broadcast(z), dimensions={} | 0
          """)
  void sameByDefinition(String a, String b, int status) throws IOException {
    assertThat(diff(computing(a), computing(b)).status()).isEqualTo(status);
  }

  /** Returns a program whose last instruction is the root. */
  private static String computing(String instructions) {
    String all = ("r = " + instructions).replace("; ", "\n  ");
    int last = all.lastIndexOf('\n') + 1;
    return """
    HloModule m
    ENTRY e {
      x = f32[2,3] parameter(0)
      y = f32[2,3] parameter(1)
      z = f32[] parameter(2)
    """
        + all.substring(0, last)
        + "  ROOT "
        + all.substring(last).strip()
        + "\n}\n";
  }

  @Test
  void loopsAndJson() throws IOException {
    String loop =
        """
        HloModule loop
        cond {
          s = s32[] parameter(0)
          n = s32[] constant(10)
          ROOT lt = pred[] compare(s, n), direction=LT
        }
        body {
          t = s32[] parameter(0)
          one = s32[] constant(1)
          ROOT u = s32[] add(t, one)
        }
        ENTRY main {
          x = s32[] parameter(0)
          ROOT w = s32[] while(x), condition=cond, body=body
        }
        """;
    String longer = loop.replace("constant(10)", "constant(20)");
    assertThat(diff(loop, longer).out())
        .contains("computation cond / cond:\n  ~ constant: value 10 to 20 (n)\n");
    assertThat(diff(loop, longer, "--format", "json").out())
        .containsMatch("\"what\": \"value\",\\s*\"from\": \"10\",\\s*\"to\": \"20\"");
  }

  private static final String TWO =
      """
      HloModule f
      ENTRY main {
        x = f32[4] parameter(0)
        e = f32[4] exponential(x)
        ROOT t = f32[4] tanh(x)
      }
      """;

  /** Programs with the same instructions that return another of them are not the same. */
  @Test
  void rootMoves() throws IOException {
    Cli.Ran ran = diff(TWO, TWO.replace("ROOT ", "").replace("e =", "ROOT e ="));
    assertThat(ran.out())
        .endsWith(
            """
            1 the same, 2 changed, 0 only in A, 0 only in B
            computation main / main:
              ~ exponential: root no to yes (e)
              ~ tanh: root yes to no (t)
            """);
    assertThat(ran.status()).isEqualTo(1);
  }

  @Test
  void shardings() throws IOException {
    Cli.Ran ran = diff(TWO, TWO.replace("tanh(x)", "tanh(x), sharding={replicated}"));
    assertThat(ran.out()).endsWith("  ~ tanh: sharding none to {replicated} (t)\n");
    assertThat(ran.status()).isEqualTo(1);
  }

  @Test
  void attributesOfTheModule() throws IOException {
    assertThat(diff(AFTER, AFTER.replace("HloModule b", "HloModule b, num_partitions=2")).out())
        .contains("~ module: num_partitions none to 2\n");
  }

  private static final String ORDERED = TWO.replace("tanh(x)", "tanh(x), control-predecessors={e}");

  @Test
  void controlPredecessorsAreComparedByWhatTheyAre() throws IOException {
    Cli.Ran renamed = diff(ORDERED, ORDERED.replace("e =", "other =").replace("{e}", "{other}"));
    assertThat(renamed.out()).endsWith("the same, but for names and metadata\n");
    assertThat(renamed.status()).isEqualTo(0);
    Cli.Ran removed = diff(ORDERED, TWO);
    assertThat(removed.out()).endsWith("  ~ tanh: control-predecessors {%e} to none (t)\n");
    assertThat(removed.status()).isEqualTo(1);
  }

  private static final String FUSED =
      """
      HloModule f
      fused {
        p = f32[4] parameter(0)
        inner.e = f32[4] exponential(p)
        inner.t = f32[4] tanh(p)
        ROOT both = (f32[4], f32[4]) tuple(inner.t, inner.e)
      }
      ENTRY main {
        x = f32[4] parameter(0)
        fusion = (f32[4], f32[4]) fusion(x), kind=kLoop, calls=fused
        e.1 = f32[4] get-tuple-element(fusion), index=1
        ROOT t.1 = f32[4] get-tuple-element(fusion), index=0
      }
      """;

  /** What a fusion computes corresponds to the same outside of it. */
  @Test
  void flattened() throws IOException {
    assertThat(diff(TWO, FUSED).out())
        .contains("1 the same, 0 changed, 2 only in A, 7 only in B\n");
    Cli.Ran ran = diff(TWO, FUSED, "--flatten");
    assertThat(ran.out()).endsWith("the same, but for names and metadata\n");
    assertThat(ran.status()).isEqualTo(0);
    assertThat(diff(TWO.replace("tanh", "sine"), FUSED, "--flatten").out())
        .endsWith(
            """
            2 the same, 0 changed, 1 only in A, 1 only in B
            of those in both, 0 are in fusions of A, 1 in fusions of B, 1 of one only
            fusion of B: 1 not fused in A, 1 only in B
            computation main / main:
              - sine f32[4] (t)
              + tanh f32[4] (fusion/inner.t)
            """);
  }

  @Test
  void ignored() throws IOException {
    String sharded = TWO.replace("tanh(x)", "tanh(x), sharding={replicated}");
    assertThat(diff(TWO, sharded, "--ignore", "layout,sharding").status()).isEqualTo(0);
    assertThat(diff(TWO, sharded, "--ignore", "layout").status()).isEqualTo(1);
  }

  /** Each fusion that is not one of the other program, with where its instructions are there. */
  @Test
  void fusions() throws IOException {
    String two =
        """
        HloModule f
        fused_t { p = f32[4] parameter(0) ROOT t = f32[4] tanh(p) }
        fused_e { q = f32[4] parameter(0) ROOT e = f32[4] exponential(q) }
        ENTRY main {
          x = f32[4] parameter(0)
          fusion.1 = f32[4] fusion(x), kind=kLoop, calls=fused_t
          fusion.2 = f32[4] fusion(x), kind=kLoop, calls=fused_e
          ROOT r = (f32[4], f32[4]) tuple(fusion.1, fusion.2)
        }
        """;
    String one =
        """
        HloModule f
        fused {
          p = f32[4] parameter(0)
          t = f32[4] tanh(p)
          e = f32[4] exponential(p)
          ROOT both = (f32[4], f32[4]) tuple(t, e)
        }
        ENTRY main {
          x = f32[4] parameter(0)
          ROOT fusion = (f32[4], f32[4]) fusion(x), kind=kLoop, calls=fused
        }
        """;
    assertThat(diff(two, two.replace("fusion.1", "f.1"), "--flatten").out())
        .endsWith("the same, but for names and metadata\n");
    assertThat(diff(two, one.replace("tanh", "sine"), "--flatten").out())
        .contains(
            """
            of those in both, 1 are in fusions of A, 2 in fusions of B, 1 of one only
            fusion of B: 1 of fusion.2, 1 not fused in A, 1 only in B
            fusion.2 of A: 1 of fusion
            fusion.1 of A: 1 only in A
            """);
  }

  /** What is ordered after a fusion is ordered after its root, and the other way round. */
  @Test
  void controlPredecessorsOfFusions() throws IOException {
    String plain =
        """
        HloModule f
        ENTRY main {
          x = f32[4] parameter(0)
          n = f32[4] negate(x)
          a = f32[4] abs(x), control-predecessors={n}
          t = f32[4] tanh(a)
          ROOT e = f32[4] exponential(t), control-predecessors={n, t}
        }
        """;
    String fused =
        """
        HloModule f
        fused { p = f32[4] parameter(0) ROOT t = f32[4] tanh(p) }
        fused.a { q = f32[4] parameter(0) ROOT a = f32[4] abs(q) }
        ENTRY main {
          x = f32[4] parameter(0)
          n = f32[4] negate(x)
          f.a = f32[4] fusion(x), kind=kLoop, calls=fused.a, control-predecessors={n}
          f.t = f32[4] fusion(f.a), kind=kLoop, calls=fused
          ROOT e = f32[4] exponential(f.t), control-predecessors={n, f.t}
        }
        """;
    assertThat(diff(plain, fused, "--flatten").out())
        .endsWith("the same, but for names and metadata\n");
    assertThat(diff(plain, fused.replace("{n, f.t}", "{n}"), "--flatten").out())
        .endsWith("  ~ exponential: control-predecessors {%n, %t} to {%n} (e)\n");
  }

  /** Computations that are the same are pairs although what calls them is in one program only. */
  @Test
  void reducersOfOtherCallers() throws IOException {
    String reduce =
        """
        HloModule f
        add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
        ENTRY main {
          x = f32[4,4] parameter(0)
          zero = f32[] constant(0)
          ROOT r = f32[4] reduce(x, zero), dimensions={0}, to_apply=add
        }
        """;
    String window =
        reduce.replace(
            "r = f32[4] reduce(x, zero), dimensions={0}",
            "r = f32[4,4] reduce-window(x, zero), window={size=1x1}");
    assertThat(diff(reduce, window).out())
        .endsWith(
            """
            5 the same, 0 changed, 1 only in A, 1 only in B
            computation main / main:
              - reduce f32[4] (r), 12 FLOP
              + reduce-window f32[4,4] (r)
            """);
  }

  /** Long texts are shown from a little before their first difference. */
  @Test
  void longConstants() throws IOException {
    String zeros = "0, ".repeat(60);
    String constant = "HloModule f ENTRY main { ROOT c = s32[61] constant({%s}) }";
    assertThat(diff(constant.formatted(zeros + "1"), constant.formatted(zeros + "2")).out())
        .endsWith("value …, 0, 0, 0, 0, 0, 0, 1} to …, 0, 0, 0, 0, 0, 0, 2} (c)\n");
  }

  @Test
  void ignoresOnlyWhatChangesAreCalled() throws IOException {
    diff(TWO, TWO, "--ignore", "layout,shardin")
        .isRefused(
            "--ignore got shardin (did you mean sharding?), want operand N, op, shape, layout,"
                + " value, operands, computation, computations, root, sharding or an attribute of"
                + " one of the programs; see hlo4j diff --help");
    assertThat(diff(TWO, TWO, "--ignore", "operand 3,op").status()).isEqualTo(0);
  }

  /** Each computation calls the one before it twice. */
  @Test
  void flattenedProgramsAreNotTooLong() throws IOException {
    StringBuilder text = new StringBuilder("HloModule long\n");
    text.append("f0 { p0 = f32[] parameter(0) ROOT n0 = f32[] negate(p0) }\n");
    for (int i = 1; i < 30; i++) {
      text.append(
          ("f%1$d { p%1$d = f32[] parameter(0) a%1$d = f32[] call(p%1$d), to_apply=f%2$d"
                  + " ROOT b%1$d = f32[] call(a%1$d), to_apply=f%2$d }\n")
              .formatted(i, i - 1));
    }
    text.append("ENTRY e { x = f32[] parameter(0) ROOT y = f32[] call(x), to_apply=f29 }\n");
    assertThat(diff(text.toString(), text.toString()).status()).isEqualTo(0);
    Cli.Ran ran = diff(text.toString(), text.toString(), "--flatten");
    assertThat(ran.err()).contains("flattened module got ");
    assertThat(ran.err()).contains(" instructions, want at most 1000000");
    assertThat(ran.status()).isEqualTo(2);
  }

  /** A computation that is the same is no change, although another call has another one now. */
  @Test
  void otherComputationsOfOtherCalls() throws IOException {
    String both =
        """
        HloModule f
        f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
        g { d = f32[] parameter(0) e = f32[] parameter(1) ROOT h = f32[] multiply(d, e) }
        ENTRY main {
          x = f32[4,4] parameter(0)
          zero = f32[] constant(0)
          r1 = f32[4] reduce(x, zero), dimensions={0}, to_apply=f
          r2 = f32[4] reduce(x, zero), dimensions={1}, to_apply=g
          ROOT r = f32[4] add(r1, r2)
        }
        """;
    assertThat(diff(both.replace("to_apply=g", "to_apply=f"), both).out())
        .endsWith(
            """
            computation main / main:
              ~ reduce: computation f to g (r2)
            """);
  }

  @Test
  void page() throws IOException {
    Path page = folder.resolve("diff.html");
    diff(BEFORE, AFTER, "--html", page.toString());
    assertThat(Files.readString(page))
        .contains("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    assertThat(Files.readString(page))
        .contains(
            "<p><span class=\"changed-key\">2 changed</span>, <span class=\"removed-key\">2 only in"
                + " the first</span>, <span class=\"added-key\">1 only in the second</span>, 3 the"
                + " same</p>");
    assertThat(Files.readString(page))
        .contains(
            """
            <tr class="removed"><td>%h = bf16[8,4] convert(%x)</td><td></td></tr>
            <tr class="removed"><td>%g = f32[8,4] convert(%h)</td><td></td></tr>
            <tr class="changed"><td>%y = f32[8,4] dot(%g, %w)</td><td>%dot.3 = f32[8,4] dot(%p0, %p1)<small>rhs_contracting_dims (0) to (1); operand 0 convert g to parameter p0</small></td></tr>
            <tr class="same"><td>%z = f32[8,4] tanh(%y)</td><td>%tanh.4 = f32[8,4] tanh(%dot.3)</td></tr>
            <tr class="added"><td></td><td>%neg = f32[8,4] negate(%tanh.4)</td></tr>
            """);
  }

  /** As in diff(1), 2 says that nothing was compared. */
  @Test
  void unreadable() throws IOException {
    Cli.Ran ran = diff(BEFORE, "HloModule b");
    assertThat(ran.status()).isEqualTo(2);
    assertThat(diff(BEFORE, AFTER, "--format", "xml").status()).isEqualTo(2);
  }

  @Test
  void removedAndAddedInJson() throws IOException {
    assertThat(diff(BEFORE, AFTER, "--format", "json").out().replaceAll("\\s+", " "))
        .contains(
            "\"added\": [ { \"name\": \"neg\", \"computation\": \"entry\", \"opcode\": \"negate\","
                + " \"shape\": \"f32[8,4]\" } ]");
  }
}
