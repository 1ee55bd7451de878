package org.hlo4j.pjrt.form;

import com.google.common.collect.Maps;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.AllGather;
import org.hlo4j.hlo.op.AllGatherStart;
import org.hlo4j.hlo.op.AllReduce;
import org.hlo4j.hlo.op.AllReduceStart;
import org.hlo4j.hlo.op.AllToAll;
import org.hlo4j.hlo.op.CollectiveBroadcast;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.RaggedAllToAll;
import org.hlo4j.hlo.op.ReduceScatter;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.stablehlo.vhlo.Version;

/**
 * A module in forms that older readers know: groups of devices as lists instead of axes of a mesh,
 * which an older reader of HloModuleProto would take for none, and no wanted accuracies, which
 * change no result, for versions of StableHLO without them.
 */
final class OlderForm {
  private static final Version ACCURACIES = new Version(1, 10, 0);
  private static final String ACCURACY = "result_accuracy";

  private final boolean hasAccuracies;

  private OlderForm(boolean hasAccuracies) {
    this.hasAccuracies = hasAccuracies;
  }

  /** Returns the module for readers of a version. */
  static HloModule of(HloModule module, Version version) {
    OlderForm form = new OlderForm(!version.isBefore(ACCURACIES));
    boolean isKnown =
        module.computations().stream()
            .flatMap(computation -> computation.instructions().stream())
            .allMatch(form::isKnown);
    return isKnown ? module : Edited.of(module, form::edited);
  }

  private boolean isKnown(HloInstruction instruction) {
    return older(instruction.op()) == instruction.op()
        && (hasAccuracies || !instruction.attributes().containsKey(ACCURACY));
  }

  private HloInstruction edited(HloInstruction instruction) {
    return HloInstruction.create(
            instruction.name(),
            older(instruction.op()),
            instruction.operands(),
            instruction.called(),
            instruction.shape(),
            instruction.metadata(),
            Maps.filterKeys(
                instruction.attributes(), name -> hasAccuracies || !name.equals(ACCURACY)))
        .withSharding(instruction.sharding())
        .withUnknownFields(instruction.unknownFields());
  }

  private static Op older(Op op) {
    return switch (op) {
      case AllGather(var channel, ReplicaGroups groups, var layout, var dims, var global, var to)
          when isMesh(groups) ->
          new AllGather(channel, lists(groups), layout, dims, global, to);
      case AllReduce(var channel, ReplicaGroups groups, var layout, var global)
          when isMesh(groups) ->
          new AllReduce(channel, lists(groups), layout, global);
      case AllToAll(var channel, ReplicaGroups groups, var layout, var dims) when isMesh(groups) ->
          new AllToAll(channel, lists(groups), layout, dims);
      case CollectiveBroadcast(var channel, ReplicaGroups groups) when isMesh(groups) ->
          new CollectiveBroadcast(channel, lists(groups));
      case RaggedAllToAll(var channel, ReplicaGroups groups) when isMesh(groups) ->
          new RaggedAllToAll(channel, lists(groups));
      case ReduceScatter(
              var channel,
              ReplicaGroups groups,
              var layout,
              var global,
              var dims,
              var to)
          when isMesh(groups) ->
          new ReduceScatter(channel, lists(groups), layout, global, dims, to);
      case AllGatherStart(
              var channel,
              ReplicaGroups groups,
              var layout,
              var dims,
              var global,
              var to)
          when isMesh(groups) ->
          new AllGatherStart(channel, lists(groups), layout, dims, global, to);
      case AllReduceStart(var channel, ReplicaGroups groups, var layout, var global)
          when isMesh(groups) ->
          new AllReduceStart(channel, lists(groups), layout, global);
      default -> op;
    };
  }

  private static boolean isMesh(ReplicaGroups groups) {
    return groups.form() instanceof ReplicaGroups.Form.MeshAxes;
  }

  private static ReplicaGroups lists(ReplicaGroups groups) {
    return ReplicaGroups.of(groups.groups());
  }
}
