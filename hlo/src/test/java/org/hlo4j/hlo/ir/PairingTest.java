package org.hlo4j.hlo.ir;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.U32;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.AllGatherDone;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.CollectivePermuteDone;
import org.hlo4j.hlo.op.CollectivePermuteStart;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.CopyDone;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.SendDone;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.schema.AttributeText;
import org.junit.jupiter.api.Test;

/**
 * Findings of the verifier about starts without their dones, shared fusion computations and
 * malformed composites.
 */
final class PairingTest {
  private static final Shape.Array V = Shape.of(F32, 2);

  private final HloInstruction x = HloInstruction.of("x", new Parameter(0, V));
  private final HloInstruction token = HloInstruction.of("token", new AfterAll());

  private static List<String> findings(HloInstruction... instructions) {
    List<HloInstruction> list = ImmutableList.copyOf(instructions);
    HloComputation entry = HloComputation.create("entry", list, list.get(list.size() - 1));
    return Verifier.strict().findings(HloModule.create("m", entry)).stream()
        .map(HloException::summary)
        .toList();
  }

  private static HloInstruction calling(
      String name, Op op, HloComputation callee, Shape shape, HloInstruction... operands) {
    return HloInstruction.create(
        name, op, List.of(operands), List.of(callee), shape, Metadata.NONE);
  }

  @Test
  void copyStartHasExactlyOneDone() {
    HloInstruction start = HloInstruction.of("start", new CopyStart(Optional.empty()), x);
    HloInstruction done = HloInstruction.of("done", new CopyDone(), start);
    HloInstruction again = HloInstruction.of("again", new CopyDone(), start);
    HloInstruction tuple = HloInstruction.of("tuple", new Copy(), start);
    HloInstruction stray = HloInstruction.of("stray", new CopyDone(), tuple);

    assertThat(findings(x, start, done)).isEmpty();
    assertThat(findings(x, start))
        .containsExactly("copy-start: users of start got [], want just its done or update");
    assertThat(findings(x, start, done, again))
        .containsExactly(
            "copy-start: users of start got [done, again], want just its done or update");
    assertThat(findings(x, start, tuple, stray))
        .containsExactly(
            "copy-start: users of start got [tuple], want just its done or update",
            "copy-done: operand got tuple, copy, want its start");
  }

  @Test
  void collectiveStartHasOneMatchingDone() {
    Op begin =
        new CollectivePermuteStart(
            Optional.empty(),
            ImmutableList.of(Dims.of(0, 1)),
            ImmutableList.of(),
            Shape.tuple(V, V));
    HloInstruction start = HloInstruction.of("start", begin, x);
    HloInstruction done = HloInstruction.of("done", new CollectivePermuteDone(), start);
    HloInstruction other = HloInstruction.of("other", new AllGatherDone(), start);

    assertThat(findings(x, start, done)).isEmpty();
    assertThat(findings(x, start, other))
        .containsExactly(
            "collective-permute-start: users of start got [other], want just its done or update",
            "all-gather-done: operand got start, collective-permute-start, want its start");
  }

  @Test
  void sendAndDoneShareTheChannel() {
    HloInstruction send = HloInstruction.of("send", new Send(1, false), x, token);
    HloInstruction done = HloInstruction.of("done", new SendDone(1, false), send);
    HloInstruction other = HloInstruction.of("done", new SendDone(2, false), send);
    HloInstruction host = HloInstruction.of("done", new SendDone(1, true), send);
    HloInstruction recv = HloInstruction.of("recv", new Recv(V, 1, false), token);
    HloInstruction crossed = HloInstruction.of("done", new SendDone(1, false), recv);
    HloInstruction tuple = HloInstruction.of("tuple", new Tuple(), send);

    assertThat(findings(x, token, send, done)).isEmpty();
    assertThat(findings(x, token, send, tuple)).isEmpty();
    assertThat(findings(x, token, send)).isEmpty();
    assertThat(findings(x, token, send, other))
        .containsExactly(
            "send-done: channel_id and is_host_transfer got 2 and false, want those of send");
    assertThat(findings(x, token, send, host))
        .containsExactly(
            "send-done: channel_id and is_host_transfer got 1 and true, want those of send");
    assertThat(findings(x, token, recv, crossed))
        .containsExactly(
            "recv: users of recv got [done], want just its done or update",
            "send-done: operand got recv, recv, want its start");
  }

  @Test
  void hostTransfersOnOneChannelHaveOneShape() {
    HloInstruction first = HloInstruction.of("first", new Send(1, true), x, token);
    HloInstruction ended = HloInstruction.of("ended", new SendDone(1, true), first);
    HloInstruction pair = HloInstruction.of("pair", new Tuple(), x);
    HloInstruction second = HloInstruction.of("second", new Send(1, true), pair, ended);

    assertThat(findings(x, token, first, ended, pair, second))
        .containsExactly(
            "send: host transfer on channel 1 got ((f32[2]), u32[], token[]), want the same as"
                + " first, (f32[2], u32[], token[])");
  }

  private static HloInstruction negate(String name, HloInstruction operand) {
    return HloInstruction.of(name, new Elementwise(Elementwise.Kind.NEGATE), operand);
  }

  @Test
  void fusedComputationHasOneCallerAndNoDeadCode() {
    HloInstruction p = HloInstruction.of("p", new Parameter(0, V));
    HloInstruction n = negate("n", p);
    HloComputation fused = HloComputation.create("fused", List.of(p, n), n);
    HloInstruction one = calling("one", new Fusion(Fusion.Kind.LOOP), fused, V, x);
    HloInstruction two = calling("two", new Fusion(Fusion.Kind.LOOP), fused, V, one);
    assertThat(findings(x, one)).isEmpty();
    assertThat(findings(x, one, two))
        .containsExactly("fusion: fused got called by one and two, want one fusion");

    HloComputation unused = HloComputation.create("fused", List.of(p, n, negate("u", p)), n);
    assertThat(findings(x, calling("one", new Fusion(Fusion.Kind.LOOP), unused, V, x)))
        .containsExactly("fusion: u of fused got 0 users, want at least 1");
    HloComputation used = HloComputation.create("fused", List.of(p, n, negate("u", n)), n);
    assertThat(findings(x, calling("one", new Fusion(Fusion.Kind.LOOP), used, V, x)))
        .containsExactly("fusion: n of fused got 1 users, want none: it is the root");
  }

  @Test
  void asyncComputationWrapsOneInstruction() {
    HloInstruction p = HloInstruction.of("p", new Parameter(0, V));
    HloInstruction n = negate("n", p);
    HloInstruction twice = negate("twice", n);
    HloComputation one = HloComputation.create("wrapped", List.of(p, n), n);
    HloComputation two = HloComputation.create("wrapped", List.of(p, n, twice), twice);
    Shape pending = Shape.tuple(Shape.tuple(V), V, Shape.of(U32));
    HloInstruction right = calling("start", new AsyncStart(pending, ""), one, pending, x);
    HloInstruction wrong = calling("start", new AsyncStart(pending, ""), two, pending, x);

    assertThat(findings(x, right, HloInstruction.of("done", new AsyncDone(), right))).isEmpty();
    assertThat(findings(x, wrong, HloInstruction.of("done", new AsyncDone(), wrong)))
        .containsExactly(
            "async-start: computation wrapped got n beside its root, want parameters and their"
                + " elements only, or _collectives_group in frontend_attributes");
  }

  private List<String> composite(Map<String, String> attributes) {
    HloInstruction p = HloInstruction.of("p", new Parameter(0, V));
    HloComputation callee = HloComputation.create("callee", List.of(p), p);
    Map<String, String> text =
        Map.of("frontend_attributes", AttributeText.frontendAttributes(attributes));
    return findings(
        x,
        HloInstruction.create(
            "call", new Call(true), List.of(x), List.of(callee), V, Metadata.NONE, text));
  }

  @Test
  void compositeAttributesAreChecked() {
    assertThat(
            composite(Map.of("composite.name", "a.b", "composite.attributes", "{n = \"}\" : i32}")))
        .isEmpty();
    assertThat(composite(Map.of()))
        .containsExactly(
            "call: composite.name got nothing, want the name of an op in frontend_attributes");
    assertThat(composite(Map.of("composite.name", "a", "composite.attributes", "")))
        .containsExactly("call: composite.attributes got \"\", want {} or attributes");
    assertThat(composite(Map.of("composite.name", "a", "composite.version", "-1")))
        .containsExactly("call: composite.version got -1, want an integer of at least 0");
  }

  @Test
  void frontendAttributesRoundTrip() {
    Map<String, String> attributes = Map.of("a", "x\"y\\z\n", "b", "{1,\"}\"}", "c", "{");
    String text = AttributeText.frontendAttributes(attributes);
    assertThat(text).isEqualTo("{a=\"x\\\"y\\\\z\\n\",b={1,\"}\"},c=\"{\"}");
    assertThat(AttributeText.parseFrontendAttributes(text)).isEqualTo(attributes);
  }
}
