package org.hlo4j.interpreter.engine.sizes;

import static com.google.common.truth.Truth.assertThat;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.reference.ReferenceOps;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Modules with bounds, and what they are at sizes. */
final class SizedModuleTest {
  private static final String COMPUTATIONS =
      """
      HloModule m
      add { c.1 = f32[] parameter(0) c.2 = f32[] parameter(1) ROOT c.3 = f32[] add(c.1, c.2) }
      two { d.1 = f32[] parameter(0) d.2 = f32[] parameter(1) d.3 = f32[] parameter(2)
        d.4 = f32[] parameter(3) d.5 = f32[] add(d.1, d.3) d.6 = f32[] add(d.2, d.4)
        ROOT d.7 = (f32[], f32[]) tuple(d.5, d.6) }
      one { e.1 = f32[<=4] parameter(0) e.2 = s32[] constant(1)
        ROOT e.3 = f32[<=4] set-dimension-size(e.1, e.2), dimensions={0} }
      same { f.1 = f32[<=4] parameter(0) ROOT f.2 = f32[<=4] negate(f.1) }
      yes { g.1 = f32[<=4] parameter(0) ROOT g.2 = pred[] constant(true) }
      """;

  private static SizedModule sized(String entry, String... shapes) {
    HloModule module = Parser.parse(COMPUTATIONS + "ENTRY e {" + entry.replace(';', '\n') + "}");
    Verifier.strict().verify(module);
    List<Shape> arguments = Stream.of(shapes).map(Shape::parse).toList();
    SizedModule sized = SizedModule.of(module, arguments, new ReferenceOps());
    Verifier.strict().verify(sized.module());
    return sized;
  }

  private static String entry(SizedModule sized) {
    String text = Printer.print(sized.module());
    String entry = text.substring(text.indexOf("ENTRY"));
    return entry
        .lines()
        .skip(1)
        .takeWhile(line -> !line.equals("}"))
        .map(line -> line.strip().replaceAll("\\]\\{[\\d,]*\\}", "]"))
        .collect(joining("\n"));
  }

  @Test
  void boundsBecomeSizes() {
    SizedModule sized =
        sized(
            """
            x = f32[<=4,2] parameter(0)
            y = f32[4,2] parameter(1)
            n = s32[] get-dimension-size(x), dimensions={0}
            s = f32[<=4,2] add(x, y)
            one = s32[] constant(1)
            m = s32[] shift-right-logical(n, one)
            h = f32[<=4,2] set-dimension-size(s, m), dimensions={0}
            zero = f32[] constant(0)
            r = f32[2] reduce(h, zero), dimensions={0}, to_apply=add
            ROOT t = (f32[2], s32[]) tuple(r, n)
            """,
            "f32[3,2]", "f32[4,2]");
    assertThat(sized.isChecked()).isFalse();
    assertThat(entry(sized))
        .isEqualTo(
            """
            %x = f32[3,2] parameter(0)
            %y = f32[4,2] parameter(1)
            %n = s32[] constant(3)
            %s.operand = f32[3,2] slice(%y), slice={[0:3], [0:2]}
            %s = f32[3,2] add(%x, %s.operand)
            %one = s32[] constant(1)
            %m = s32[] shift-right-logical(%n, %one)
            %h = f32[1,2] slice(%s), slice={[0:1], [0:2]}
            %zero = f32[] constant(0)
            %r = f32[2] reduce(%h, %zero), dimensions={0}, to_apply=%add
            ROOT %t = (f32[2], s32[]) tuple(%r, %n)\
            """);
  }

  @Test
  void operandsAreFilled() {
    SizedModule sized =
        sized(
            """
            x = f32[<=4] parameter(0)
            y = f32[4] parameter(1)
            zero = f32[] constant(0)
            ROOT r = (f32[<=3], f32[3]) reduce-window(x, y, zero, zero), window={size=2}, to_apply=two
            """,
            "f32[2]",
            "f32[4]");
    assertThat(entry(sized))
        .isEqualTo(
            """
            %x = f32[2] parameter(0)
            %y = f32[4] parameter(1)
            %zero = f32[] constant(0)
            %r.filled = f32[4] pad(%x, %zero), padding=0_2
            %r.fitted = (f32[3], f32[3]) reduce-window(%r.filled, %y, %zero, %zero), window={size=2}, to_apply=%two
            %r.fitted.0 = f32[3] get-tuple-element(%r.fitted), index=0
            %r.result = f32[1] slice(%r.fitted.0), slice={[0:1]}
            %r.fitted.1 = f32[3] get-tuple-element(%r.fitted), index=1
            %r.results = (f32[1], f32[3]) tuple(%r.result, %r.fitted.1)
            ROOT %r = (f32[1], f32[3]) copy(%r.results)\
            """);
  }

  /** Starts that are data are compared while it runs, unless sizes and bounds are the same. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          x = f32[<=4] parameter(0);i = s32[] parameter(1);ROOT r = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2} | f32[3] | true
          x = f32[<=4] parameter(0);i = s32[] parameter(1);ROOT r = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2} | f32[4] | false
          x = f32[<=4] parameter(0);i = s32[] parameter(1);u = f32[1] constant({7});ROOT r = f32[<=4] dynamic-update-slice(x, u, i) | f32[3] | true
          x = f32[<=4] parameter(0);i = s32[] parameter(1);j = s32[] constant(1);ROOT r = f32[2] dynamic-slice(x, j), dynamic_slice_sizes={2} | f32[3] | false
          """)
  void starts(String entry, String shape, boolean isChecked) {
    SizedModule sized = sized(entry, shape, "s32[]");
    assertThat(sized.isChecked()).isEqualTo(isChecked);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          x = f32[4] parameter(0);n = s32[] parameter(1);ROOT r = f32[<=4] set-dimension-size(x, n), dimensions={0} \
          | f32[4] s32[] | the size n depends on n
          x = f32[<=4] parameter(0);k = s32[] constant(4);ROOT r = f32[<=4] set-dimension-size(x, k), dimensions={0} \
          | f32[3] | size got 4, want at most 3
          x = f32[<=4] parameter(0);y = f32[<=4] parameter(1);ROOT r = f32[<=4] add(x, y) \
          | f32[3] f32[2] | add: sizes at run time got 3 in dimension 0 of x f32[<=4], but 2 in dimension 0 of y f32[<=4], want the same
          x = f32[<=4] parameter(0);p = pred[] parameter(1);ROOT r = f32[<=4] conditional(p, x, x), true_computation=one, false_computation=same \
          | f32[3] pred[] | branches give f32[1] and f32[3]
          x = f32[<=4] parameter(0);ROOT r = f32[<=4] while(x), condition=yes, body=one | f32[3] | the state f32[3] becomes f32[1]
          x = f32[<=4] parameter(0);ROOT r = f32[<=4] custom-call(x), custom_call_target="f" \
          | f32[3] | what custom-call gives has sizes of its own
          x = f32[<=4] parameter(0);i = s32[] constant(2);ROOT r = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2} \
          | f32[3] | a start is beyond the sizes
          x = f32[<=4] parameter(0);y = f32[4] parameter(1);ROOT r = f32[4] clamp(x, y, x) \
          | f32[3] f32[4] | got (3) at run time, want (4)
          """)
  void noneAtThese(String entry, String shapes, String reason) {
    HloException refusal = assertThrows(HloException.class, () -> sized(entry, shapes.split(" ")));
    assertThat(refusal.summary()).isEqualTo(reason);
  }

  /** Each of 60 computations calls the one before it twice, which makes 2^60 calls. */
  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void sharedCallsAreSearchedForLoopsOnce() {
    StringBuilder text = new StringBuilder("HloModule m\nf0 { ROOT p0 = f32[2] parameter(0) }\n");
    for (int i = 1; i <= 60; i++) {
      text.append(
          """
          f%1$d {
            p%1$d = f32[2] parameter(0)
            a%1$d = f32[2] call(p%1$d), to_apply=f%2$d
            ROOT b%1$d = f32[2] call(a%1$d), to_apply=f%2$d
          }
          """
              .formatted(i, i - 1));
    }
    text.append(
        """
        ENTRY e {
          x = f32[<=4] parameter(0)
          i = s32[] parameter(1)
          s = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2}
          ROOT r = f32[2] call(s), to_apply=f60
        }
        """);
    List<Shape> arguments = List.of(Shape.parse("f32[3]"), Shape.parse("s32[]"));
    SizedModule sized =
        SizedModule.of(Parser.parse(text.toString()), arguments, new ReferenceOps());
    assertThat(sized.isChecked()).isTrue();
  }

  /** An interrupt while a size is computed says nothing about the sizes. */
  @Test
  void interruptsAreNoReason() {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            ENTRY e {
              x = f32[<=8] parameter(0)
              n = s32[] get-dimension-size(x), dimensions={0}
              m = s32[] popcnt(n)
              ROOT y = f32[<=8] set-dimension-size(x, m), dimensions={0}
            }
            """);
    List<Shape> arguments = List.of(Shape.parse("f32[4]"));
    Limits limits = new Limits(Optional.empty(), Long.MAX_VALUE);
    Thread.currentThread().interrupt();
    try {
      HloException stop =
          assertThrows(
              HloException.class,
              () -> limits.within(() -> SizedModule.of(module, arguments, new ReferenceOps())));
      assertThat(stop.kind()).isEqualTo(HloException.Kind.INTERRUPTED);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  /** The first clone of a computation keeps the names; those of other sizes get new ones. */
  @Test
  void computationsAtEachSize() {
    SizedModule sized =
        sized(
            """
            x = f32[<=4] parameter(0)
            y = f32[<=4] parameter(1)
            a = f32[<=4] call(x), to_apply=same
            b = f32[<=4] call(y), to_apply=same
            c = f32[<=4] call(a), to_apply=same
            ROOT t = (f32[<=4], f32[<=4], f32[<=4]) tuple(a, b, c)
            """,
            "f32[2]",
            "f32[3]");
    assertThat(sized.module().computations().stream().map(c -> c.name()).toList())
        .containsExactly("same", "same.1", "e")
        .inOrder();
    assertThat(sized.module().entry().root().shape().toString())
        .isEqualTo("(f32[2], f32[3], f32[2])");
  }
}
