package org.hlo4j.pjrt.form;

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
final class OlderForm {
  private static final Version ACCURACIES = new Version(1, 10, 0);

  private OlderForm() {}

  /** Returns the module for readers of a version. */
  static HloModule of(HloModule module, Version version) {
    return ModuleCopy.map(module, each -> older(each, version));
  }

  private static HloInstruction older(HloInstruction instruction, Version version) {
    Op op = OpSchema.with(instruction.op(), (name, value) -> older(value));
    HloInstruction known =
        op.equals(instruction.op()) ? instruction : instruction.withOp(op, instruction.shape());
    return version.isBefore(ACCURACIES) ? known.withoutAttribute("result_accuracy") : known;
  }

  private static Object older(Object attribute) {
    return attribute instanceof ReplicaGroups groups
            && groups.form() instanceof ReplicaGroups.Form.MeshAxes
        ? ReplicaGroups.of(groups.groups())
        : attribute;
  }
}
