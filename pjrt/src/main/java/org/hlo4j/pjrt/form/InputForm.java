package org.hlo4j.pjrt.form;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.Layout.rowMajor;

import com.google.common.collect.Maps;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.ModuleCopy;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reshape;

/**
 * A module without what XLA's passes put into it, which ends the process if they find it there: its
 * schedule, fusions, which are calls here, and bitcasts, which are reshapes.
 */
final class InputForm {
  private InputForm() {}

  /**
   * Returns the module.
   *
   * @throws org.hlo4j.hlo.HloException of kind {@code UNSUPPORTED} if a bitcast goes by layouts,
   *     which XLA assigns anew
   */
  static HloModule of(HloModule module) {
    return ModuleCopy.map(module, InputForm::given)
        .withText(
            Maps.filterKeys(module.attributes(), name -> !name.equals("is_scheduled")),
            module.stackFrames());
  }

  private static HloInstruction given(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Fusion _ -> instruction.withOp(new Call(), instruction.shape());
      case Bitcast bitcast ->
          instruction.withOp(reshape(instruction, bitcast.shape()), instruction.shape());
      default -> instruction;
    };
  }

  private static Op reshape(HloInstruction bitcast, Shape.Array to) {
    require(
        isRowMajor(bitcast.shape())
            && isRowMajor(bitcast.operands().get(0).shape())
            && bitcast.operands().get(0).shape() instanceof Shape.Array from
            && from.elementType() == to.elementType(),
        Kind.UNSUPPORTED,
        "bitcast %%%s from %s to %s, want row-major arrays of one type",
        bitcast.name(),
        bitcast.operands().get(0).shape(),
        bitcast.shape());
    return new Reshape(to.withLayout(null));
  }

  private static boolean isRowMajor(Shape shape) {
    return shape instanceof Shape.Array array
        && array.layout().orElse(rowMajor(array.rank())).hasOrderOf(rowMajor(array.rank()), array);
  }
}
