package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import org.junit.jupiter.api.Test;

final class LoopInvariantsTest {
  private static final Pass PASS = new LoopInvariants();

  /** A loop whose number of iterations is the third element of its state. */
  private static final String LOOP =
      """
      goOn {
        p = (s32[], f32[4], s32[], f32[4]) parameter(0)
        i = s32[] get-tuple-element(p), index=0
        n = s32[] get-tuple-element(p), index=2
        ROOT less = pred[] compare(i, n), direction=LT
      }

      step {
        q = (s32[], f32[4], s32[], f32[4]) parameter(0)
        j = s32[] get-tuple-element(q), index=0
        x = f32[4] get-tuple-element(q), index=1
        m = s32[] get-tuple-element(q), index=2
        w = f32[4] get-tuple-element(q), index=3
        one = s32[] constant(1)
        next = s32[] add(j, one)
      BODY
        ROOT state = (s32[], f32[4], s32[], f32[4]) tuple(next, y, m, w)
      }
      """;

  private static final String ENTRY =
      """
      v = f32[4] parameter(0)
      u = f32[4] parameter(1)
      start = s32[] constant(0)
      end = s32[] parameter(2)
      init = (s32[], f32[4], s32[], f32[4]) tuple(start, v, end, u)
      loop = (s32[], f32[4], s32[], f32[4]) while(init), condition=goOn, body=step
      ROOT result = f32[4] get-tuple-element(loop), index=1
      """;

  private static final String SUM =
      """
      sum {
        l = f32[] parameter(0)
        r = f32[] parameter(1)
        ROOT t = f32[] add(l, r)
      }

      """;

  private static final String EXPENSIVE =
      """
      a = f32[4,1] reshape(w)
      b = f32[4,4096] broadcast(w), dimensions={0}
      e = f32[4,4096] exponential(b)
      z = f32[] constant(0)
      s = f32[4] reduce(e, z), dimensions={1}, to_apply=sum
      y = f32[4] add(x, s)
      """;

  private static String text(String body, String entry) {
    return lines(Rewrites.text(PASS, LOOP.replace("BODY", body), entry));
  }

  private static String entry(String body, String entry) {
    String text = text(body, entry);
    return text.substring(text.indexOf("ENTRY"));
  }

  private static String body(String body, String entry) {
    String text = text(body, entry);
    int start = text.indexOf("step {");
    return text.substring(start, text.indexOf("\n}", start));
  }

  @Test
  void invariantIsHoistedIntoTheState() {
    assertThat(
            text(
                """
                e = f32[4] exponential(w)
                d = f32[4] add(e, w)
                y = f32[4] multiply(x, d)
                """,
                ENTRY))
        .isEqualTo(
            lines(
                """
                goOn {
                p = (s32[], f32[4], s32[], f32[4], f32[4]) parameter(0)
                i = s32[] get-tuple-element(p), index=0
                n = s32[] get-tuple-element(p), index=2
                ROOT less = pred[] compare(i, n), direction=LT
                }
                step {
                q = (s32[], f32[4], s32[], f32[4], f32[4]) parameter(0)
                d = f32[4] get-tuple-element(q), index=4
                j = s32[] get-tuple-element(q), index=0
                x = f32[4] get-tuple-element(q), index=1
                m = s32[] get-tuple-element(q), index=2
                w = f32[4] get-tuple-element(q), index=3
                one = s32[] constant(1)
                next = s32[] add(j, one)
                y = f32[4] multiply(x, d)
                ROOT state = (s32[], f32[4], s32[], f32[4], f32[4]) tuple(next, y, m, w, d)
                }
                ENTRY entry {
                v = f32[4] parameter(0)
                u = f32[4] parameter(1)
                start = s32[] constant(0)
                end = s32[] parameter(2)
                e.1 = f32[4] exponential(u)
                d.1 = f32[4] add(e.1, u)
                tuple = (s32[], f32[4], s32[], f32[4], f32[4]) tuple(start, v, end, u, d.1)
                loop.1 = (s32[], f32[4], s32[], f32[4], f32[4]) while(tuple), condition=goOn, body=step
                ROOT get-tuple-element.1 = f32[4] get-tuple-element(loop.1), index=1
                }
                """));
  }

  @Test
  void freeOpsAndLargeResultsStay() {
    String body =
        """
        half = f32[] constant(0.5)
        wide = f32[8192] broadcast(half), dimensions={}
        tall = f32[8192] iota(), iota_dimension=0
        many = f32[8192] exponential(tall)
        sum = f32[8192] add(wide, many)
        part = f32[8192] slice(sum), slice={[0:8192]}
        four = f32[4] slice(part), slice={[0:4]}
        z = f32[4] multiply(four, x)
        y = f32[4] add(z, z)
        """;
    assertThat(entry(body, ENTRY)).contains("body=step");
    assertThat(body(body, ENTRY)).contains("exponential");
  }

  @Test
  void conversionsOfSmallIntegersAreHoisted() {
    String loop =
        LOOP.replace("f32[4]) ", "s8[8192]) ")
            .replace("w = f32[4]", "w = s8[8192]")
            .replace(
                "BODY",
                """
                f = f32[8192] convert(w)
                four = f32[4] dynamic-slice(f, j), dynamic_slice_sizes={4}
                y = f32[4] add(four, x)
                """);
    String entry = ENTRY.replace("f32[4]) ", "s8[8192]) ").replace("u = f32[4]", "u = s8[8192]");
    assertThat(Rewrites.entry(PASS, loop, entry)).contains("f.1 = f32[8192] convert(u)\n");
  }

  @Test
  void expensiveInvariantIsGuardedUnlessTheLoopIsEntered() {
    String loop = SUM + LOOP.replace("BODY", EXPENSIVE);
    String unknown = lines(Rewrites.text(PASS, loop, ENTRY));
    assertThat(unknown)
        .contains(
            lines(
                """
                no_iteration {
                parameter = (s32[], f32[4], s32[], f32[4]) parameter(0)
                constant = f32[] constant(0)
                broadcast = f32[4] broadcast(constant), dimensions={}
                ROOT tuple = (f32[4]) tuple(broadcast)
                }
                """));
    assertThat(unknown)
        .contains(
            lines(
                """
                less.1 = pred[] compare(start, end), direction=LT
                conditional = (f32[4]) conditional(less.1, init, init), true_computation=invariant_code, false_computation=no_iteration
                """));
    String known = ENTRY.replace("s32[] parameter(2)", "s32[] constant(9)");
    assertThat(Rewrites.text(PASS, loop, known)).doesNotContain("conditional");
    String never = ENTRY.replace("s32[] parameter(2)", "s32[] constant(0)");
    assertThat(Rewrites.text(PASS, loop, never)).contains("conditional");
  }

  /** To guard the invariant, the condition would be evaluated once more. */
  @Test
  void expensiveInvariantStaysIfTheConditionHasSideEffects() {
    String counting =
        """
        counting {
          l.1 = f32[] parameter(0)
          r.1 = f32[] parameter(1)
          token = token[] after-all()
          out = token[] outfeed(l.1, token), outfeed_shape=f32[]
          ROOT t.1 = f32[] add(l.1, r.1)
        }

        """;
    String condition =
        """
        v.1 = f32[4] get-tuple-element(p), index=1
        z.1 = f32[] constant(0)
        k = f32[] reduce(v.1, z.1), dimensions={0}, to_apply=counting
        """;
    String loop =
        counting
            + SUM
            + LOOP.replace("  ROOT less", condition + "  ROOT less").replace("BODY", EXPENSIVE);
    String text = lines(Rewrites.text(PASS, loop, ENTRY));
    assertThat(text.substring(text.indexOf("ENTRY")))
        .isEqualTo("ENTRY entry {\n" + lines(ENTRY) + "}\n");
  }

  @Test
  void sideEffectsAndTheirUsersStay() {
    String body =
        """
        zero = f32[] constant(0)
        unit = f32[] constant(1)
        r = f32[4] rng(zero, unit), distribution=rng_uniform
        e = f32[4] exponential(r)
        y = f32[4] add(x, e)
        """;
    assertThat(entry(body, ENTRY)).isEqualTo("ENTRY entry {\n" + lines(ENTRY) + "}\n");
  }

  @Test
  void invariantsOfTheConditionAreHoisted() {
    String loop =
        LOOP.replace("compare(i, n)", "compare(i, twice)")
            .replace("  ROOT less", "  twice = s32[] add(n, n)\n  ROOT less")
            .replace("BODY", "y = f32[4] add(x, w)");
    assertThat(lines(Rewrites.text(PASS, loop, ENTRY)))
        .contains(
            lines(
                """
                goOn {
                p = (s32[], f32[4], s32[], f32[4], s32[]) parameter(0)
                twice = s32[] get-tuple-element(p), index=4
                i = s32[] get-tuple-element(p), index=0
                ROOT less = pred[] compare(i, twice), direction=LT
                }
                """));
  }

  @Test
  void cheapInvariantsAreHoistedOutOfBranches() {
    String branches =
        """
        yes {
          g = (f32[4], f32[4]) parameter(0)
          gx = f32[4] get-tuple-element(g), index=0
          gw = f32[4] get-tuple-element(g), index=1
          ge = f32[4] exponential(gw)
          ROOT gy = f32[4] add(gx, ge)
        }

        no {
          ROOT h = f32[4] parameter(0)
        }

        """;
    String body =
        """
        odd = s32[] and(j, one)
        is = pred[] compare(odd, one), direction=EQ
        both = (f32[4], f32[4]) tuple(x, w)
        y = f32[4] conditional(is, both, x), true_computation=yes, false_computation=no
        """;
    String text = lines(Rewrites.text(PASS, branches + LOOP.replace("BODY", body), ENTRY));
    assertThat(text)
        .contains(
            lines(
                """
                yes.1 {
                g.1 = (f32[4], f32[4], f32[4]) parameter(0)
                ge.2 = f32[4] get-tuple-element(g.1), index=2
                gx.1 = f32[4] get-tuple-element(g.1), index=0
                ROOT gy.1 = f32[4] add(gx.1, ge.2)
                }
                """));
    assertThat(text).contains("\nge.3 = f32[4] exponential(u)\n");
  }

  @Test
  void expensiveInvariantsStayInBranches() {
    String branches =
        """
        always {
          k = f32[4] parameter(0)
          ROOT t = pred[] constant(true)
        }

        twice {
          o = f32[4] parameter(0)
          ROOT oo = f32[4] add(o, o)
        }

        yes {
          g = f32[4] parameter(0)
          ROOT inner = f32[4] while(g), condition=always, body=twice
        }

        no {
          ROOT h = f32[4] parameter(0)
        }

        """;
    String body =
        """
        odd = s32[] and(j, one)
        is = pred[] compare(odd, one), direction=EQ
        y = f32[4] conditional(is, w, x), true_computation=yes, false_computation=no
        """;
    String loop = branches + LOOP.replace("BODY", body);
    assertThat(Rewrites.entry(PASS, loop, ENTRY)).isEqualTo(lines(ENTRY));
  }

  @Test
  void nonTupleStateBecomesATuple() {
    assertThat(
            lines(
                Rewrites.text(
                    PASS,
                    """
                    sum {
                      l = f32[] parameter(0)
                      r = f32[] parameter(1)
                      ROOT t = f32[] add(l, r)
                    }

                    small {
                      p = f32[] parameter(0)
                      n = f32[] constant(9)
                      ROOT less = pred[] compare(p, n), direction=LT
                    }

                    step {
                      q = f32[] parameter(0)
                      c = f32[2] constant({1, 2})
                      d = f32[2] dot(c, c), lhs_batch_dims={0}, rhs_batch_dims={0}
                      e = f32[] reduce(d, q), dimensions={0}, to_apply=sum
                      ROOT r = f32[] add(q, e)
                    }
                    """,
                    """
                    v = f32[] parameter(0)
                    ROOT loop = f32[] while(v), condition=small, body=step
                    """)))
        .contains(
            lines(
                """
                v = f32[] parameter(0)
                c.1 = f32[2] constant({1, 2})
                d.1 = f32[2] dot(c.1, c.1), lhs_batch_dims={0}, lhs_contracting_dims={}, rhs_batch_dims={0}, rhs_contracting_dims={}
                tuple = (f32[], f32[2]) tuple(v, d.1)
                loop.1 = (f32[], f32[2]) while(tuple), condition=small, body=step
                ROOT get-tuple-element.2 = f32[] get-tuple-element(loop.1), index=0
                """));
  }
}
