package org.hlo4j.hlo.ir;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.AddDependency;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.AllGatherDone;
import org.hlo4j.hlo.op.AllReduceDone;
import org.hlo4j.hlo.op.AsyncDone;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectivePermuteDone;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.CopyDone;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.External;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.HigherOrder;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Pointwise;
import org.hlo4j.hlo.op.RecvDone;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Routine;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.SendDone;
import org.hlo4j.hlo.op.Sizing;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/**
 * The rule that ops that only forward values keep their layouts. An array without a layout has the
 * default one. Source of the list of ops: the shape check of XLA's verifier when it is sensitive to
 * layouts.
 */
final class LayoutRules {
  private LayoutRules() {}

  static void check(HloInstruction instruction) {
    handedOn(instruction)
        .ifPresent(want -> requireSame(instruction, "result", instruction.shape(), want));
    switch (instruction.op()) {
      case While op -> {
        instruction.called().forEach(called -> checkArguments(instruction, called));
        requireSame(
            instruction,
            "root of body",
            instruction.called().get(1).root().shape(),
            instruction.shape());
      }
      case Call op -> checkArguments(instruction, instruction.called().get(0));
      case Conditional op -> {
        for (HloComputation branch : instruction.called()) {
          requireSame(
              instruction, "root of " + branch.name(), branch.root().shape(), instruction.shape());
        }
      }
      case Collective _,
          CollectiveStart _,
          Contraction _,
          External _,
          HigherOrder _,
          Movement _,
          ForwardingOp _,
          Pointwise _,
          Routine _,
          Sizing _ -> {}
    }
  }

  /**
   * Returns the shape of the forwarded value; empty if the instruction is not one that only
   * forwards.
   */
  private static Optional<Shape> handedOn(HloInstruction instruction) {
    ImmutableList<HloInstruction> operands = instruction.operands();
    return switch (instruction.op()) {
      case GetTupleElement op ->
          Optional.of(((Shape.Tuple) operands.get(0).shape()).elements().get(op.index()));
      case Tuple op ->
          Optional.of(
              new Shape.Tuple(
                  operands.stream()
                      .map(HloInstruction::shape)
                      .collect(ImmutableList.toImmutableList())));
      case OptBarrier op -> Optional.of(operands.get(0).shape());
      case DynamicUpdateSlice op -> Optional.of(operands.get(0).shape());
      case While op -> Optional.of(operands.get(0).shape());
      case Call op -> Optional.of(instruction.called().get(0).root().shape());
      case AddDependency _,
          AfterAll _,
          AllGatherDone _,
          AllReduceDone _,
          AsyncDone _,
          AsyncStart _,
          AsyncUpdate _,
          Bitcast _,
          Broadcast _,
          Collective _,
          CollectivePermuteDone _,
          CollectiveStart _,
          Concatenate _,
          Conditional _,
          Constant _,
          Contraction _,
          Copy _,
          CopyDone _,
          CopyStart _,
          Domain _,
          DynamicSlice _,
          External _,
          Fusion _,
          Gather _,
          HigherOrder _,
          Infeed _,
          Iota _,
          Outfeed _,
          Pad _,
          Parameter _,
          Pointwise _,
          RecvDone _,
          Reshape _,
          Reverse _,
          Routine _,
          Send _,
          SendDone _,
          Sizing _,
          Slice _,
          Transpose _ ->
          Optional.empty();
    };
  }

  private static void checkArguments(HloInstruction instruction, HloComputation called) {
    for (int i = 0; i < called.parameters().size(); i++) {
      requireSame(
          instruction,
          "parameter " + i + " of " + called.name(),
          called.parameters().get(i).shape(),
          instruction.operands().get(i).shape());
    }
  }

  private static void requireSame(HloInstruction instruction, String what, Shape got, Shape want) {
    require(
        got.withDefaultLayout().equals(want.withDefaultLayout()),
        "",
        "%s: layout of the %s got %s, want %s",
        instruction.op().opcode(),
        what,
        got.withDefaultLayout(),
        want.withDefaultLayout());
  }
}
