package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import org.junit.jupiter.api.Test;

final class UnrollingTest {
  private static final String CONDITION =
      """
      goOn {
        p = (s32[], f32[2]) parameter(0)
        i = s32[] get-tuple-element(p), index=0
        limit = s32[] constant(LIMIT)
        ROOT less = pred[] compare(i, limit), direction=LT
      }
      """;
  private static final String BODY =
      """
      turn {
        q = (s32[], f32[2]) parameter(0)
        j = s32[] get-tuple-element(q), index=0
        x = f32[2] get-tuple-element(q), index=1
        one = s32[] constant(1)
        next = s32[] add(j, one)
        twice = f32[2] add(x, x)
        ROOT state = (s32[], f32[2]) tuple(next, twice)
      }
      """;
  private static final String LOOP =
      """
      v = f32[2] parameter(0)
      start = s32[] constant(0)
      init = (s32[], f32[2]) tuple(start, v)
      ROOT loop = (s32[], f32[2]) while(init), condition=goOn, body=turn
      """;

  private static String entry(String computations, String body) {
    return Rewrites.entry(new Unrolling(), computations, body);
  }

  @Test
  void smallTripCountIsUnrolled() {
    assertThat(entry(CONDITION.replace("LIMIT", "2") + BODY, LOOP))
        .isEqualTo(
            lines(
                """
                v = f32[2] parameter(0)
                start = s32[] constant(0)
                one.1 = s32[] constant(1)
                next.1 = s32[] add(start, one.1)
                twice.1 = f32[2] add(v, v)
                one.2 = s32[] constant(1)
                next.2 = s32[] add(next.1, one.2)
                twice.2 = f32[2] add(twice.1, twice.1)
                ROOT state.2 = (s32[], f32[2]) tuple(next.2, twice.2)
                """));
  }

  @Test
  void loopWithoutIterationsIsRemoved() {
    assertThat(entry(CONDITION.replace("LIMIT", "0") + BODY, LOOP))
        .isEqualTo(
            lines(
                """
                v = f32[2] parameter(0)
                start = s32[] constant(0)
                ROOT init = (s32[], f32[2]) tuple(start, v)
                """));
  }

  @Test
  void largeTripCountStays() {
    assertThat(entry(CONDITION.replace("LIMIT", "9") + BODY, LOOP)).isEqualTo(lines(LOOP));
  }

  @Test
  void unknownStartStays() {
    String unknown = LOOP.replace("constant(0)", "parameter(1)");
    assertThat(entry(CONDITION.replace("LIMIT", "2") + BODY, unknown)).isEqualTo(lines(unknown));
  }

  @Test
  void nonConstantStepStays() {
    String doubling = BODY.replace("add(j, one)", "add(j, j)");
    assertThat(entry(CONDITION.replace("LIMIT", "2") + doubling, LOOP)).isEqualTo(lines(LOOP));
  }

  @Test
  void endlessLoopStays() {
    String standing = BODY.replace("constant(1)", "constant(0)");
    assertThat(entry(CONDITION.replace("LIMIT", "2") + standing, LOOP)).isEqualTo(lines(LOOP));
  }

  @Test
  void counterThatWrapsAround() {
    String down = CONDITION.replace("LIMIT", "3").replace("s32[]", "u8[]");
    String up = BODY.replace("s32[]", "u8[]").replace("constant(1)", "constant(255)");
    String loop = LOOP.replace("s32[]", "u8[]").replace("constant(0)", "constant(2)");
    // 2, 1, 0, 255: three iterations
    assertThat(entry(down + up, loop).lines().filter(line -> line.contains(" add(")).count())
        .isEqualTo(6);
  }
}
