package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a loop hands out is not written to again, wherever in the loop that is: its body sets one
 * element after the other to 7, in place. Arrays of 4096 bytes and more are used again.
 */
@ParameterizedClass
@EnumSource(Evaluators.class)
@Timeout(120)
final class HandedOutTest {
  private static final List<Integer> SIZES = List.of(1023, 1024, 20_000);

  private static final String LOOP =
      """
      HloModule m
      add { a.p = f32[] parameter(0) a.q = f32[] parameter(1) ROOT a.r = f32[] add(a.p, a.q) }
      hand { x = f32[N] parameter(0) HAND ROOT h.r = pred[] constant(true) }
      same { s.x = f32[N] parameter(0) ROOT s.r = pred[] constant(true) }
      inner.next { n.p = (pred[], f32[N]) parameter(0) n.x = f32[N] get-tuple-element(n.p), index=1
        n.f = pred[] constant(false) ROOT n.r = (pred[], f32[N]) tuple(n.f, n.x) }
      inner.first { f.p = (pred[], f32[N]) parameter(0) x = f32[N] get-tuple-element(f.p), index=1
        f.b = pred[] get-tuple-element(f.p), index=0 f.h = pred[] call(x), to_apply=hand
        ROOT f.r = pred[] and(f.b, f.h) }
      less { c.p = (s32[], f32[N]) parameter(0) i = s32[] get-tuple-element(c.p), index=0
        x = f32[N] get-tuple-element(c.p), index=1 c.n = s32[] constant(3)
        CONDITION ROOT c.r = pred[] compare(i, c.n), direction=LT }
      body { b.p = (s32[], f32[N]) parameter(0) i = s32[] get-tuple-element(b.p), index=0
        x = f32[N] get-tuple-element(b.p), index=1 b.one = s32[] constant(1)
        b.i = s32[] add(i, b.one) b.c = f32[1] constant({7})
        BODY
        b.x = f32[N] dynamic-update-slice(x, b.c, i)
        ROOT b.r = (s32[], f32[N]) tuple(b.i, b.x) }
      ENTRY e { e.x = f32[N] parameter(0) e.z = s32[] constant(0)
        e.t = (s32[], f32[N]) tuple(e.z, e.x)
        e.w = (s32[], f32[N]) while(e.t), condition=less, body=body
        ROOT e.r = f32[N] get-tuple-element(e.w), index=1 }
      """;

  @Parameter private Evaluators evaluators = Evaluators.REFERENCE;

  private final Transfers transfers = Transfers.create();
  private final List<Literal> kept = new ArrayList<>();

  private Evaluator evaluator() {
    return evaluators.alone(
        EvaluatorOptions.builder()
            .transfers(transfers)
            .customCall(
                "keep",
                (call, operands) -> {
                  synchronized (kept) {
                    kept.addAll(operands);
                  }
                  return operands.get(0);
                })
            .build());
  }

  private static HloModule loop(int size, String hand, String condition, String body) {
    return Parser.parse(
        LOOP.replace("CONDITION", condition)
            .replace("BODY", body)
            .replace("HAND", hand)
            .replace("[N]", "[" + size + "]")
            .replace("[2N]", "[" + 2 * size + "]")
            .replace("[N/2]", "[" + size / 2 + "]"));
  }

  private static Literal full(int size, float value) {
    return Literal.full(Shape.of(ElementType.F32, size), value);
  }

  /** Returns the first elements of each value. */
  private static String heads(List<Literal> values) {
    return values.stream()
        .map(value -> value.arrays().get(0))
        .map(array ->
            IntStream.range(0, 4)
                .mapToObj(i -> Integer.toString((int) array.getFloat(i)))
                .collect(joining(" ")))
        .collect(joining(", "));
  }

  private List<Literal> seen() {
    List<Literal> all = new ArrayList<>(transfers.takeFedOut());
    all.addAll(transfers.takeSent(1));
    all.addAll(kept);
    kept.clear();
    return all;
  }

  /** What hands out {@code x}, in each place from which the loop's state can be seen. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          t = token[] after-all() o = token[] outfeed(x, t), outfeed_shape=f32[N]
          t = token[] after-all() u = (f32[N]) tuple(x) o = token[] outfeed(u, t), outfeed_shape=(f32[N])
          t = token[] after-all() s = (f32[N], u32[], token[]) send(x, t), channel_id=1 d = token[] send-done(s), channel_id=1
          n = f32[N] negate(x) p = f32[N] negate(n) k = ((f32[N]), f32[N], u32[]) custom-call-start(p), custom_call_target="keep" d = f32[N] custom-call-done(k)
          k = f32[N] custom-call(x), custom_call_target="keep", custom_call_has_side_effect=true
          k = ((f32[N]), f32[N], u32[]) custom-call-start(x), custom_call_target="keep" d = f32[N] custom-call-done(k)
          t = token[] after-all() p = f32[N] copy(x) o = token[] outfeed(p, t), outfeed_shape=f32[N]
          t = token[] after-all() s = (f32[N], f32[N], u32[]) copy-start(x) d = f32[N] copy-done(s) o = token[] outfeed(d, t), outfeed_shape=f32[N]
          t = token[] after-all() n = f32[N] negate(x) p = f32[N] negate(n) o = token[] outfeed(p, t), outfeed_shape=f32[N]
          """)
  void theStateOfALoop(String hand) {
    String condition = "0 0 0 0, 7 0 0 0, 7 7 0 0, 7 7 7 0";
    String body = "0 0 0 0, 7 0 0 0, 7 7 0 0";
    check(condition, hand, hand, "");
    check(condition, hand, "h = pred[] call(x), to_apply=hand", "");
    check(
        condition,
        hand,
        "l = pred[] compare(i, c.n), direction=NE h = pred[] conditional(l, x, x),"
            + " true_computation=hand, false_computation=hand",
        "");
    check(
        "0 0 0 0, 0 0 0 0, 7 0 0 0, 7 0 0 0, 7 7 0 0, 7 7 0 0, 7 7 7 0, 7 7 7 0",
        hand,
        "u = pred[] constant(true) v = (pred[], f32[N]) tuple(u, x)"
            + " w = (pred[], f32[N]) while(v), condition=inner.first, body=inner.next",
        "");
    check(body, hand, "", hand);
    check(body, hand, "", "h = pred[] call(x), to_apply=hand");
    check(
        "0 0 0 0, 7 7 0 0",
        hand,
        "",
        "l = pred[] compare(i, b.one), direction=NE h = pred[] conditional(l, x, x),"
            + " true_computation=hand, false_computation=same");
  }

  private void check(String want, String hand, String condition, String body) {
    String places = condition + " | " + body;
    for (int size : Nightly.some(3, hand + places, SIZES)) {
      Executable program = evaluator().compile(loop(size, hand, condition, body));
      Literal x = full(size, 0);
      Literal result = program.run(x);
      List<Literal> first = seen();
      assertWithMessage(places).that(heads(first)).isEqualTo(want);
      program.unsafeRunInto(program.newResult(), x);
      Literal again = program.run(x);
      assertWithMessage(places).that(heads(seen())).isEqualTo(want + ", " + want);
      assertWithMessage(places).that(heads(first)).isEqualTo(want);
      assertThat(heads(List.of(result, again, x))).isEqualTo("7 7 7 0, 7 7 7 0, 0 0 0 0");
    }
  }

  /**
   * What the condition makes of the states of two devices, each of which goes on when it has it;
   * the first begins with zeros, the second with ones.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          y = f32[N] all-reduce(x), replica_groups={{0,1}}, to_apply=add                 | 1 1 1 1, 14 1 1 1, 14 14 1 1, 14 14 14 1 | 1 1 1 1, 14 1 1 1, 14 14 1 1, 14 14 14 1
          s = f32[N] all-reduce-start(x), replica_groups={{0,1}}, to_apply=add y = f32[N] all-reduce-done(s) | 1 1 1 1, 14 1 1 1, 14 14 1 1, 14 14 14 1 | 1 1 1 1, 14 1 1 1, 14 14 1 1, 14 14 14 1
          y = f32[N/2] reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply=add | 1 1 1 1, 14 1 1 1, 14 14 1 1, 14 14 14 1 | 1 1 1 1, 1 1 1 1, 1 1 1 1, 1 1 1 1
          y = f32[2N] all-gather(x), replica_groups={{1,0}}, dimensions={0}              | 1 1 1 1, 7 1 1 1, 7 7 1 1, 7 7 7 1 | 1 1 1 1, 7 1 1 1, 7 7 1 1, 7 7 7 1
          s = (f32[N], f32[2N]) all-gather-start(x), replica_groups={{1,0}}, dimensions={0} y = f32[2N] all-gather-done(s) | 1 1 1 1, 7 1 1 1, 7 7 1 1, 7 7 7 1 | 1 1 1 1, 7 1 1 1, 7 7 1 1, 7 7 7 1
          y = f32[N] all-to-all(x), replica_groups={{1,0}}, dimensions={0}               | 1 1 1 1, 1 1 1 1, 1 1 1 1, 1 1 1 1 | 1 1 1 1, 7 1 1 1, 7 7 1 1, 7 7 7 1
          a = (f32[N], f32[N]) all-to-all(x, x), replica_groups={{0,1}} y = f32[N] get-tuple-element(a), index=1 | 1 1 1 1, 7 1 1 1, 7 7 1 1, 7 7 7 1 | 1 1 1 1, 7 1 1 1, 7 7 1 1, 7 7 7 1
          y = f32[N] collective-permute(x), source_target_pairs={{0,1},{1,0}}            | 1 1 1 1, 7 1 1 1, 7 7 1 1, 7 7 7 1 | 0 0 0 0, 7 0 0 0, 7 7 0 0, 7 7 7 0
          s = (f32[N], f32[N]) collective-permute-start(x), source_target_pairs={{0,1},{1,0}} y = f32[N] collective-permute-done(s) | 1 1 1 1, 7 1 1 1, 7 7 1 1, 7 7 7 1 | 0 0 0 0, 7 0 0 0, 7 7 0 0, 7 7 7 0
          y = f32[N] collective-broadcast(x), replica_groups={{1,0}}                     | 1 1 1 1, 7 1 1 1, 7 7 1 1, 7 7 7 1 | 1 1 1 1, 7 1 1 1, 7 7 1 1, 7 7 7 1
          z = s64[2] constant({0, 0}) o = s64[2] constant({1, 1}) y = f32[N] ragged-all-to-all(x, x, z, o, z, o), replica_groups={{1,0}} | 0 0 0 0, 7 0 0 0, 7 7 0 0, 7 7 7 0 | 0 1 1 1, 7 1 1 1, 7 7 1 1, 7 7 7 1
          t = token[] after-all() s = (f32[N], u32[], token[]) send(x, t), channel_id=2, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,0}}} d = token[] send-done(s), channel_id=2, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,0}}} q = (f32[N], u32[], token[]) recv(d), channel_id=2, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,0}}} r = (f32[N], token[]) recv-done(q), channel_id=2, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,0}}} y = f32[N] get-tuple-element(r), index=0 | 1 1 1 1, 7 1 1 1, 7 7 1 1, 7 7 7 1 | 0 0 0 0, 7 0 0 0, 7 7 0 0, 7 7 7 0
          """)
  void theStateOfALoopOnTwoDevices(String exchange, String want0, String want1) {
    String shape =
        exchange.contains("all-gather")
            ? "f32[2N]"
            : exchange.contains("scatter") ? "f32[N/2]" : "f32[N]";
    String out =
        exchange + " u = token[] after-all() v = token[] outfeed(y, u), outfeed_shape=" + shape;
    for (int size : Nightly.some(2, exchange, List.of(1022, 1024))) {
      HloModule module = loop(size, "", out, "");
      List<List<Literal>> arguments = List.of(List.of(full(size, 0)), List.of(full(size, 1)));
      List<Literal> results = evaluator().runOnDevices(module, new DeviceGrid(2, 1), arguments);
      assertThat(heads(transfers.takeFedOut(0))).isEqualTo(want0);
      assertThat(heads(transfers.takeFedOut(1))).isEqualTo(want1);
      assertThat(heads(results)).isEqualTo("7 7 7 0, 7 7 7 1");
    }
  }

  private static final String SUMS =
      """
      HloModule m, replica_count=DEVICES
      add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
      body { s = (s32[], f32[2000]) parameter(0) i = s32[] get-tuple-element(s), index=0
        x = f32[2000] get-tuple-element(s), index=1 one = s32[] constant(1)
        i2 = s32[] add(i, one) c = f32[1] constant({VALUE}) last = s32[] constant(1999)
        at = s32[] subtract(last, i) x2 = f32[2000] dynamic-update-slice(x, c, at)
        ROOT r = (s32[], f32[2000]) tuple(i2, x2) }
      cond { s = (s32[], f32[2000]) parameter(0) i = s32[] get-tuple-element(s), index=0
        x = f32[2000] get-tuple-element(s), index=1
        y = f32[2000] all-reduce(x), replica_groups={}, to_apply=add
        z = f32[] constant(0) sum = f32[] reduce(y, z), dimensions={0}, to_apply=add
        t = token[] after-all() o = token[] outfeed(sum, t), outfeed_shape=f32[] LIMIT }
      ENTRY e { p = f32[] parameter(0) n = s32[] constant(0)
        x = f32[2000] broadcast(p), dimensions={} s = (s32[], f32[2000]) tuple(n, x)
        ROOT w = (s32[], f32[2000]) while(s), condition=cond, body=body }
      """;

  /** Each of 8 devices replaces its own number by 100: 28 become 800 in each iteration. */
  @Test
  void sumsOfStatesThatDevicesOverwrite() {
    String limit = "k = s32[] constant(6) ROOT lt = pred[] compare(i, k), direction=LT";
    HloModule module =
        Parser.parse(SUMS.replace("DEVICES", "8").replace("VALUE", "100").replace("LIMIT", limit));
    List<List<Literal>> arguments =
        IntStream.range(0, 8).mapToObj(i -> List.of(Literal.of((float) i))).toList();
    var _ = evaluator().runOnDevices(module, new DeviceGrid(8, 1), arguments);
    for (int device = 0; device < 8; device++) {
      assertThat(transfers.takeFedOut(device).stream().map(Literal::toHloText))
          .containsExactly("56000", "56772", "57544", "58316", "59088", "59860", "60632")
          .inOrder();
    }
  }

  /** As JAX's psum in a condition: both devices go on as long as the sum is below 6100. */
  @Test
  void devicesAgreeOnTheEndOfALoop() {
    String limit = "k = f32[] constant(6100) ROOT lt = pred[] compare(sum, k), direction=LT";
    HloModule module =
        Parser.parse(SUMS.replace("DEVICES", "2").replace("VALUE", "1000").replace("LIMIT", limit));
    List<List<Literal>> arguments = Collections.nCopies(2, List.of(Literal.of(0f)));
    for (Literal result : evaluator().runOnDevices(module, new DeviceGrid(2, 1), arguments)) {
      assertThat(result.element(0)).isEqualTo(Literal.of(4));
    }
  }

  /**
   * A server refills the arguments of all devices: what each of them fed out, sent and returned
   * stays, though devices exchange the arrays themselves.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "y = f32[N] collective-permute(x), source_target_pairs={{0,1},{1,0}}",
        "y = f32[N] collective-broadcast(x), replica_groups={{1,0}}",
        "a = (f32[N], f32[N]) all-to-all(x, x), replica_groups={{0,1}}"
            + " y = f32[N] get-tuple-element(a), index=0",
        "c = f32[N] collective-permute(x), source_target_pairs={{0,1},{1,0}}"
            + " y = f32[N] while(c), condition=same, body=next"
      })
  void argumentsOfAllDevicesMayBeRefilled(String exchange) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            same { s.x = f32[N] parameter(0) ROOT s.r = pred[] constant(false) }
            next { ROOT n.x = f32[N] parameter(0) }
            ENTRY e { x = f32[N] parameter(0)
              EXCHANGE
              p = (f32[N], f32[N]) tuple(x, y) t = token[] after-all()
              o = token[] outfeed(p, t), outfeed_shape=(f32[N], f32[N])
              s = (f32[N], u32[], token[]) send(y, t), channel_id=1
              d = token[] send-done(s), channel_id=1
              ROOT r = (f32[N], f32[N]) tuple(y, x) }
            """
                .replace("EXCHANGE", exchange)
                .replace("[N]", "[4]"));
    List<Literal> arguments =
        List.of(
            Literal.unsafeOf(Shape.of(ElementType.F32, 4), new float[] {3, 3, 3, 3}),
            Literal.unsafeOf(Shape.of(ElementType.F32, 4), new float[] {3, 3, 3, 3}));
    List<List<Literal>> each = arguments.stream().map(List::of).toList();
    List<Literal> all =
        new ArrayList<>(evaluator().runOnDevices(module, new DeviceGrid(2, 1), each));
    for (int device = 0; device < 2; device++) {
      all.addAll(transfers.takeFedOut(device));
      all.addAll(transfers.takeSent(device, 1));
    }
    arguments.forEach(argument -> Arrays.fill((float[]) argument.unsafeStorage(), 9));
    assertThat(all.stream().flatMap(value -> value.arrays().stream()).toList())
        .isEqualTo(Collections.nCopies(10, full(4, 3)));
  }
}
