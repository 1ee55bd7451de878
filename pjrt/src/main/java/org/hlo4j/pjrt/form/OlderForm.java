package org.hlo4j.pjrt.form;

import com.google.common.collect.Maps;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.ModuleCopy;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.stablehlo.vhlo.Version;

/**
 * A module in forms that older readers know: groups of devices as lists instead of axes of a mesh,
 * which an older reader of HloModuleProto would take for none, and no wanted accuracies, which
 * change no result, for versions of StableHLO without them.
 */
final class OlderForm extends ModuleCopy {
  private static final Version ACCURACIES = new Version(1, 10, 0);
  private static final String ACCURACY = "result_accuracy";

  private final boolean hasAccuracies;

  private OlderForm(boolean hasAccuracies) {
    this.hasAccuracies = hasAccuracies;
  }

  /** Returns the module for readers of a version. */
  static HloModule of(HloModule module, Version version) {
    return new OlderForm(!version.isBefore(ACCURACIES)).copy(module);
  }

  @Override
  protected void write(
      HloComputation computation, HloInstruction instruction, List<HloInstruction> to) {
    HloInstruction updated = updated(instruction);
    Op op = OpSchema.with(updated.op(), (name, value) -> older(value));
    replace(
        instruction,
        hasAccuracies || !updated.attributes().containsKey(ACCURACY)
            ? op.equals(updated.op()) ? updated : updated.withOp(op, updated.shape())
            : withoutAccuracy(updated, op),
        to);
  }

  private static HloInstruction withoutAccuracy(HloInstruction instruction, Op op) {
    Map<String, String> others =
        Maps.filterKeys(instruction.attributes(), name -> !name.equals(ACCURACY));
    return HloInstruction.create(
            instruction.name(),
            op,
            instruction.operands(),
            instruction.called(),
            instruction.shape(),
            instruction.metadata(),
            others)
        .withSharding(instruction.sharding())
        .withUnknownFields(instruction.unknownFields());
  }

  private static Object older(Object attribute) {
    return attribute instanceof ReplicaGroups groups
            && groups.form() instanceof ReplicaGroups.Form.MeshAxes
        ? ReplicaGroups.of(groups.groups())
        : attribute;
  }
}
