package org.hlo4j.interpreter.devices;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.testing.LiteralSubject.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.builder.CustomCallOptions;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Transfers;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** infeed, outfeed, send, recv and custom-call: what comes in, what goes out, what is refused. */
@ParameterizedClass
@EnumSource(Evaluators.class)
final class TransfersTest {
  @Parameter private Evaluators evaluators = Evaluators.REFERENCE;

  private final XlaBuilder b = new XlaBuilder("m");
  private final Transfers transfers = Transfers.create();

  private Literal run(HloModule module) {
    EvaluatorOptions options = EvaluatorOptions.builder().transfers(transfers).build();
    return evaluators.alone(options).run(module);
  }

  private String refusal(HloModule module) {
    return assertThrows(HloException.class, () -> run(module)).summary();
  }

  @Test
  void infeedTakesValuesInOrder() {
    transfers.feedIn(Literal.of(2f), Literal.of(5f));
    b.infeed(Shape.of(F32)).sub(b.infeed(Shape.of(F32)));

    assertThat(run(b.build())).holds(-3f);
  }

  @Test
  void outfeedGivesValuesInOrder() {
    b.outfeed(b.constant(1));
    b.outfeed(b.constant(2));

    assertThat(run(b.build())).isEqualTo(Literal.tuple());
    assertThat(transfers.takeFedOut()).containsExactly(Literal.of(1), Literal.of(2)).inOrder();
    assertThat(transfers.takeFedOut()).isEmpty();
  }

  @Test
  void whatIsSentIsReceived() {
    XlaOp sent = b.sendWithToken(b.constant(4f), b.createToken(), 7);
    b.recvWithToken(sent, Shape.of(F32), 7).getTupleElement(0);

    assertThat(run(b.build())).holds(4f);
  }

  @Test
  void theHostReceivesAndSends() {
    transfers.send(2, Literal.of(10));
    XlaOp received = b.recvFromHost(b.createToken(), Shape.of(S32), 2).getTupleElement(0);
    b.sendToHost(received.add(received), b.createToken(), 3);

    assertThat(run(b.build())).isEqualTo(Literal.token());
    assertThat(transfers.takeSent(3)).containsExactly(Literal.of(20));
  }

  @Test
  void anEmptyQueueIsRefused() {
    b.infeed(Shape.of(F32, 2));
    assertThat(refusal(b.build())).isEqualTo("infeed got nothing, want f32[2] by Transfers.feedIn");

    XlaBuilder r = new XlaBuilder("r");
    r.recvWithToken(r.createToken(), Shape.of(F32), 9);
    assertThat(refusal(r.build()))
        .isEqualTo("recv: channel 9 got nothing, want f32[] by Transfers.send or a send before it");
  }

  @Test
  void aValueOfAnotherShapeIsRefused() {
    transfers.feedIn(Literal.of(1));
    b.infeed(Shape.of(F32));
    assertThat(refusal(b.build())).isEqualTo("infeed got s32[], want f32[]");
  }

  @Test
  void queuesThatGrowWithoutEndAreRefused() {
    b.whileLoop(
        b.constant(0),
        i -> i.builder().constant(true),
        i -> {
          i.builder().outfeed(i);
          return i.add(i);
        });
    EvaluatorOptions options =
        EvaluatorOptions.builder().transfers(transfers).maxBytes(10_000).build();
    HloModule module = b.build();

    HloException refusal =
        assertThrows(HloException.class, () -> evaluators.alone(options).run(module));
    assertThat(refusal.summary())
        .isEqualTo("run: 132 bytes beside the 9900 waiting in queues, want at most 10000 together");
  }

  @Test
  void customCallRunsTheUsersFunction() {
    CustomCallOptions call =
        CustomCallOptions.builder("twice", Shape.of(F32)).opaque("by \"two\"").build();
    b.customCall(call, b.constant(21f));
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .customCall(
                "twice",
                (instruction, operands) -> {
                  assertThat(instruction.attributes())
                      .containsExactly("backend_config", "\"by \\\"two\\\"\"");
                  return Literal.of((float) (2 * operands.get(0).getDouble()));
                })
            .build();

    assertThat(evaluators.alone(options).run(b.build())).holds(42f);
  }

  @Test
  void unknownTargetsAreRefusedBeforeAnythingRuns() {
    b.outfeed(b.constant(1));
    b.customCall(CustomCallOptions.of("lu", Shape.of(F32)));
    b.customCall(CustomCallOptions.of("eigen", Shape.of(F32)));

    assertThat(refusal(b.build()))
        .isEqualTo("custom-call: no evaluator knows the custom_call_target \"lu\"" + KNOWN);
    assertThat(transfers.takeFedOut()).isEmpty();
  }

  /** Those of libraries are patterns. */
  private static final String KNOWN =
      ", want one of LayoutConstraint, Sharding, xla.sdy.*, annotate_device_placement,"
          + " MoveTo*, Pin, Unpin, CreateBuffer, SPMD*, TopK, Qr,"
          + " ProductOfElementaryHouseholderReflectors, LuDecomposition, Eigh,"
          + " tridiagonal_solve_perturbed_ffi, cpu_csr_sparse_dense_ffi, lapack_*_ffi, cu*, hip*,"
          + " or one registered in Java by EvaluatorOptions.Builder.customCall";

  @Test
  void compileRefusesUnknownTargets() {
    CustomCallOptions twice = CustomCallOptions.of("twice", Shape.of(F32));
    XlaOp x = b.customCall(CustomCallOptions.of("twise", Shape.of(F32)));
    b.tuple(x, b.customCall(twice), b.customCall(CustomCallOptions.of("lu", Shape.of(F32))));
    EvaluatorOptions options =
        EvaluatorOptions.builder().customCall("twice", (call, operands) -> ONE).build();
    HloModule module = b.build();

    HloException refusal =
        assertThrows(HloException.class, () -> evaluators.alone(options).compile(module));
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.UNSUPPORTED);
    assertThat(refusal.instruction()).hasValue("custom-call");
    assertThat(refusal.getMessage().replaceAll("java:\\d+", "java:N"))
        .isEqualTo(
            "custom-call: no evaluator knows the custom_call_target \"twise\" (nearest known name:"
                + " twice)"
                + KNOWN.replace("one of Lay", "one of twice, Lay")
                + "\n  %custom-call = f32[] custom-call()\n"
                + "  at TransfersTest.java:N\n"
                + "  also unknown: lu");
  }

  private static final Literal ONE = Literal.of(1f);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "xla_python_cpu_callback",
        "xla_ffi_python_cpu_callback",
        "xla_ffi_partitioned_python_cpu_callback",
        "xla_ffi_python_gpu_callback"
      })
  void callbacksIntoPython(String target) {
    b.customCall(CustomCallOptions.of(target, Shape.of(F32)));
    HloModule module = b.build();

    assertThat(refusal(module))
        .isEqualTo(
            "custom-call: custom_call_target \""
                + target
                + "\" calls back into Python (jax.debug.print, pure_callback, io_callback): remove"
                + " it before export, or register the name in Java, by"
                + " EvaluatorOptions.Builder.customCall");
    EvaluatorOptions options =
        EvaluatorOptions.builder().customCall(target, (call, operands) -> ONE).build();
    assertThat(evaluators.alone(options).run(module)).holds(1f);
  }

  @Test
  void aResultOfAnotherShapeIsRefused() {
    b.customCall(CustomCallOptions.of("f", Shape.of(F32, 2)));
    EvaluatorOptions options =
        EvaluatorOptions.builder().customCall("f", (call, operands) -> Literal.of(1f)).build();
    HloModule module = b.build();

    HloException refusal =
        assertThrows(HloException.class, () -> evaluators.alone(options).run(module));
    assertThat(refusal.summary()).isEqualTo("custom-call: f gave f32[], want f32[2]");
  }
}
