package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.builder.Composite;
import org.hlo4j.builder.CustomCallOptions;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Instructions built for loops, branches, sorts, calls and transfers, and their errors. */
final class ControlFlowTest {
  private final XlaBuilder b = new XlaBuilder("m");
  private final XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");

  private static void refused(String message, Executable call) {
    assertThat(assertThrows(HloException.class, call).summary()).isEqualTo(message);
  }

  private String entry() {
    HloModule module = b.build();
    Verifier.strict().verify(module);
    String text = Printer.print(module, PrintOptions.SHORT);
    return text.substring(text.indexOf("ENTRY"));
  }

  @Test
  void whileLoop() {
    b.whileLoop(x, s -> s.builder().constant(false), s -> s.add(s));
    assertThat(entry())
        .isEqualTo(
            """
            ENTRY m {
              x = f32[2,3] parameter(0)
              ROOT while = f32[2,3] while(x), condition=condition, body=body
            }
            """);
  }

  @Test
  void invalidWhileLoops() {
    refused(
        "while: result of condition got f32[2,3], want pred[]",
        () -> b.whileLoop(x, s -> s, s -> s));
    refused(
        "while: result of body got f32[3,2], want f32[2,3]",
        () -> b.whileLoop(x, s -> s.builder().constant(true), s -> s.transpose(1, 0)));
    HloException outer =
        assertThrows(
            HloException.class, () -> b.whileLoop(x, s -> s.builder().constant(true), s -> x));
    assertThat(outer.summary())
        .isEqualTo(
            "x got from builder m, want an op of builder body.2: a computation sees its parameters"
                + " and scalar constants only, make it an element of the loop's state:"
                + " whileLoop(tuple(init, value), …)");
    assertThat(outer.facts().get(outer.facts().size() - 1).text())
        .startsWith("at ControlFlowTest.java:");
  }

  @Test
  void scalarConstantsAreCopiedIntoRegions() {
    XlaOp ten = b.constant(10);
    XlaOp one = b.constant(1);
    b.whileLoop(b.constant(0), i -> i.lt(ten), i -> one.add(i).add(one));
    assertThat(Texts.built(b))
        .isEqualTo(
            """
            condition {
              p0 = s32[] parameter(0)
              constant.3 = s32[] constant(10)
              ROOT compare = pred[] compare(p0, constant.3), direction=LT
            }

            body {
              p0.1 = s32[] parameter(0)
              constant.4 = s32[] constant(1)
              add = s32[] add(constant.4, p0.1)
              ROOT add.1 = s32[] add(add, constant.4)
            }

            ENTRY m {
              x = f32[2,3] parameter(0)
              constant = s32[] constant(10)
              constant.1 = s32[] constant(1)
              constant.2 = s32[] constant(0)
              ROOT while = s32[] while(constant.2), condition=condition, body=body
            }
            """);
  }

  /** At any depth, as either operand, as the result, and where a broadcast is needed. */
  @Test
  void scalarConstantsAreCopiedIntoNestedRegions() {
    XlaOp two = b.constant(2f);
    XlaOp no = b.constant(false);
    b.call(
        "outer",
        (outer, p) -> {
          XlaOp chosen = no.select(p.get(0), two.div(p.get(0)));
          XlaOp clamped = two.clamp(two, chosen.reduceAll(two, XlaOp::add));
          return outer.call("inner", (inner, q) -> two, clamped);
        },
        x);
    assertThat(Texts.built(b))
        .isEqualTo(
            """
            region {
              p0.1 = f32[] parameter(0)
              p1 = f32[] parameter(1)
              ROOT add = f32[] add(p0.1, p1)
            }

            inner {
              p0.2 = f32[] parameter(0)
              ROOT constant.4 = f32[] constant(2)
            }

            outer {
              p0 = f32[2,3] parameter(0)
              constant.2 = f32[] constant(2)
              broadcast = f32[2,3] broadcast(constant.2), dimensions={}
              divide = f32[2,3] divide(broadcast, p0)
              constant.3 = pred[] constant(false)
              broadcast.1 = pred[2,3] broadcast(constant.3), dimensions={}
              select = f32[2,3] select(broadcast.1, p0, divide)
              reduce = f32[] reduce(select, constant.2), dimensions={0,1}, to_apply=region
              clamp = f32[] clamp(constant.2, constant.2, reduce)
              ROOT call = f32[] call(clamp), to_apply=inner
            }

            ENTRY m {
              x = f32[2,3] parameter(0)
              constant = f32[] constant(2)
              constant.1 = pred[] constant(false)
              ROOT call.1 = f32[] call(x), to_apply=outer
            }
            """);
  }

  @Test
  void conditional() {
    XlaOp index = b.constant(1);
    XlaOp chosen = b.conditional(b.constant(true), x, t -> t.neg(), x, f -> f);
    b.conditional(index, ImmutableList.of(p -> p, p -> p.add(p)), List.of(chosen, x));
    assertThat(entry())
        .isEqualTo(
            """
            ENTRY m {
              x = f32[2,3] parameter(0)
              constant = s32[] constant(1)
              constant.1 = pred[] constant(true)
              conditional = f32[2,3] conditional(constant.1, x, x), true_computation=true_computation, false_computation=false_computation
              ROOT conditional.1 = f32[2,3] conditional(constant, conditional, x), branch_computations={branch, branch.1}
            }
            """);
  }

  @Test
  void invalidConditionals() {
    refused(
        "conditional: index got s32[], want pred[]",
        () -> b.conditional(b.constant(1), x, t -> t, x, f -> f));
    refused(
        "conditional: operand count got 2, want one for each of the 1 branches",
        () -> b.conditional(b.constant(1), ImmutableList.of(p -> p), List.of(x, x)));
    refused(
        "conditional: branch count got 0, want at least 1",
        () -> b.conditional(b.constant(1), ImmutableList.of(), List.of()));
  }

  @Test
  void sortsAlongTheLastDimensionByDefault() {
    b.tuple(
        x.sort((p, q) -> p.lt(q), -1),
        b.sort(List.of(x, x), (body, p) -> p.get(0).lt(p.get(1)), 0, false),
        x.topK(2, true),
        x.optimizationBarrier());
    assertThat(entry())
        .isEqualTo(
            """
            ENTRY m {
              x = f32[2,3] parameter(0)
              sort = f32[2,3] sort(x), dimensions={1}, is_stable=true, to_apply=comparator
              sort.1 = (f32[2,3], f32[2,3]) sort(x, x), dimensions={0}, to_apply=comparator.1
              topk = (f32[2,2], s32[2,2]) topk(x), k=2, largest=true
              opt-barrier = f32[2,3] opt-barrier(x)
              ROOT tuple = (f32[2,3], (f32[2,3], f32[2,3]), (f32[2,2], s32[2,2]), f32[2,3]) tuple(sort, sort.1, topk, opt-barrier)
            }
            """);
    XlaBuilder other = new XlaBuilder("o");
    XlaOp v = other.parameter(0, Shape.of(F32, 3), "v");
    refused(
        "sort: dimensions got (1), want one dimension of f32[3]",
        () -> v.sort((p, q) -> p.lt(q), 1));
    refused(
        "sort: operand count got 0, want at least 1",
        () -> other.sort(List.of(), (body, p) -> body.constant(true), 0, true));
  }

  @Test
  void scan() {
    XlaOp init = b.zeros(Shape.of(F32, 2));
    b.scan(List.of(x), List.of(init), (body, p) -> body.tuple(p.get(0), p.get(0).add(p.get(1))), 1);
    assertThat(entry())
        .contains(
            "ROOT scan = (f32[2,3], f32[2]) scan(x, broadcast), dimensions={1}, num_carries=1,"
                + " is_associative=false, to_apply=body");
  }

  private static HloComputation identity() {
    XlaBuilder inner = new XlaBuilder("callee");
    return inner.buildComputation(inner.parameter(0, Shape.of(F32, 2, 3), "p"));
  }

  @Test
  void compositeCall() {
    Composite composite = Composite.of("my.op").withAttributes("{n = 1 : i32}").withVersion(2);
    b.compositeCall(composite, identity(), x);
    assertThat(entry())
        .contains(
            "call(x), to_apply=callee, is_composite=true,"
                + " frontend_attributes={composite.attributes={n = 1 : i32},"
                + "composite.name=\"my.op\",composite.version=\"2\"}");
    refused("composite: name got \"\", want a name", () -> Composite.of(""));
    refused(
        "composite: attributes got n, want them in braces", () -> composite.withAttributes("n"));
    refused("composite: version got -1, want at least 0", () -> composite.withVersion(-1));
  }

  @Test
  void compositeCallOfLambda() {
    b.compositeCall(Composite.of("my.negate"), (body, p) -> p.get(0).neg(), x);
    assertThat(entry()).contains("call(x), to_apply=my.negate, is_composite=true,");
  }

  @Test
  void customCall() {
    b.customCall(
        CustomCallOptions.builder("f", Shape.of(S32))
            .opaque("a\"b")
            .hasSideEffect(true)
            .apiVersion(CustomCall.ApiVersion.API_VERSION_TYPED_FFI)
            .computations(identity())
            .build(),
        x);
    assertThat(entry())
        .contains(
            "custom-call(x), custom_call_target=\"f\", custom_call_has_side_effect=true,"
                + " api_version=API_VERSION_TYPED_FFI, called_computations={callee},"
                + " backend_config=\"a\\\"b\"");
    refused(
        "custom-call: target got $f, want a name without $: those are XLA's own",
        () -> CustomCallOptions.of("$f", Shape.of(S32)));
  }

  @Test
  void transfers() {
    XlaOp token = b.createToken();
    XlaOp fed = b.infeedWithToken(token, Shape.of(F32), "c").getTupleElement(1);
    XlaOp out = b.outfeedWithToken(x, fed, Shape.of(F32, 2, 3), "d");
    XlaOp sent = b.sendWithToken(x, b.afterAll(out, token), 1);
    b.recvWithToken(sent, Shape.of(F32, 2, 3), 1);
    assertThat(entry())
        .isEqualTo(
            """
            ENTRY m {
              x = f32[2,3] parameter(0)
              after-all = token[] after-all()
              infeed = (f32[], token[]) infeed(after-all), infeed_config="c"
              get-tuple-element = token[] get-tuple-element(infeed), index=1
              outfeed = token[] outfeed(x, get-tuple-element), outfeed_shape=f32[2,3]{1,0}, outfeed_config="d"
              after-all.1 = token[] after-all(outfeed, after-all)
              send = (f32[2,3], u32[], token[]) send(x, after-all.1), channel_id=1
              send-done = token[] send-done(send), channel_id=1
              recv = (f32[2,3], u32[], token[]) recv(send-done), channel_id=1
              ROOT recv-done = (f32[2,3], token[]) recv-done(recv), channel_id=1
            }
            """);
  }

  @Test
  void invalidTransfers() {
    refused("after-all: token count got 0, want at least 1; a new one by createToken", b::afterAll);
    refused("after-all: operand 0 got f32[2,3], want token[]", () -> b.afterAll(x));
    refused("send: token got f32[2,3], want token[]", () -> b.sendToHost(x, x, 1));
    refused("recv: token got f32[2,3], want token[]", () -> b.recvFromHost(x, x.shape(), 1));
  }
}
