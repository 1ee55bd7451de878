package org.hlo4j.stablehlo.importer;

import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The lowering of asynchronous ops, which are executed at once: the body of an {@code async_start}
 * is inlined, and a future is represented by its values.
 */
final class AsyncLowerings {
  private AsyncLowerings() {}

  static void addTo(Lowerings table) {
    table.one("stablehlo.async_start", AsyncLowerings::start);
    table.many("stablehlo.async_done", AsyncLowerings::done);
  }

  private static HloInstruction start(OpImport op) {
    verify(
        op.operation().regions().size() == 1,
        "regions got %s, want one",
        op.operation().regions().size());
    Block block = op.block(0);
    ImmutableList<Type> arguments = RegionRules.arguments(block);
    verify(
        Shapes.areCompatible(op.operation().operandTypes(), arguments),
        "operands got %s, want %s as the region takes",
        op.operation().operandTypes(),
        arguments);
    for (int i = 0; i < arguments.size(); i++) {
      op.target().define(block.arguments().get(i), op.operand(i));
    }
    ImmutableList<HloInstruction> results = op.target().lower(block);
    return results.size() == 1 ? results.get(0) : op.tuple(results);
  }

  private static ImmutableList<HloInstruction> done(OpImport op) {
    HloInstruction future = op.operand(0);
    Type type = op.operation().operandTypes().get(0);
    verify(Shapes.isFuture(type), "operand got %s, want a future", type);
    return Shapes.futureTypes((Type.Dialect) type).size() == 1
        ? ImmutableList.of(future)
        : op.elements(future);
  }
}
