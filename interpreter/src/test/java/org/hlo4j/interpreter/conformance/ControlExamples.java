package org.hlo4j.interpreter.conformance;

import static java.util.Map.entry;

import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Optional;
import org.hlo4j.builder.CustomCallOptions;
import org.hlo4j.builder.Participants;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.AllGather;
import org.hlo4j.hlo.op.AllReduce;
import org.hlo4j.hlo.op.AllToAll;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.CollectiveBroadcast;
import org.hlo4j.hlo.op.CollectivePermute;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.RaggedAllToAll;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.RecvDone;
import org.hlo4j.hlo.op.ReduceScatter;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.ReplicaId;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.SendDone;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.While;

/** Ops that run computations, reach out of the module, or meet other devices. */
final class ControlExamples {
  /** What waits in the infeed of each device, and what a custom call to {@code twice} doubles. */
  static final Literal FED = Literal.of(21f);

  private static final Participants REPLICAS =
      Participants.replicas(ReplicaGroups.of(new long[] {0, 1}));

  static final ImmutableMap<Class<? extends Op>, Example> TABLE =
      ImmutableMap.ofEntries(
          entry(AfterAll.class, Example.of(XlaBuilder::createToken, Literal.token())),
          entry(
              AllGather.class,
              Example.of(
                  b -> fiveOrSix(b).reshape(1).allGather(0, 2, REPLICAS),
                  Literal.of(ElementType.U32, new int[] {5, 6}))),
          entry(
              AllReduce.class,
              Example.of(b -> fiveOrSix(b).allReduce(XlaOp::mul, REPLICAS), Example.u32(30))),
          entry(
              AllToAll.class,
              Example.of(
                  b -> b.constant(new int[] {1, 2}).allToAll(0, 0, 2, REPLICAS), new int[] {2, 2})),
          entry(
              Call.class,
              Example.of(b -> b.call("f", (body, p) -> p.get(0).neg(), b.constant(3)), -3)),
          entry(
              CollectiveBroadcast.class,
              Example.of(b -> fiveOrSix(b).collectiveBroadcast(REPLICAS), Example.u32(5))),
          entry(
              CollectivePermute.class,
              Example.of(
                  b -> fiveOrSix(b).collectivePermute(Optional.empty(), new long[] {0, 1}),
                  Example.u32(5))),
          entry(
              Conditional.class,
              Example.of(
                  b ->
                      b.conditional(
                          b.constant(false), b.constant(1), x -> x, b.constant(2), x -> x.neg()),
                  -2)),
          entry(
              CustomCall.class,
              Example.of(
                  b ->
                      b.customCall(
                          CustomCallOptions.of("twice", Shape.of(ElementType.F32)),
                          b.constant(FED)),
                  42f)),
          entry(Infeed.class, Example.of(b -> b.infeed(Shape.of(ElementType.F32)), FED)),
          entry(OptBarrier.class, Example.of(b -> b.constant(4).optimizationBarrier(), 4)),
          entry(Outfeed.class, Example.of(b -> b.outfeed(b.constant(1)), Literal.tuple())),
          entry(
              RaggedAllToAll.class,
              Example.of(ControlExamples::raggedAllToAll, new int[] {2, 3, 7, 7, 8})),
          entry(Recv.class, Example.of(ControlExamples::sentAndReceived, 4f)),
          entry(RecvDone.class, Example.of(ControlExamples::sentAndReceived, 4f)),
          entry(
              ReduceScatter.class,
              Example.of(
                  b ->
                      b.constant(new int[] {1, 2})
                          .reduceScatter(XlaOp::add, 0, 2, Participants.allReplicas()),
                  new int[] {4})),
          entry(ReplicaId.class, Example.of(XlaBuilder::replicaId, Example.u32(1))),
          entry(
              Scan.class,
              Example.of(
                  ControlExamples::runningSum,
                  Literal.tuple(Literal.of(new int[] {1, 3, 6}), Literal.of(6)))),
          entry(Send.class, Example.of(ControlExamples::sentAndReceived, 4f)),
          entry(SendDone.class, Example.of(ControlExamples::sentAndReceived, 4f)),
          entry(
              Sort.class,
              Example.of(
                  b -> b.constant(new int[] {3, 1, 2}).sort((x, y) -> x.lt(y), 0),
                  new int[] {1, 2, 3})),
          entry(
              Topk.class,
              Example.of(
                  b -> b.constant(new int[] {1, 9, 4}).topK(2, true),
                  Literal.tuple(Literal.of(new int[] {9, 4}), Literal.of(new int[] {1, 2})))),
          entry(
              While.class,
              Example.of(
                  b ->
                      b.whileLoop(
                          b.constant(0),
                          i -> i.lt(i.builder().constant(5)),
                          i -> i.add(i.builder().constant(2))),
                  6)));

  private ControlExamples() {}

  /** 5 on the first replica, 6 on the second. */
  private static XlaOp fiveOrSix(XlaBuilder b) {
    return b.replicaId().add(b.constant(Example.u32(5)));
  }

  private static XlaOp raggedAllToAll(XlaBuilder b) {
    XlaOp sizes = b.constant(new int[] {2, 2});
    return b.constant(new int[] {1, 2, 3})
        .raggedAllToAll(
            b.constant(new int[] {0, 1}),
            sizes,
            b.constant(new int[] {7, 7, 7, 7, 8}),
            b.constant(new int[] {2, 0}),
            sizes,
            REPLICAS);
  }

  private static XlaOp sentAndReceived(XlaBuilder b) {
    XlaOp sent = b.sendWithToken(b.constant(4f), b.createToken(), 7);
    return b.recvWithToken(sent, Shape.of(ElementType.F32), 7).getTupleElement(0);
  }

  private static XlaOp runningSum(XlaBuilder b) {
    return b.scan(
        List.of(b.constant(new int[] {1, 2, 3})),
        List.of(b.constant(0)),
        (body, p) -> {
          XlaOp sum = p.get(0).add(p.get(1));
          return body.tuple(sum, sum);
        },
        0);
  }
}
