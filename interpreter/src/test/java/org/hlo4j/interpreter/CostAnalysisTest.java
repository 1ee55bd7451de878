package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CostAnalysisTest {
  private static final String REGIONS =
      """
      HloModule m
      add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
      less { p = f32[] parameter(0) q = f32[] parameter(1) ROOT c = pred[] compare(p, q), direction=LT }
      ENTRY e {
        x = f32[64,100] parameter(0)
        w = f32[100,50] parameter(1)
        i = s32[] parameter(2)
        zero = f32[] constant(0)
      """;

  /**
   * An instruction, its operations, transcendental functions and bytes. The first five rows are
   * what XLA's own analysis gives.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          r = f32[64,50] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0} | 640000 | 0    | 58400
          r = f32[64,100] tanh(x)                                                      | 0      | 6400 | 51200
          r = f32[64,100] add(x, x)                                                    | 6400   | 0    | 76800
          r = f32[64,100] broadcast(zero), dimensions={}                               | 0      | 0    | 25604
          r = f32[64] reduce(x, zero), dimensions={1}, to_apply=add                    | 6336   | 0    | 25860
          r = f32[100,64] transpose(x), dimensions={1,0}                               | 0      | 0    | 51200
          r = f32[1,100] dynamic-slice(x, i, i), dynamic_slice_sizes={1,100}           | 0      | 0    | 808
          r = f32[6400] reshape(x)                                                     | 0      | 0    | 0
          r = f32[64,100] dynamic-update-slice(x, w, i, i)                             | 0      | 0    | 40008
          r = f32[64,100] sort(x), dimensions={1}, to_apply=less                       | 44800  | 0    | 51200
          r = f32[63,99] reduce-window(x, zero), window={size=2x2}, to_apply=add       | 18711  | 0    | 50552
          r = c64[64,51] fft(x), fft_type=RFFT, fft_length={100}                       | 224000 | 0    | 51712
          """)
  void instructions(String instruction, double flops, double transcendentals, double bytes) {
    CostAnalysis cost = CostAnalysis.of(Parser.parse(REGIONS + "ROOT " + instruction + " }"));
    assertThat(cost.flops()).isEqualTo(flops);
    assertThat(cost.transcendentals()).isEqualTo(transcendentals);
    assertThat(cost.bytesAccessed()).isEqualTo(bytes);
  }

  private static String loop(String start, String backendConfig) {
    return """
    HloModule m
    condition { s = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(10) ROOT l = pred[] compare(i, n), direction=LT }
    body { s = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(s), index=0
      x = f32[8] get-tuple-element(s), index=1 one = s32[] constant(1)
      next = s32[] add(i, one) twice = f32[8] add(x, x)
      ROOT t = (s32[], f32[8]) tuple(next, twice) }
    ENTRY e { start = s32[] START x = f32[8] parameter(0) init = (s32[], f32[8]) tuple(start, x)
      ROOT w = (s32[], f32[8]) while(init), condition=condition, body=body CONFIG }
    """
        .replace("START", start)
        .replace("CONFIG", backendConfig);
  }

  /** Of an iteration, a comparison and 1 + 8 additions. */
  @Test
  void iterationsOfLoops() {
    CostAnalysis counted = CostAnalysis.of(Parser.parse(loop("constant(4)", "")));
    assertThat(counted.flops()).isEqualTo(6 * 10);
    assertThat(counted.uncountedLoops()).isEmpty();
    CostAnalysis unknown = CostAnalysis.of(Parser.parse(loop("parameter(1)", "")));
    assertThat(unknown.flops()).isEqualTo(10);
    assertThat(unknown.uncountedLoops().get(0).name()).isEqualTo("w");
    CostAnalysis told =
        CostAnalysis.of(
            Parser.parse(
                loop("parameter(1)", ", backend_config={\"known_trip_count\":{\"n\":\"1000\"}}")));
    assertThat(told.flops()).isEqualTo(10_000);
    assertThat(told.uncountedLoops()).isEmpty();
  }

  private static String peak(String module) {
    CostAnalysis cost = CostAnalysis.of(Parser.parse(module));
    return cost.peakBytes()
        + " at "
        + cost.peakAt().name()
        + cost.alive().stream()
            .map(alive -> alive.instruction().name() + "=" + alive.bytes())
            .collect(joining(", ", ": ", ""));
  }

  /** Arguments and constants do not count. */
  @Test
  void whatIsAliveAtThePeak() {
    assertThat(
            peak(
                """
                HloModule m ENTRY e { x = f32[4] parameter(0) c = f32[4] constant({1, 2, 3, 4})
                  a = f32[4] add(x, c) b = f64[8] broadcast(d), dimensions={}
                  r = f64[] reduce(b, d), dimensions={0}, to_apply=f
                  z = f32[] convert(r) v = f32[4] broadcast(z), dimensions={}
                  ROOT s = f32[4] add(a, v) }
                """
                    .replace(
                        "ENTRY e {",
                        "f { p = f64[] parameter(0) q = f64[] parameter(1) "
                            + "ROOT g = f64[] add(p, q) } ENTRY e { d = f64[] parameter(1) ")))
        .isEqualTo("88 at r: b=64, a=16, r=8");
  }

  /** Of a call what it has alive, in place of its result. */
  @Test
  void thePeakIsInACall() {
    assertThat(
            peak(
                """
                HloModule m
                f { p = f32[4] parameter(0) a = f32[4] negate(p) b = f32[4] add(p, a)
                  ROOT c = f32[4] add(a, b) }
                ENTRY e { x = f32[4] parameter(0) n = f32[4] exponential(x)
                  y = f32[4] call(n), to_apply=f ROOT z = f32[4] add(n, y) }
                """))
        .isEqualTo("64 at c: n=16, a=16, b=16, c=16");
  }

  @Test
  void callsThatNestDeep() {
    StringBuilder text = new StringBuilder("HloModule m\n");
    text.append("f0 { p = f32[] parameter(0) ROOT n = f32[] negate(p) }\n");
    for (int i = 1; i <= 20_000; i++) {
      text.append(
          String.format(
              "f%d { p = f32[] parameter(0) ROOT c = f32[] call(p), to_apply=f%d }%n", i, i - 1));
    }
    text.append("ENTRY e { x = f32[] parameter(0) ROOT c = f32[] call(x), to_apply=f20000 }");
    CostAnalysis cost = CostAnalysis.of(Parser.parse(text.toString()));
    assertThat(cost.flops()).isEqualTo(1);
    assertThat(cost.peakBytes()).isEqualTo(4);
  }

  @Test
  void sizesThatAreNotKnown() {
    HloException refusal =
        assertThrows(
            HloException.class,
            () ->
                CostAnalysis.of(
                    Parser.parse("HloModule m ENTRY e { ROOT x = f32[?] parameter(0) }")));
    assertThat(refusal).hasMessageThat().isEqualTo("cost: x got f32[?], want known sizes");
  }
}
