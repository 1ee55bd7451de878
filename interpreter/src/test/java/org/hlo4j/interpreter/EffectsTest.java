package org.hlo4j.interpreter;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.interpreter.conformance.OpTraitsTest;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Family;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Each op with an effect in each place where a computation can stand, whether or not its value is
 * read: the rows of {@code effects.rows}, all with all at night, otherwise each with some. Each
 * program runs the effect once more at its end. What that gives, and how much is called, fed out
 * and sent, is as if the effect were written as many times in a row as the row of the place says.
 */
@Timeout(60)
final class EffectsTest {
  private static final ImmutableList<Effect> EFFECTS =
      sections("effect|exchange").map(Effect::parse).collect(toImmutableList());

  private static final ImmutableList<Place> PLACES =
      sections("place").map(Place::parse).collect(toImmutableList());

  private static final boolean ALL = Boolean.getBoolean("hlo4j.test.nightly");

  /** The places that are put into each other one. */
  private static final Set<String> NESTED =
      Set.of("call", "branch", "while body", "while condition", "reducer of a sum", "comparator");

  /** The counts of effects in a row, by effect, shape and number. */
  private static final Map<List<Object>, String> WANTED = new ConcurrentHashMap<>();

  private static final Literal X = Literal.of(new float[] {3, 1, 2, 0});
  private static final String SCALAR = "f32[]";
  private static final String ARRAY = "f32[4]";

  private static final String COMPUTATIONS =
      """
      HloModule effects
      same { a = f32[4] parameter(0) ROOT r = f32[4] abs(a) }
      three { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0
        k = s32[] constant(3) ROOT l = pred[] compare(i, k), direction=LT }
      doubles { d.s = (s32[], f32[4]) parameter(0) d.i = s32[] get-tuple-element(d.s), index=0
        one = s32[] constant(1) n = s32[] add(d.i, one) u = f32[4] get-tuple-element(d.s), index=1
        v = f32[4] add(u, u) ROOT o = (s32[], f32[4]) tuple(n, v) }
      sum { p = f32[] parameter(0) q = f32[] parameter(1) ROOT t = f32[] add(p, q) }
      greater { g = f32[] parameter(0) h = f32[] parameter(1)
        ROOT ge = pred[] compare(g, h), direction=GE }
      """;

  /** What becomes of the value OUT that an effect makes of IN: lines that make y, equal to IN. */
  private enum Use {
    DEAD("", "IN"),
    ALIVE("OUT.y = T clamp(IN, OUT, IN)", "OUT.y"),
    READ_BY_DEAD("OUT.y = T negate(OUT) OUT.yy = T add(OUT.y, OUT)", "IN"),
    DEAD_AFTER_PASSES(
        "OUT.yy = (T, T) tuple(IN, OUT) OUT.y = T get-tuple-element(OUT.yy), index=0", "OUT.y");

    private final String lines;
    private final String y;

    Use(String lines, String y) {
      this.lines = lines;
      this.y = y;
    }
  }

  /** Lines that make OUT of IN, T both, and the computations that they call. */
  private record Lines(String computations, String text) {
    static String named(String text, String shape, String in, String out) {
      return text.replaceAll("\\bT\\b", shape)
          .replaceAll("\\bOUT\\b", out)
          .replaceAll("\\bIN\\b", in);
    }

    /** Returns lines on f32[4] as lines on another shape. */
    Lines on(String shape) {
      String inner = named(text, ARRAY, "OUT.x", "OUT.q");
      return shape.equals(ARRAY)
          ? this
          : new Lines(
              computations,
              "OUT.b = f32[4] broadcast(IN), dimensions={} OUT.k = f32[4] constant({3, 1, 2, 0})"
                  + " OUT.x = f32[4] add(OUT.b, OUT.k) "
                  + inner
                  + " OUT.f = f32[1] slice(OUT.q), slice={[0:1]} OUT = f32[] reshape(OUT.f)");
    }
  }

  /** A row of an effect. */
  private record Effect(String name, boolean isExchange, String computations, String text) {
    static Effect parse(String section) {
      String head = section.substring(0, section.indexOf('\n'));
      String lines = section.substring(head.length()).strip();
      int bar = lines.indexOf("--\n");
      return new Effect(
          head.substring(head.indexOf(' ') + 1),
          head.startsWith("exchange"),
          bar < 0 ? "" : lines.substring(0, bar),
          bar < 0 ? lines : lines.substring(bar + 3));
    }

    Lines on(String shape) {
      String before =
          shape.equals(SCALAR)
              ? "OUT.v = f32[2] broadcast(IN), dimensions={} "
              : "OUT.v = f32[2] slice(IN), slice={[0:2]} ";
      String after =
          shape.equals(SCALAR)
              ? " OUT.f = f32[1] slice(OUT.w), slice={[0:1]} OUT = f32[] reshape(OUT.f)"
              : " OUT = f32[4] concatenate(OUT.w, OUT.w), dimensions={0}";
      return new Lines(computations, isExchange ? before + text + after : text);
    }
  }

  /** A row of a place. */
  private record Place(
      String name, int times, String shape, boolean isRead, String computations, String text) {
    private static final Pattern HEAD = Pattern.compile("place (.*): (\\d+) (\\S+)( read)?\n");

    static Place parse(String section) {
      Matcher head = HEAD.matcher(section);
      assertThat(head.lookingAt()).isTrue();
      List<String> parts = Splitter.on("--\n").splitToList(section.substring(head.end()));
      return new Place(
          head.group(1),
          Integer.parseInt(head.group(2)),
          head.group(3),
          head.group(4) != null,
          parts.get(0),
          parts.get(1));
    }

    @Override
    public String toString() {
      return name;
    }

    /**
     * Returns what becomes of the values: all uses for the first effects, the most telling else.
     */
    Set<Use> uses(Effect effect) {
      int number = EFFECTS.indexOf(effect);
      if (!ALL && number > 0 && (number + PLACES.indexOf(this)) % 16 > 0) {
        return Set.of();
      }
      Set<Use> few = effect.isExchange ? EnumSet.of(unread()) : EnumSet.of(unread(), Use.ALIVE);
      return isRead || number > 1 ? few : EnumSet.allOf(Use.class);
    }

    /** Returns how an effect may be there although its value does not matter. */
    Use unread() {
      return isRead ? Use.DEAD_AFTER_PASSES : Use.DEAD;
    }

    /** Returns lines on f32[4] with an effect in this place. */
    Lines with(Lines effect, Use use, String prefix) {
      return new Lines(
          Lines.named(effect.computations(), shape, "", prefix + ".effect")
              + filled(computations, effect, use, prefix),
          filled(text, effect, use, prefix));
    }

    private String filled(String lines, Lines effect, Use use, String prefix) {
      String own = lines.replaceAll("\\bP\\b", prefix);
      Matcher slot = Pattern.compile("\\[\\[(\\S+)]]").matcher(own);
      if (!slot.find()) {
        return own;
      }
      String in = slot.group(1);
      String out = prefix + ".effect";
      return own.replace(
              slot.group(), Lines.named(effect.text() + "\n" + use.lines, shape, in, out))
          .replaceAll("\\bY\\b", Lines.named(use.y, shape, in, out));
    }
  }

  /** What a run does: all that it calls, feeds out and sends, in order, and its results. */
  private record Observed(
      List<Literal> called, List<Literal> fedOut, List<Literal> sent, List<Literal> results) {
    /** Returns how often each happened; what the last one gave tells how many were before it. */
    String counts() {
      return String.format(
          "%s called, %s fed out, %s sent, the last gave %s",
          called.size(), fedOut.size(), sent.size(), results.get(0).element(1).toHloText());
    }
  }

  private static Stream<String> sections(String kind) {
    try {
      String rows =
          Resources.toString(
              Resources.getResource(EffectsTest.class, "effects.rows"), StandardCharsets.UTF_8);
      return Splitter.on("\n== ")
          .splitToStream(rows)
          .filter(row -> row.matches("(?s)(" + kind + ") .*"));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** Returns lines that do an effect so many times in a row, and keep IN. */
  private static Lines inARow(Effect effect, String shape, int times) {
    StringBuilder computations = new StringBuilder();
    StringBuilder lines = new StringBuilder();
    String in = shape.equals(SCALAR) ? "x.s" : "x";
    for (int i = 0; i < times; i++) {
      computations.append(Lines.named(effect.computations, shape, in, "e" + i));
      lines.append(Lines.named(effect.on(shape).text(), shape, in, "e" + i)).append('\n');
    }
    return new Lines(computations.toString(), lines + "OUT = f32[4] copy(IN)");
  }

  /** Returns a computation that makes r of x by some lines and then does the effect once more. */
  private static String computation(String name, Effect effect, String shape, Lines lines) {
    return String.format(
        "%s { x = f32[4] parameter(0) x.f = f32[1] slice(x), slice={[0:1]}"
            + " x.s = f32[] reshape(x.f)\n%s\n%s\nROOT out = (f32[4], %s) tuple(r, last) }\n",
        name,
        Lines.named(lines.text(), shape, "x", "r"),
        Lines.named(effect.on(shape).text(), shape, shape.equals(SCALAR) ? "x.s" : "x", "last"),
        shape);
  }

  /** Returns a program of some lines; an exchange is with a device that does it in a row. */
  private static HloModule program(Effect effect, String shape, int times, Lines lines) {
    String text =
        COMPUTATIONS + lines.computations() + Lines.named(effect.computations, shape, "", "last");
    return Parser.parse(
        effect.isExchange()
            ? text
                + computation("here", effect, shape, lines)
                + computation("there", effect, shape, inARow(effect, shape, times))
                + "ENTRY e { x = f32[4] parameter(0) d = u32[] partition-id() i = s32[] convert(d)"
                + " ROOT c = (f32[4], "
                + shape
                + ") conditional(i, x, x), branch_computations={here, there} }"
            : text + computation("ENTRY e", effect, shape, lines));
  }

  private static EvaluatorOptions logging(List<Literal> called) {
    return EvaluatorOptions.builder()
        .customCall(
            "log",
            (call, operands) -> {
              called.add(operands.get(0));
              return operands.get(0);
            })
        .build();
  }

  private static Observed observed(Evaluators evaluators, HloModule module, Effect effect) {
    List<Literal> called = Collections.synchronizedList(new ArrayList<>());
    Transfers transfers = Transfers.create();
    Shape.Array shape =
        (Shape.Array) ((Shape.Tuple) module.entry().root().shape()).elements().get(1);
    for (int i = 0; i < 200; i++) {
      Literal fed = Literal.full(shape.withLayout(null), i);
      transfers.feedIn(fed).send(6, fed);
    }
    Evaluator evaluator =
        evaluators.alone(logging(called).toBuilder().seed(7).transfers(transfers).build());
    List<Literal> results =
        effect.isExchange()
            ? evaluator.runOnDevices(module, new DeviceGrid(1, 2), List.of(List.of(X), List.of(X)))
            : List.of(evaluator.run(module, X));
    return new Observed(called, transfers.takeFedOut(), transfers.takeSent(5), results);
  }

  /** Returns what is wrong with an effect in a place, or nothing. */
  private static Stream<String> wrong(
      Effect effect, String shape, int times, Lines lines, String what) {
    HloModule module = program(effect, shape, times, lines);
    try {
      Observed reference = observed(Evaluators.REFERENCE, module, effect);
      Observed compiled = observed(Evaluators.COMPILED, module, effect);
      String want =
          WANTED.computeIfAbsent(
              List.of(effect.name, shape, times),
              _ -> {
                Lines inARow = inARow(effect, shape, times);
                HloModule plain = program(effect, shape, times, inARow);
                return observed(Evaluators.REFERENCE, plain, effect).counts();
              });
      return reference.counts().equals(want) && compiled.equals(reference)
          ? Stream.of()
          : Stream.of(
              String.format(
                  "%s: want %s, reference %s, compiled %s",
                  what, want, reference.counts(), compiled.counts()));
    } catch (HloException refused) {
      return Stream.of(what + ": " + refused.getMessage());
    }
  }

  @ParameterizedTest
  @FieldSource("PLACES")
  void eachEffectHappensAsOften(Place place) {
    List<String> wrong = new ArrayList<>();
    for (Effect effect : EFFECTS) {
      for (Use use : place.uses(effect)) {
        wrong(
                effect,
                place.shape,
                place.times,
                place.with(effect.on(place.shape), use, "p"),
                effect.name + " " + use)
            .forEach(wrong::add);
      }
    }
    assertThat(wrong).isEmpty();
  }

  @ParameterizedTest
  @FieldSource("PLACES")
  void anEffectInAPlaceInAPlaceHappensAsOften(Place outer) {
    Effect effect = EFFECTS.get(0);
    List<String> wrong = new ArrayList<>();
    for (Place inner : PLACES) {
      boolean isTried = ALL || (PLACES.indexOf(inner) + PLACES.indexOf(outer)) % 8 == 0;
      if (!isTried || !NESTED.contains(inner.name)) {
        continue;
      }
      Use use = (outer.isRead ? outer : inner).unread();
      Lines lines = inner.with(effect.on(inner.shape), use, "q");
      wrong(
              effect,
              ARRAY,
              outer.times * inner.times,
              outer.with(lines.on(outer.shape), outer.unread(), "p"),
              inner.name)
          .forEach(wrong::add);
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void bindingChangesNothing() {
    Effect effect = EFFECTS.get(0);
    List<String> wrong = new ArrayList<>();
    for (Place place : PLACES) {
      Lines lines = place.with(effect.on(place.shape), place.unread(), "p");
      HloModule module = program(effect, place.shape, place.times, lines);
      List<Literal> called = new ArrayList<>();
      Executable program =
          Interpreter.compiled(logging(called)).compile(module).bind(Map.of("x", X));
      int atOnce = called.size();
      program.run();
      program.run();
      if (atOnce != 0 || called.size() != 2 * (place.times + 1)) {
        wrong.add(place + ": " + atOnce + " calls when bound, " + called.size() + " in all");
      }
    }
    assertThat(wrong).isEmpty();
  }

  /** Each device applies the reducer to each element and each other device, in order. */
  @ParameterizedTest
  @EnumSource(Evaluators.class)
  void reducersOfCollectives(Evaluators evaluators) {
    String text =
        """
        HloModule m
        P { a = f32[] parameter(0) b = f32[] parameter(1) t = token[] after-all()
          o = token[] outfeed(b, t), outfeed_shape=f32[] ROOT r = f32[] add(a, b) }
        ENTRY e { x = f32[4] parameter(0)
          s = f32[4] all-reduce(x), replica_groups={}, to_apply=P
          h = f32[2] reduce-scatter(x), replica_groups={}, dimensions={0}, to_apply=P
          ROOT out = (f32[4], f32[2]) tuple(s, h) }
        """;
    Transfers transfers = Transfers.create();
    evaluators
        .alone(EvaluatorOptions.builder().transfers(transfers).build())
        .runOnDevices(Parser.parse(text), new DeviceGrid(2, 1), List.of(List.of(X), List.of(X)));
    assertThat(transfers.takeFedOut(0)).hasSize(8);
    assertThat(transfers.takeFedOut(1)).hasSize(8);
  }

  /** The effect of an op that may refuse a size is the refusal. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[<=4] set-dimension-size(IN, OUT.n), dimensions={0} | set-dimension-size: size of dimension 0 got 9, want from 0 to 4: f32[4] has no more
          f32[<=9] dynamic-reshape(IN, OUT.n) | dynamic-reshape: element count got 9 for f32[<=9], want 4 as in f32[4]
          """)
  void unreadSizesAreRefused(String op, String refusal) {
    Place body = PLACES.stream().filter(p -> p.name.equals("while body")).findFirst().orElseThrow();
    Lines lines = body.with(new Lines("", "OUT.n = s32[] constant(9) OUT = " + op), Use.DEAD, "p");
    HloModule module = program(EFFECTS.get(0), ARRAY, 0, lines);
    Evaluator both = Evaluators.both(logging(new ArrayList<>()));
    assertThat(assertThrows(HloException.class, () -> both.run(module, X)).summary())
        .isEqualTo(refusal);
  }

  @Test
  void eachOpWithAnEffectHasARow() {
    Set<String> ops = new TreeSet<>(List.of("DynamicReshape", "SetDimensionSize"));
    for (Effect effect : EFFECTS) {
      HloModule module = program(effect, ARRAY, 0, inARow(effect, ARRAY, 0));
      module.computations().stream()
          .flatMap(computation -> computation.instructions().stream())
          .map(HloInstruction::op)
          .filter(op -> OpTraits.of(op).family() == Family.EFFECT)
          .forEach(op -> ops.add(op.getClass().getSimpleName()));
    }
    assertThat(String.join(" ", ops))
        .isEqualTo(OpTraitsTest.opsWith(row -> row.family() == Family.EFFECT));
  }
}
