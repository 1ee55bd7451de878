package org.hlo4j.interpreter.devices;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.U32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.SendDone;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Transfers;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Queues when several devices run: each has its own, and pairs send from one to another. */
@ParameterizedClass
@EnumSource(Evaluators.class)
final class DeviceTransfersTest {
  @Parameter private Evaluators evaluators = Evaluators.REFERENCE;

  private final XlaBuilder b = new XlaBuilder("m");
  private final Transfers transfers = Transfers.create();

  private List<Literal> run(HloModule module, int replicas, int partitions) {
    DeviceGrid grid = new DeviceGrid(replicas, partitions);
    EvaluatorOptions options = EvaluatorOptions.builder().transfers(transfers).build();
    return evaluators
        .alone(options)
        .runOnDevices(module, grid, Collections.nCopies(grid.deviceCount(), List.<Literal>of()));
  }

  private String refusal(HloModule module, int replicas, int partitions) {
    return assertThrows(HloException.class, () -> run(module, replicas, partitions)).summary();
  }

  private static Literal f(float value) {
    return Literal.of(value);
  }

  @Test
  void eachDeviceIsFedFromItsOwnQueue() {
    b.infeed(Shape.of(F32)).sub(b.infeed(Shape.of(F32)));
    HloModule module = b.build();
    for (int again = 0; again < 20; again++) {
      transfers.feedIn(f(10), f(1)).feedInto(2, f(30), f(3)).feedInto(1, f(20), f(2));
      assertThat(run(module, 3, 1)).containsExactly(f(9), f(18), f(27)).inOrder();
    }
  }

  @Test
  void aDeviceWhoseQueueIsEmptyIsRefusedWhateverOthersHave() {
    b.infeed(Shape.of(F32));
    HloModule module = b.build();
    transfers.feedIn(f(1), f(2));
    assertThat(refusal(module, 2, 1))
        .isEqualTo("infeed got nothing, want f32[] by Transfers.feedInto(1, ...)");
  }

  @Test
  void whatIsFedOutIsInOrderOfTheDevices() {
    XlaOp id = b.replicaId();
    b.outfeed(id);
    b.outfeed(id.add(b.constant(U32, 100)));
    HloModule module = b.build();
    for (int again = 0; again < 20; again++) {
      run(module, 3, 1);
      assertThat(transfers.takeFedOut().stream().map(value -> value.getLong()))
          .containsExactly(0L, 100L, 1L, 101L, 2L, 102L)
          .inOrder();
    }
    run(module, 3, 1);
    assertThat(transfers.takeFedOut(1).stream().map(value -> value.getLong()))
        .containsExactly(1L, 101L)
        .inOrder();
  }

  @Test
  void theHostSendsToADeviceAndReceivesFromIt() {
    XlaOp received = b.recvFromHost(b.createToken(), Shape.of(S32), 2).getTupleElement(0);
    b.sendToHost(received.add(received), b.createToken(), 3);
    HloModule module = b.build();
    transfers.sendTo(1, 2, Literal.of(10)).send(2, Literal.of(20));
    run(module, 2, 1);
    assertThat(transfers.takeSent(1, 3)).containsExactly(Literal.of(20));
    assertThat(transfers.takeSent(3)).containsExactly(Literal.of(40));
  }

  @Test
  void withoutPairsADeviceReceivesWhatItHasSent() {
    XlaOp sent = b.sendWithToken(b.replicaId(), b.createToken(), 7);
    b.recvWithToken(sent, Shape.of(U32), 7).getTupleElement(0);
    assertThat(run(b.build(), 3, 1).stream().map(value -> value.getLong()))
        .containsExactly(0L, 1L, 2L)
        .inOrder();
  }

  /** Each sends its number on; twice, the second time plus 100. */
  private HloModule ring(long[][] pairs) {
    XlaOp token = b.createToken();
    XlaOp id = b.replicaId();
    XlaOp first = b.sendWithToken(id, token, 7, pairs);
    b.sendWithToken(id.add(b.constant(U32, 100)), first, 7, pairs);
    XlaOp one = b.recvWithToken(token, Shape.of(U32), 7, pairs);
    XlaOp two = b.recvWithToken(one.getTupleElement(1), Shape.of(U32), 7, pairs);
    return b.build(b.tuple(one.getTupleElement(0), two.getTupleElement(0)));
  }

  private static Literal pair(int first, int second) {
    return Literal.tuple(Literal.of(U32, first), Literal.of(U32, second));
  }

  @Test
  void pairsSendFromDeviceToDeviceInOrder() {
    HloModule module = ring(new long[][] {{0, 1}, {1, 2}, {2, 0}});
    for (int again = 0; again < 20; again++) {
      assertThat(run(module, 3, 1))
          .containsExactly(pair(2, 102), pair(0, 100), pair(1, 101))
          .inOrder();
    }
    assertThat(transfers.takeSent(7)).isEmpty();
    assertThat(Printer.print(module))
        .contains("frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,2},{2,0}}}");
  }

  /**
   * Device 1 is always the first to send to device 2, since device 0 waits for it; device 2 takes
   * the value of device 0 first.
   */
  @Test
  void valuesOfTwoSourcesOnOneChannelAreNotMixedUp() {
    XlaOp id = b.replicaId();
    XlaOp one = b.sendWithToken(id, b.createToken(), 7, new long[][] {{1, 2}});
    XlaOp go = b.sendWithToken(id, one, 8, new long[][] {{1, 0}});
    XlaOp gone = b.recvWithToken(go, Shape.of(U32), 8, new long[][] {{1, 0}});
    XlaOp zero = b.sendWithToken(id, gone.getTupleElement(1), 7, new long[][] {{0, 2}});
    XlaOp ofZero = b.recvWithToken(zero, Shape.of(U32), 7, new long[][] {{0, 2}});
    XlaOp ofOne =
        b.recvWithToken(ofZero.getTupleElement(1), Shape.of(U32), 7, new long[][] {{1, 2}});
    HloModule module = b.build(b.tuple(ofZero.getTupleElement(0), ofOne.getTupleElement(0)));
    assertThat(run(module, 3, 1)).containsExactly(pair(0, 0), pair(0, 0), pair(0, 1)).inOrder();
  }

  @Test
  void aDeviceThatIsNoTargetGetsZeros() {
    assertThat(run(ring(new long[][] {{0, 1}}), 3, 1))
        .containsExactly(pair(0, 0), pair(0, 100), pair(0, 0))
        .inOrder();
  }

  @Test
  void pairsOfPartitionsStayInTheirReplica() {
    XlaOp token = b.createToken();
    long[][] pairs = {{0, 1}};
    b.sendWithToken(b.replicaId(), token, 7, pairs);
    b.recvWithToken(token, Shape.of(U32), 7, pairs).getTupleElement(0);
    assertThat(run(b.build(), 2, 2).stream().map(value -> value.getLong()))
        .containsExactly(0L, 0L, 0L, 1L)
        .inOrder();
  }

  @Test
  void aDeviceThatWaitsForNothingIsRefused() {
    long[][] pairs = {{0, 1}};
    b.recvWithToken(b.createToken(), Shape.of(F32), 7, pairs);
    assertThat(refusal(b.build(), 2, 1))
        .isEqualTo(
            "run: devices wait for others that do not come: device 1 at recv-done for device 0");
  }

  @Test
  void devicesThatWaitForEachOtherAreRefused() {
    long[][] pairs = {{0, 1}, {1, 0}};
    XlaOp received = b.recvWithToken(b.createToken(), Shape.of(F32), 7, pairs);
    b.sendWithToken(b.constant(1f), received.getTupleElement(1), 7, pairs);
    assertThat(refusal(b.build(), 2, 1))
        .isEqualTo(
            "run: devices wait for others that do not come: device 0 at recv-done for device 1;"
                + " device 1 at recv-done for device 0");
  }

  @Test
  void aValueOfAnotherShapeIsRefused() {
    long[][] pairs = {{0, 1}};
    XlaOp sent = b.sendWithToken(b.constant(1), b.createToken(), 7, pairs);
    b.recvWithToken(sent, Shape.of(F32), 7, pairs);
    assertThat(refusal(b.build(), 2, 1)).isEqualTo("recv: channel 7 got s32[], want f32[]");
  }

  @Test
  void pairsThatDoNotSuitTheGrid() {
    assertThat(refusal(ring(new long[][] {{0, 2}}), 2, 1))
        .isEqualTo(
            "run: send: _xla_send_recv_source_target_pairs got 2, want below 2, as there are"
                + " DeviceGrid[replicas=2, partitions=1]");
  }

  @Test
  void pairsThatAreNone() {
    assertThat(assertThrows(HloException.class, () -> ring(new long[][] {{0, 1, 2}})).summary())
        .isEqualTo(
            "send/recv: source_target_pairs got [[0, 1, 2]], want pairs of a source and a target");
    XlaBuilder twice = new XlaBuilder("twice");
    twice.recvWithToken(twice.createToken(), Shape.of(F32), 7, new long[][] {{0, 1}, {1, 1}});
    assertThat(refusal(twice.build(), 2, 1))
        .isEqualTo(
            "run: recv-done: _xla_send_recv_source_target_pairs got {{0,1},{1,1}}, want no source"
                + " and no target twice");
    assertThat(refusal(sendWith("{_xla_send_recv_source_target_pairs={{0}}}"), 2, 1))
        .isEqualTo(
            "run: send: _xla_send_recv_source_target_pairs got {{0}}, want pairs such as"
                + " {{0,1},{1,2}}");
  }

  private static HloModule sendWith(String frontendAttributes) {
    HloInstruction token = HloInstruction.of("token", new AfterAll());
    HloInstruction one = HloInstruction.of("one", new Constant(Literal.of(1)));
    Send op = new Send(7, false);
    HloInstruction send =
        HloInstruction.create(
            "send",
            op,
            List.of(one, token),
            List.of(),
            op.infer(one.shape(), token.shape()),
            Metadata.NONE,
            Map.of("frontend_attributes", frontendAttributes));
    HloInstruction done = HloInstruction.of("done", new SendDone(7, false), send);
    return HloModule.create("m", HloComputation.create("m", List.of(token, one, send, done), done));
  }

  @Test
  void whatNobodyTakesIsLimited() {
    long[][] pairs = {{0, 0}};
    b.whileLoop(
        b.constant(0),
        i -> i.builder().constant(true),
        i -> {
          XlaBuilder body = i.builder();
          body.sendWithToken(i, body.createToken(), 7, pairs);
          return i.add(i);
        });
    EvaluatorOptions options = EvaluatorOptions.builder().maxBytes(10_000).build();
    HloModule module = b.build();
    HloException refusal =
        assertThrows(HloException.class, () -> evaluators.alone(options).run(module));
    assertThat(refusal.summary())
        .isEqualTo("run: 132 bytes beside the 9900 waiting in queues, want at most 10000 together");
  }

  /** What the user has put there does not make room for more. */
  @Test
  void whatARunReceivesFromTheUserIsNotTakenFromTheLimit() {
    XlaOp token = b.createToken();
    XlaOp sent = b.sendToHost(b.constant(new int[2000]), token, 3);
    XlaOp received = b.recvFromHost(sent, Shape.of(S32, 2000), 2);
    b.sendToHost(b.constant(new int[2000]), received.getTupleElement(1), 3);
    transfers.send(2, Literal.of(new int[2000]));
    EvaluatorOptions options =
        EvaluatorOptions.builder().maxBytes(16_200).transfers(transfers).build();
    HloModule module = b.build();
    HloException refusal =
        assertThrows(HloException.class, () -> evaluators.alone(options).run(module));
    assertThat(refusal.summary())
        .isEqualTo(
            "run: 8128 bytes beside the 8128 waiting in queues, want at most 16200 together");
  }

  @Test
  @SuppressWarnings("NullAway") // bad input on purpose
  void nothingIsNoValue() {
    assertThat(refusalOf(() -> transfers.feedIn(f(1), null)))
        .isEqualTo("transfers: feed is null, want a literal");
    assertThat(refusalOf(() -> transfers.feedIn((Literal[]) null)))
        .isEqualTo("transfers: feed is null, want literals");
    assertThat(refusalOf(() -> transfers.send(1, null)))
        .isEqualTo("transfers: send is null, want a literal");
    b.infeed(Shape.of(F32));
    assertThat(refusal(b.build(), 1, 1))
        .isEqualTo("infeed got nothing, want f32[] by Transfers.feedIn");
  }

  private static String refusalOf(Executable call) {
    return assertThrows(HloException.class, call).summary();
  }

  @Test
  void negativeDevices() {
    assertThat(assertThrows(HloException.class, () -> transfers.feedInto(-1, f(1))).summary())
        .isEqualTo("transfers: device got -1, want at least 0");
  }
}
