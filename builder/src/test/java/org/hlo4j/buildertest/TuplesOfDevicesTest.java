package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import org.hlo4j.builder.Participants;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Test;

/** Collectives and other ops with several operands, prebuilt computations or tokens. */
final class TuplesOfDevicesTest {
  private static final Participants ALL = Participants.allReplicas();

  private final XlaBuilder b = new XlaBuilder("m");
  private final XlaOp x = b.parameter(0, Shape.of(F32, 4), "x");
  private final XlaOp y = b.parameter(1, Shape.of(F32, 2, 2), "y");

  /** Verifies the module and returns the entry's lines after its parameters. */
  private static List<String> lines(XlaOp root) {
    HloModule module = root.builder().build(root);
    Verifier.strict().verify(module);
    String text = Printer.print(module, PrintOptions.SHORT);
    return text.substring(text.indexOf("ENTRY"))
        .lines()
        .filter(line -> line.contains(" = ") && !line.contains("parameter("))
        .map(String::strip)
        .toList();
  }

  private static String refusal(Runnable call) {
    return assertThrows(HloException.class, call::run).summary();
  }

  private static HloComputation sum() {
    XlaBuilder sum = new XlaBuilder("sum");
    XlaOp a = sum.parameter(0, Shape.of(F32), "a");
    return sum.buildComputation(a.add(sum.parameter(1, Shape.of(F32), "b")));
  }

  @Test
  void allGatherTuple() {
    assertThat(lines(b.allGatherTuple(List.of(x, y), 0, 2, ALL)))
        .containsExactly(
            "ROOT all-gather = (f32[8], f32[4,2]) all-gather(x, y), replica_groups={},"
                + " dimensions={0}");
    assertThat(refusal(() -> new XlaBuilder("e").allGatherTuple(List.of(), 0, 2, ALL)))
        .isEqualTo("all-gather: operand count got 0, want at least 1");
  }

  @Test
  void allReduceWithPrebuiltComputation() {
    assertThat(lines(b.allReduceTuple(List.of(x, y), sum(), ALL)))
        .containsExactly(
            "ROOT all-reduce = (f32[4], f32[2,2]) all-reduce(x, y), replica_groups={},"
                + " to_apply=sum");
  }

  @Test
  void reduceScatterWithPrebuiltComputation() {
    assertThat(lines(x.reduceScatter(sum(), 0, 2, ALL)))
        .containsExactly(
            "ROOT reduce-scatter = f32[2] reduce-scatter(x), replica_groups={}, dimensions={0},"
                + " to_apply=sum");
  }

  @Test
  void singleOperandAllReduceWithPrebuiltComputation() {
    assertThat(lines(x.allReduce(sum(), ALL)))
        .containsExactly("ROOT all-reduce = f32[4] all-reduce(x), replica_groups={}, to_apply=sum");
  }

  @Test
  void allToAllTupleBySlices() {
    assertThat(lines(y.allToAllTuple(0, 1, 2, ALL)))
        .containsExactly(
            "slice = f32[1,2] slice(y), slice={[0:1], [0:2]}",
            "slice.1 = f32[1,2] slice(y), slice={[1:2], [0:2]}",
            "all-to-all = (f32[1,2], f32[1,2]) all-to-all(slice, slice.1), replica_groups={}",
            "get-tuple-element = f32[1,2] get-tuple-element(all-to-all), index=0",
            "get-tuple-element.1 = f32[1,2] get-tuple-element(all-to-all), index=1",
            "ROOT concatenate = f32[1,4] concatenate(get-tuple-element, get-tuple-element.1),"
                + " dimensions={1}")
        .inOrder();
  }

  @Test
  void variadicCollectiveBroadcastAndPermute() {
    XlaOp sent = b.collectiveBroadcast(List.of(x, y), ALL);
    assertThat(sent.shape()).isEqualTo(Shape.tuple(x.shape(), y.shape()));
    XlaOp moved = b.multiCollectivePermute(List.of(x, y), Optional.empty(), new long[] {0, 1});
    assertThat(lines(moved))
        .contains(
            "ROOT collective-permute = (f32[4], f32[2,2]) collective-permute(x, y),"
                + " source_target_pairs={{0,1}}");
  }

  @Test
  void sendAndRecvCreateTokens() {
    XlaOp sent = b.send(x, 3);
    XlaOp received = b.recv(Shape.of(F32), 4);
    assertThat(sent.shape()).isEqualTo(Shape.token());
    assertThat(lines(received).stream().map(line -> line.replaceAll(" = .* ([a-z-]+\\(.*)", " $1")))
        .containsExactly(
            "after-all after-all()",
            "send send(x, after-all), channel_id=3",
            "send-done send-done(send), channel_id=3",
            "after-all.1 after-all()",
            "recv recv(after-all.1), channel_id=4",
            "recv-done recv-done(recv), channel_id=4",
            "ROOT get-tuple-element get-tuple-element(recv-done), index=0")
        .inOrder();
  }

  @Test
  void variadicAndOr() {
    XlaBuilder bits = new XlaBuilder("bits");
    XlaOp p = bits.parameter(0, Shape.of(PRED), "p");
    XlaOp q = bits.parameter(1, Shape.of(PRED), "q");
    assertThat(bits.and(p)).isSameInstanceAs(p);
    assertThat(lines(bits.or(p, q, bits.and(p, q))))
        .containsExactly(
            "and = pred[] and(p, q)", "or = pred[] or(q, and)", "ROOT or.1 = pred[] or(p, or)")
        .inOrder();
    assertThat(refusal(() -> new XlaBuilder("e").and()))
        .isEqualTo("and: operand count got 0, want at least 1");
  }

  @Test
  void spmdFullToShardAndBack() {
    XlaOp part = x.convertSpmdFullToShardShape(Sharding.tiled(2), Shape.of(F32, 2), 0);
    XlaOp whole = part.neg().convertSpmdShardToFullShape(Sharding.tiled(2), Shape.of(F32, 4));
    assertThat(lines(whole))
        .containsExactly(
            "custom-call = f32[4] custom-call(x), custom_call_target=\"Sharding\","
                + " sharding={devices=[2]<=[2]}, backend_config=\"unspecified_dims=[0]\"",
            "custom-call.1 = f32[2] custom-call(custom-call),"
                + " custom_call_target=\"SPMDFullToShardShape\", sharding={manual},"
                + " backend_config=\"unspecified_dims=[0]\"",
            "negate = f32[2] negate(custom-call.1)",
            "custom-call.2 = f32[2] custom-call(negate), custom_call_target=\"Sharding\","
                + " sharding={manual}",
            "ROOT custom-call.3 = f32[4] custom-call(custom-call.2),"
                + " custom_call_target=\"SPMDShardToFullShape\", sharding={devices=[2]<=[2]}")
        .inOrder();
    assertThat(
            refusal(() ->
                spare()
                    .convertSpmdFullToShardShape(
                        Sharding.of(Sharding.Uniform.MANUAL), Shape.of(F32))))
        .isEqualTo(
            "SPMDFullToShardShape: result got f32[], want the element type and rank of f32[4]");
  }

  private static XlaOp spare() {
    return new XlaBuilder("spare").parameter(0, Shape.of(F32, 4), "x");
  }

  @Test
  void replicatedParameters() {
    XlaBuilder replicas = new XlaBuilder("replicas");
    Shape shape = Shape.tuple(Shape.of(F32), Shape.tuple(Shape.of(PRED)));
    XlaOp p = replicas.parameter(0, shape, "p", List.of(true, false));
    HloModule module = replicas.build(p);
    assertThat(Printer.print(module, PrintOptions.SHORT))
        .contains("parameter(0), parameter_replication={true,false}");
    XlaBuilder other = new XlaBuilder("other");
    assertThat(refusal(() -> other.parameter(0, shape, "p", List.of(true))))
        .isEqualTo(
            "parameter: replication got [true], want one for each of the 2 arrays of (f32[],"
                + " (pred[]))");
  }
}
