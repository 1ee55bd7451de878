package org.hlo4j.interpreter.compiled.reduce;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.reduce.ReducePrograms.TESTER;

import com.google.common.base.Splitter;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Reductions of elements that a reverse, pad, concatenate, dynamic-slice or slice moves. They are
 * one kernel: loops compute the moved elements a block or a strip at a time.
 */
final class MovedElementsTest {
  private static final String SUM =
      "sum { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] add(a, b) }\n";

  /** A sum of squares of {@code m}, which is moved from an operand {@code x}. */
  private static final String BODY =
      """
        x = TYPE[FROM] parameter(0)
        i = s32[] parameter(1)
        zero = TYPE[] constant(0)
        three = TYPE[] constant(3)
        m = TYPE[TO] MOVE
        n = TYPE[] convert(i)
        nb = TYPE[TO] broadcast(n), dimensions={}
        threes = TYPE[TO] broadcast(three), dimensions={}
        most = TYPE[TO] minimum(nb, threes)
        square = TYPE[TO] multiply(m, m)
        e = TYPE[TO] add(square, most)
        ROOT s = TYPE[KEPT] reduce(e, zero), dimensions={ALONG}, to_apply=sum
      """;

  private static final String PROGRAM =
      """
        x = TYPE[FROM] parameter(0)
        i = s32[] parameter(1)
        zero = TYPE[] constant(0)
        three = TYPE[] constant(3)
        m = TYPE[TO] MOVE
        e = TYPE[TO] tanh(m)
        ROOT s = TYPE[KEPT] reduce(e, zero), dimensions={ALONG}, to_apply=sum
      """;

  private static String filled(
      String text, String type, String from, String to, String move, String along) {
    Shape.Array shape = Shape.of(ElementType.F32, dims(to));
    Dims kept = Dims.range(0, shape.rank()).without(Dims.of(dims(along)));
    return text.replace("TYPE", type)
        .replace("FROM", from)
        .replace("MOVE", move)
        .replace("TO", to)
        .replace("ALONG", along)
        .replace(
            "KEPT",
            String.join(",", kept.stream().mapToObj(d -> "" + shape.size((int) d)).toList()));
  }

  private static long[] dims(String text) {
    return Splitter.on(',')
        .omitEmptyStrings()
        .splitToStream(text)
        .mapToLong(Long::parseLong)
        .toArray();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        // rows of medium length: contiguous
        "37,153      | 37,153     | reverse(x), dimensions={1}                        | 1   |"
            + " contiguous",
        "37,153      | 37,153     | reverse(x), dimensions={0,1}                      | 1   |"
            + " contiguous",
        "37,153      | 41,160     | pad(x, three), padding=1_3x5_2                    | 1   |"
            + " contiguous",
        "37,81       | 37,160     | pad(x, three), padding=0_0x0_-1_1                 | 1   |"
            + " contiguous",
        "37,153      | 37,306     | concatenate(x, x), dimensions={1}                 | 1   |"
            + " contiguous",
        "37,153      | 111,153    | concatenate(x, x, x), dimensions={0}              | 1   |"
            + " contiguous",
        "37,153      | 20,131     | dynamic-slice(x, i, i), dynamic_slice_sizes={20,131} | 1 |"
            + " contiguous",
        // short rows: one per lane, or each in a loop
        "300,7       | 300,7      | reverse(x), dimensions={1}                        | 1   | one"
            + " per lane",
        "300,7       | 300,10     | pad(x, three), padding=0_0x2_1                    | 1   | one"
            + " per lane",
        "300,17      | 290,9      | dynamic-slice(x, i, i), dynamic_slice_sizes={290,9} | 1 | one"
            + " per lane",
        "5,7         | 5,9        | pad(x, three), padding=0_0x1_1                    | 1   | each"
            + " in one loop",
        "5,7         | 7,7        | pad(x, three), padding=1_1x0_0                    | 1   | each"
            + " in one loop",
        // long rows: a strip at a time
        "3,5000      | 3,5000     | reverse(x), dimensions={1}                        | 1   | rows"
            + " 3x5000",
        "3,5001      | 3,10002    | concatenate(x, x), dimensions={1}                 | 1   | rows"
            + " 3x10002",
        "4,5003      | 4,5010     | pad(x, three), padding=0_0x3_4                    | 1   | rows"
            + " 4x5010",
        "1,66000     | 1,132000   | concatenate(x, x), dimensions={1}                 | 1   | rows"
            + " 1x132000",
        "4,16001     | 4,8001     | slice(x), slice={[0:4],[0:16001:2]}               | 1   | rows"
            + " 4x8001",
        // columns: row after row
        "53,37       | 53,37      | reverse(x), dimensions={0}                        | 0   |"
            + " columns",
        "53,37       | 57,40      | pad(x, three), padding=2_2x1_2                    | 0   |"
            + " columns",
        "40,1500     | 40,1501    | pad(x, three), padding=0_0x1_0                    | 0   |"
            + " columns",
        "40,1030     | 80,1030    | concatenate(x, x), dimensions={0}                 | 0   |"
            + " columns",
        "6,11,13     | 6,22,13    | concatenate(x, x), dimensions={1}                 | 0,1 |"
            + " columns",
        "6,11,13     | 6,11,13    | reverse(x), dimensions={0,1,2}                    | 0,1,2 |"
            + " rows",
      })
  void movedElementsAreReducedByOneKernel(
      String from, String to, String move, String along, String kernel) {
    for (String type : Nightly.some(3, to + move, List.of("f32", "s32", "bf16"))) {
      check(type, from, to, move, along, kernel);
    }
  }

  private static void check(
      String type, String from, String to, String move, String along, String kernel) {
    String text =
        SUM
            + "fused {\n"
            + BODY
            + "}\nENTRY e {\n  x = TYPE[FROM] parameter(0)\n  i = s32[] parameter(1)\n"
            + "  ROOT y = TYPE[KEPT] fusion(x, i), kind=kInput, calls=fused\n}\n";
    HloModule module = Parser.parse("HloModule m\n" + filled(text, type, from, to, move, along));
    Literal x = TESTER.arguments(module, 1)[0];
    assertThat(TESTER.kernel(module).describe()).contains(kernel);
    for (int start : move.startsWith("dynamic") ? new int[] {-1, 3, 1000} : new int[] {2}) {
      TESTER.check(KernelTester.ulps(1), module, x, Literal.of(start));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "64,100 | 64,100 | reverse(x), dimensions={1}",
        "64,100 | 65,103 | pad(x, three), padding=1_0x1_2",
        "64,100 | 64,200 | concatenate(x, x), dimensions={1}",
        "64,100 | 50,80  | dynamic-slice(x, i, i), dynamic_slice_sizes={50,80}",
        "64,100 | 64,50  | slice(x), slice={[0:64],[0:100:2]}",
      })
  void programsHaveOneFusion(String from, String to, String move) {
    for (String along : new String[] {"0", "1", "0,1"}) {
      HloModule module =
          Parser.parse(
              "HloModule m\n"
                  + filled(SUM + "ENTRY e {\n" + PROGRAM + "}\n", "f32", from, to, move, along));
      String plan = Interpreter.compiled().compile(module).explain();
      assertThat(plan).contains("kInput fusion=1}\n");
      assertThat(plan).doesNotContain("loop");
    }
  }

  /** Parts without elements, and a result without. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "64,200 | concatenate(e, x, e, x), dimensions={1}",
        "64,100 | concatenate(e, x), dimensions={1}",
        "64,101 | pad(e, z), padding=0_0x50_51",
        "64,0   | pad(x, z), padding=0_0x0_-100",
        "64,0   | slice(x), slice={[0:64], [7:7]}",
        "0,100  | slice(x), slice={[5:5], [0:100]}",
        "64,0   | reverse(e), dimensions={1}",
      })
  void partsMayBeEmpty(String to, String move) {
    for (int along = 0; along < 2; along++) {
      HloModule module =
          Parser.parse(
              "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1)"
                  + " ROOT s = f32[] add(a, b) }\n"
                  + """
                  ENTRY e {
                    x = f32[64,100] parameter(0)
                    e = f32[64,0] parameter(1)
                    z = f32[] constant(3)
                    m = f32[TO] MOVE
                    t = f32[TO] tanh(m)
                    ROOT r = f32[KEPT] reduce(t, z), dimensions={ALONG}, to_apply=add
                  }
                  """
                      .replace("TO", to)
                      .replace("MOVE", move)
                      .replace("KEPT", Splitter.on(',').splitToList(to).get(1 - along))
                      .replace("ALONG", "" + along));
      Evaluators.both().run(module, TESTER.arguments(module, 1));
    }
  }
}
