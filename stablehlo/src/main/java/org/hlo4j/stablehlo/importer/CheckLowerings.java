package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.stablehlo.Check;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Place;

/**
 * The lowering of the ops of self-checking programs. They compute nothing: their operands become
 * results of the module, and the caller compares them.
 */
final class CheckLowerings {
  private static final double TOLERANCE = 1e-4;
  private static final double CUSTOM_CALL_TOLERANCE = 1e-3;
  private static final int CUSTOM_CALL_ULPS = 3;

  private CheckLowerings() {}

  static void addTo(Lowerings table) {
    table.many("check.expect_eq", op -> pair(op, Check.equal(place(op))));
    table.many("check.expect_eq_const", op -> constant(op, Check.equal(place(op))));
    table.many("check.expect_almost_eq", op -> pair(op, Check.almost(tolerance(op), place(op))));
    table.many(
        "check.expect_almost_eq_const", op -> constant(op, Check.almost(tolerance(op), place(op))));
    table.many(
        "check.expect_close",
        op ->
            pair(
                op,
                Check.close(
                    op.fields().int64("min_ulp_difference", 0),
                    op.fields().int64("max_ulp_difference", 1),
                    place(op))));
    // The forms of custom calls have their own tolerances.
    table.many(Lowerings.call("check.expect_eq"), op -> pair(op, Check.equal(place(op))));
    table.many(
        Lowerings.call("check.expect_almost_eq"),
        op -> pair(op, Check.almost(CUSTOM_CALL_TOLERANCE, place(op))));
    table.many(
        Lowerings.call("check.expect_close"),
        op -> pair(op, Check.close(0, CUSTOM_CALL_ULPS, place(op))));
    table.many(
        Lowerings.call("check.eq"),
        op -> pair(op, new Check(Check.Rule.EQUAL_OR_ALMOST, TOLERANCE, 0, 0, place(op))));
    for (String name : List.of("print", "probe", "run_parallel")) {
      table
          .refused("interpreter." + name, "that is not known, want one of StableHLO")
          .onlyChecked();
    }
  }

  private static Place place(OpImport op) {
    return op.operation().place();
  }

  private static double tolerance(OpImport op) {
    return op.fields().has("tolerance") ? op.fields().real("tolerance") : TOLERANCE;
  }

  static boolean isCheck(String target) {
    return target.startsWith("check.");
  }

  private static ImmutableList<HloInstruction> pair(OpImport op, Check check) {
    verify(op.operandCount() == 2, "operands got %s, want 2", op.operandCount());
    return compared(op, op.operand(0), op.operand(1), check);
  }

  private static ImmutableList<HloInstruction> constant(OpImport op, Check check) {
    HloInstruction got = op.operand(0);
    if (op.fields().entries().get("value") instanceof Attribute.Dense dense) {
      Shape.Array shape = Shapes.array(dense.type());
      return compared(op, got, MovementLowerings.constant(op, dense, shape), check);
    }
    throw new HloException(VERIFY, "value got no elements, want dense<...>");
  }

  /**
   * Registers a check. If the op has a result, it is true; whether the check holds is determined
   * after the run.
   */
  private static ImmutableList<HloInstruction> compared(
      OpImport op, HloInstruction got, HloInstruction wanted, Check check) {
    verify(
        got.shape().compatible(wanted.shape()),
        "operands got %s and %s, want the same",
        got.shape(),
        wanted.shape());
    op.target().module().addCheck(check, List.of(got, wanted), op.target());
    if (op.resultCount() == 0) {
      return ImmutableList.of();
    }
    Shape.Array result = op.resultArray();
    verify(result.elementType() == ElementType.PRED, "result got %s, want i1", result);
    return ImmutableList.of(op.broadcast(op.emit(new Constant(Literal.of(true))), result.sizes()));
  }
}
