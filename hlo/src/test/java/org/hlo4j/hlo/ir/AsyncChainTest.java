package org.hlo4j.hlo.ir;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Test;

/** Chains of asynchronous instructions: late operands and results, threads. */
final class AsyncChainTest {
  private static final String COMPUTATION =
      """
      HloModule m, entry_computation_layout={(f32[3]{0}, f32[3]{0})->f32[3]{0}}

      %w (p: f32[3], q: f32[3]) -> f32[3] {
        %p = f32[3]{0} parameter(0)
        %q = f32[3]{0} parameter(1)
        ROOT %a = f32[3]{0} subtract(%p, %q)
      }

      ENTRY %e (x: f32[3], y: f32[3]) -> f32[3] {
        %x = f32[3]{0} parameter(0)
        %y = f32[3]{0} parameter(1)
      """;

  private static String module(String... lines) {
    return COMPUTATION + "  " + String.join("\n  ", lines) + "\n}\n";
  }

  /** Returns the chain as it starts where all is bound, after a way through text and proto. */
  private static String bound(String... lines) {
    String text = module(lines);
    HloModule module = Parser.parse(text);
    Verifier.strict().verify(module);
    assertThat(Printer.print(module)).isEqualTo(text);
    HloModule again = HloProtos.readModule(HloProtos.writeModule(module));
    assertThat(Printer.print(again)).isEqualTo(text);
    HloModule bound = AsyncChain.bindAtOnce(again);
    Verifier.strict().verify(bound);
    return Printer.print(bound);
  }

  @Test
  void operandsBoundByUpdates() {
    assertThat(
            bound(
                "%s = ((), (), s32[]) async-start(), calls=%w",
                "%u = ((f32[3]{0}), (), s32[]) async-update(%s, %x)",
                "%v = ((f32[3]{0}, f32[3]{0}), f32[3]{0}, ()) async-update(%u, %y)",
                "%t = ((f32[3]{0}, f32[3]{0}), f32[3]{0}, ()) async-update(%v)",
                "ROOT %d = f32[3]{0} async-done(%t)"))
        .isEqualTo(
            module(
                "%v = ((f32[3]{0}, f32[3]{0}), f32[3]{0}, ()) async-start(%x, %y), calls=%w",
                "%t = ((f32[3]{0}, f32[3]{0}), f32[3]{0}, ()) async-update(%v)",
                "ROOT %d = f32[3]{0} async-done(%t)"));
  }

  @Test
  void severalOperandsBoundByOneUpdate() {
    assertThat(
            bound(
                "%s = ((), f32[3]{0}, s32[]) async-start(), calls=%w",
                "%u = ((f32[3]{0}, f32[3]{0}), f32[3]{0}, s32[]) async-update(%s, %x, %y)",
                "ROOT %d = f32[3]{0} async-done(%u)"))
        .isEqualTo(
            module(
                "%u = ((f32[3]{0}, f32[3]{0}), f32[3]{0}, s32[]) async-start(%x, %y), calls=%w",
                "ROOT %d = f32[3]{0} async-done(%u)"));
  }

  @Test
  void resultBoundByTheDone() {
    assertThat(
            bound(
                "%s = ((f32[3]{0}), (), s32[], u32[]) async-start(%x), calls=%w",
                "%u = ((f32[3]{0}, f32[3]{0}), (), s32[], u32[]) async-update(%s, %y)",
                "ROOT %d = f32[3]{0} async-done(%u)"))
        .isEqualTo(
            module(
                "%s = ((f32[3]{0}, f32[3]{0}), f32[3]{0}, s32[], u32[]) async-start(%x, %y),"
                    + " calls=%w",
                "ROOT %d = f32[3]{0} async-done(%s)"));
  }

  @Test
  void startsThatBindAllAreLeftAlone() {
    HloModule module =
        Parser.parse(
            module(
                "%s = ((f32[3]{0}, f32[3]{0}), f32[3]{0}) async-start(%x, %y), calls=%w",
                "ROOT %d = f32[3]{0} async-done(%s)"));
    assertThat(AsyncChain.bindAtOnce(module)).isSameInstanceAs(module);
    assertThat(AsyncChain.withThreads(module)).isSameInstanceAs(module);
  }

  /** A call that starts with fewer operands than its computation takes. */
  @Test
  void shortFormOfACall() {
    HloModule module =
        Parser.parse(
            module(
                "%s = ((f32[3]), (), s32[]) call-start(%x), to_apply=%w",
                "%u = ((f32[3], f32[3]), f32[3], s32[]) call-update(%s, %y)",
                "ROOT %d = f32[3] call-done(%u)"));
    Verifier.strict().verify(module);
    assertThat(Printer.print(module))
        .endsWith(
            """
              %s = ((f32[3]{0}), (), s32[]) async-start(%x), calls=%s.wrapped
              %u = ((f32[3]{0}, f32[3]{0}), f32[3]{0}, s32[]) async-update(%s, %y)
              ROOT %d = f32[3]{0} async-done(%u)
            }
            """);
    assertThat(Printer.print(AsyncChain.bindAtOnce(module)))
        .endsWith(
            """
              %u = ((f32[3]{0}, f32[3]{0}), f32[3]{0}, s32[]) async-start(%x, %y), calls=%s.wrapped
              ROOT %d = f32[3]{0} async-done(%u)
            }
            """);
  }

  /** A start on a thread takes along what it calls, and the starts in it. */
  @Test
  void threadsAreThoseOfTheOutermostStart() {
    HloModule module =
        Parser.parse(
            """
            inner { a = f32[] parameter(0) ROOT b = f32[] negate(a) }
            outer {
              c = f32[] parameter(0)
              s = ((f32[]), f32[]) async-start(c), calls=inner
              ROOT f = f32[] async-done(s)
            }
            ENTRY e {
              x = f32[] parameter(0)
              t = ((f32[]), f32[]) async-start(x), calls=outer, async_execution_thread="other"
              ROOT d = f32[] async-done(t)
            }
            """);
    Verifier.strict().verify(module);
    assertThat(Printer.print(module))
        .isEqualTo(
            """
            HloModule module_e, entry_computation_layout={(f32[])->f32[]}

            %inner (a: f32[]) -> f32[] {
              %a = f32[] parameter(0)
              ROOT %b = f32[] negate(%a)
            }, execution_thread="other"

            %outer (c: f32[]) -> f32[] {
              %c = f32[] parameter(0)
              %s = ((f32[]), f32[]) async-start(%c), async_execution_thread="other", calls=%inner
              ROOT %f = f32[] async-done(%s)
            }, execution_thread="other"

            ENTRY %e (x: f32[]) -> f32[] {
              %x = f32[] parameter(0)
              %t = ((f32[]), f32[]) async-start(%x), async_execution_thread="other", calls=%outer
              ROOT %d = f32[] async-done(%t)
            }
            """);
  }
}
