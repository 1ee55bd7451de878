package org.hlo4j.hlo.text;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.U32;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Aliasing;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.While;
import org.junit.jupiter.api.Test;

/** Attributes and called computations as XLA itself prints them. */
final class InstructionTextTest {
  private static final Shape.Array V = Shape.of(F32, 2);
  private static final HloInstruction X = parameter("v", V);
  private static final HloComputation A = identity("a");
  private static final HloComputation B = identity("b");

  private static HloInstruction parameter(String name, Shape shape) {
    return HloInstruction.of(name, new Parameter(0, shape));
  }

  private static HloComputation identity(String name) {
    HloInstruction p = parameter(name + "_p", V);
    return HloComputation.create(name, List.of(p), p);
  }

  private static void prints(String text, Op op, Shape shape, HloComputation... called) {
    prints(text, op, shape, Map.of(), called);
  }

  private static void prints(
      String text, Op op, Shape shape, Map<String, String> attributes, HloComputation... called) {
    Metadata metadata = Metadata.at(new SourceLine("M.java", 3));
    HloInstruction instruction =
        HloInstruction.create(
            "i", op, List.of(X), ImmutableList.copyOf(called), shape, metadata, attributes);
    HloComputation entry = HloComputation.create("entry", List.of(X, instruction), instruction);
    String full = Printer.print(HloModule.create("m", entry));
    String line = full.lines().filter(l -> l.contains("%i = ")).findFirst().orElseThrow();
    assertThat(line)
        .isEqualTo(
            "  ROOT %i = "
                + text.replace("METADATA", "metadata={source_file=\"M.java\" source_line=3}"));
  }

  @Test
  void calledComputations() {
    prints("f32[2]{0} while(%v), condition=%a, body=%b, METADATA", new While(), V, A, B);
    prints(
        "f32[2]{0} conditional(%v), true_computation=%a, false_computation=%b, METADATA",
        new Conditional(PRED), V, A, B);
    prints(
        "f32[2]{0} conditional(%v), branch_computations={%a, %b}, METADATA",
        new Conditional(S32), V, A, B);
    prints(
        "f32[2]{0} conditional(%v), branch_computations={%a}, METADATA",
        new Conditional(S32), V, A);
    prints(
        "f32[2]{0} sort(%v), dimensions={0}, is_stable=true, to_apply=%a, METADATA",
        new Sort(0, true), V, A);
    prints("f32[2]{0} sort(%v), dimensions={0}, to_apply=%a, METADATA", new Sort(0, false), V, A);
    prints("f32[2]{0} call(%v), to_apply=%a, METADATA", new Call(), V, A);
    prints(
        "f32[2]{0} call(%v), to_apply=%a, is_composite=true,"
            + " frontend_attributes={composite.name=\"n\"}, METADATA",
        new Call(true), V, Map.of("frontend_attributes", "{composite.name=\"n\"}"), A);
    prints(
        "f32[2]{0} scan(%v), dimensions={0}, num_carries=1, is_reverse=true, is_associative=true,"
            + " to_apply=%a, METADATA",
        new Scan(Dims.of(0), 1, true, true), V, A);
    prints(
        "f32[2]{0} scan(%v), dimensions={0}, num_carries=1, is_associative=false, to_apply=%a,"
            + " METADATA",
        new Scan(Dims.of(0), 1, false, false), V, A);
    prints(
        "f32[2]{0} fusion(%v), kind=kLoop, output_to_operand_aliasing={{0}: (0, {}), {1}: (0, {})},"
            + " calls=%a, METADATA",
        new Fusion(
            Fusion.Kind.LOOP,
            ImmutableList.of(
                new Aliasing(Dims.of(0), 0, Dims.of()), new Aliasing(Dims.of(1), 0, Dims.of()))),
        V,
        A);
    prints(
        "f32[2]{0} async-start(%v), async_execution_thread=\"t\", calls=%a, METADATA",
        new AsyncStart(V, "t"), V, A);
    prints(
        "f32[2]{0} async-start(%v), output_to_operand_aliasing={{1}: (0, {})}, calls=%a, METADATA",
        new AsyncStart(V, "", ImmutableList.of(new Aliasing(Dims.of(1), 0, Dims.of()))), V, A);
  }

  @Test
  void customCalls() {
    prints(
        "f32[2]{0} custom-call(%v), custom_call_target=\"foo\", METADATA,"
            + " backend_config=\"hi\\\"there\"",
        new CustomCall(V, "foo"), V, Map.of("backend_config", "\"hi\\\"there\""));
    Op all =
        new CustomCall(
            V,
            "foo",
            Optional.of(ImmutableList.of(V.withLayout(Layout.rowMajor(1)))),
            true,
            Optional.of(Literal.of(new int[] {1, 2})),
            ImmutableList.of(new Aliasing(Dims.of(), 0, Dims.of())),
            CustomCall.Schedule.SCHEDULE_LATEST,
            CustomCall.ApiVersion.API_VERSION_STATUS_RETURNING);
    prints(
        "f32[2]{0} custom-call(%v), custom_call_target=\"foo\","
            + " operand_layout_constraints={f32[2]{0}}, custom_call_has_side_effect=true,"
            + " literal=s32[2]{0} {1, 2}, output_to_operand_aliasing={{}: (0, {})},"
            + " schedule=SCHEDULE_LATEST, api_version=API_VERSION_STATUS_RETURNING,"
            + " called_computations={%a, %b}, METADATA",
        all, V, A, B);
  }

  @Test
  void transfers() {
    prints("f32[2]{0} topk(%v), k=1, largest=false, METADATA", new Topk(1, false), V);
    prints("f32[2]{0} infeed(%v), infeed_config=\"abc\", METADATA", new Infeed(V, "abc"), V);
    prints("f32[2]{0} infeed(%v), METADATA", new Infeed(V, ""), V);
    prints(
        "f32[2]{0} outfeed(%v), outfeed_shape=f32[2]{0}, outfeed_config=\"abc\", METADATA",
        new Outfeed(V, "abc"), V);
    prints(
        "f32[2]{0} send(%v), channel_id=2, is_host_transfer=true, METADATA", new Send(2, true), V);
    prints("f32[2]{0} recv(%v), channel_id=1, METADATA", new Recv(V, 1, false), V);
    prints(
        "u32[] copy-start(%v), cross_program_prefetch_index=0, METADATA",
        new CopyStart(Optional.of(0)), Shape.of(U32));
    prints(
        "f32[2]{0} domain(%v), domain={kind=\"sharding\", entry={maximal device=0},"
            + " exit={replicated}}, METADATA",
        new Domain(new Domain.Border("sharding", "{maximal device=0}", "{replicated}")), V);
  }

  @Test
  void attributesCommonToAllOps() {
    prints(
        "f32[2]{0} copy(%v), window={size=3}, sharding={replicated}, frontend_attributes={a=\"b\"},"
            + " control-predecessors={%v}, statistics={a=1}, origin={{\"v\"}}, METADATA,"
            + " backend_config={\"n\":\"3\"}",
        new Copy(),
        V,
        ImmutableMap.of(
            "backend_config", "{\"n\":\"3\"}",
            "origin", "{{\"v\"}}",
            "statistics", "{a=1}",
            "control-predecessors", "{%v}",
            "frontend_attributes", "{a=\"b\"}",
            "sharding", "{replicated}",
            "window", "{size=3}"));
  }
}
