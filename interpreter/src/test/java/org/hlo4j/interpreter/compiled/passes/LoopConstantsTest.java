package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import org.junit.jupiter.api.Test;

final class LoopConstantsTest {
  private static final String LOOP =
      """
      goOn {
        p = (s32[], s32[], f32[2]) parameter(0)
        i = s32[] get-tuple-element(p), index=0
        n = s32[] get-tuple-element(p), index=1
        ROOT less = pred[] compare(i, n), direction=LT
      }

      step {
        q = (s32[], s32[], f32[2]) parameter(0)
        j = s32[] get-tuple-element(q), index=0
        m = s32[] get-tuple-element(q), index=1
        w = f32[2] get-tuple-element(q), index=2
        next = s32[] add(j, m)
        ROOT state = (s32[], s32[], f32[2]) tuple(next, m, w)
      }
      """;

  private static final String ENTRY =
      """
      start = s32[] constant(0)
      nine = s32[] constant(9)
      v = f32[2] parameter(0)
      init = (s32[], s32[], f32[2]) tuple(start, nine, v)
      ROOT loop = (s32[], s32[], f32[2]) while(init), condition=goOn, body=step
      """;

  @Test
  void unchangedConstantStateIsPropagated() {
    assertThat(lines(Rewrites.text(new LoopConstants(), LOOP, ENTRY)))
        .isEqualTo(
            lines(
                """
                goOn {
                p = (s32[], s32[], f32[2]) parameter(0)
                i = s32[] get-tuple-element(p), index=0
                constant = s32[] constant(9)
                ROOT less = pred[] compare(i, constant), direction=LT
                }
                step {
                q = (s32[], s32[], f32[2]) parameter(0)
                j = s32[] get-tuple-element(q), index=0
                m = s32[] get-tuple-element(q), index=1
                constant.1 = s32[] constant(9)
                w = f32[2] get-tuple-element(q), index=2
                next = s32[] add(j, constant.1)
                ROOT state = (s32[], s32[], f32[2]) tuple(next, m, w)
                }
                ENTRY entry {
                start = s32[] constant(0)
                nine = s32[] constant(9)
                v = f32[2] parameter(0)
                init = (s32[], s32[], f32[2]) tuple(start, nine, v)
                ROOT loop = (s32[], s32[], f32[2]) while(init), condition=goOn, body=step
                }
                """));
  }

  @Test
  void stateThatChangesOrIsNotConstantStays() {
    String changing = LOOP.replace("tuple(next, m, w)", "tuple(next, next, w)");
    assertThat(lines(Rewrites.text(new LoopConstants(), changing, ENTRY)))
        .startsWith(lines(changing));
    String unknown = ENTRY.replace("s32[] constant(9)", "s32[] parameter(1)");
    assertThat(lines(Rewrites.text(new LoopConstants(), LOOP, unknown))).startsWith(lines(LOOP));
  }
}
