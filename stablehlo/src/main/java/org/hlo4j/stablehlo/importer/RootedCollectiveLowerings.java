package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.hlo4j.builder.Participants;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.AllReduce;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/**
 * The lowering of collectives with a root: one device of each group that sends, or receives, the
 * values. HLO's collectives only have the first device of a group as root. Other roots are composed
 * of collectives on whole groups.
 */
final class RootedCollectiveLowerings {
  private RootedCollectiveLowerings() {}

  private static boolean hasDynamicRoot(OpImport op) {
    return op.fields().flag("has_dynamic_root");
  }

  /**
   * Returns the number of data operands. They are followed by a vector of dynamic roots, one for
   * each, if the op has them.
   */
  static int dataCount(OpImport op) {
    return op.operandCount() - (hasDynamicRoot(op) ? 1 : 0);
  }

  private static void checkOperands(OpImport op) {
    boolean dynamic = hasDynamicRoot(op);
    int count = dataCount(op);
    verify(
        count >= 1,
        "operands got %s, want %s",
        op.operandCount(),
        dynamic ? "data and roots with has_dynamic_root" : "one at least");
    if (dynamic) {
      Type roots = op.operation().operandTypes().get(count);
      verify(
          Shapes.areCompatible(roots, Type.Tensor.of(Types.I32, List.of((long) count))),
          "roots got %s, want tensor<%sxi32>: one for each operand before",
          roots,
          count);
    }
  }

  static void checkBroadcast(OpImport op) {
    checkOperands(op);
    CollectiveRules.known(op).ifPresent(ReplicaGroups::checkIds);
  }

  // collective_reduce C4, C5
  static void checkReduce(OpImport op) {
    checkOperands(op);
    CollectiveRules.known(op).ifPresent(groups -> groups.check(true));
    CollectiveRules.requireDevices(op, "C4");
    CollectiveRules.requireReducer(op, dataCount(op), "C5");
  }

  /** Broadcasts the value of the root to the group. */
  static ImmutableList<HloInstruction> broadcast(OpImport op) {
    int count = dataCount(op);
    ImmutableList<HloInstruction> data = op.operands(0, count);
    if (!hasDynamicRoot(op)) {
      return op.results(op.emitMirrored(data));
    }
    ImmutableList.Builder<HloInstruction> results = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      results.add(ofRoot(op, data.get(i), root(op, i)));
    }
    return results.build();
  }

  /** Returns the root of an operand as a scalar: the position of a device in its group. */
  private static HloInstruction root(OpImport op, int number) {
    if (!hasDynamicRoot(op)) {
      return op.emit(new Constant(Literal.of(0)));
    }
    return MovementLowerings.emitElement(op, op.operand(op.operandCount() - 1), number);
  }

  /** Gathers the values of all devices of the group, and selects that of the root. */
  private static HloInstruction ofRoot(OpImport op, HloInstruction data, HloInstruction root) {
    Participants group = CollectiveRules.participants(op);
    Dims sizes = OpImport.arrayShape(data).sizes();
    Dims one = Dims.of(1).concat(sizes);
    return op.inlineLibraryFunction(
        x -> {
          List<XlaOp> starts =
              new ArrayList<>(Collections.nCopies(one.count(), x.get(1).zerosLike()));
          starts.set(0, x.get(1));
          return x.get(0)
              .reshape(one)
              .allGather(0, groupSize(group), group)
              .dynamicSlice(starts, one.toArray())
              .reshape(sizes);
        },
        List.of(data, root));
  }

  private static long groupSize(Participants group) {
    ImmutableList<Dims> groups = group.replicaGroups().groups();
    require(
        !groups.isEmpty(),
        UNSUPPORTED,
        "replica_groups got none, want the ids of all devices here");
    return groups.get(0).count();
  }

  /**
   * Emits the reduction, whose result is kept at the root and replaced by zeros on all other
   * devices.
   */
  static ImmutableList<HloInstruction> reduce(OpImport op) {
    int count = dataCount(op);
    Participants group = CollectiveRules.participants(op);
    HloComputation body = op.region(0, "collective_reduce_body");
    ImmutableList<HloInstruction> data = CollectiveLowerings.promoted(op, count);
    HloInstruction reduced =
        op.emit(
            new AllReduce(
                group.channelId(), group.replicaGroups(), false, group.useGlobalDeviceIds()),
            data,
            List.of(body));
    ImmutableList<HloInstruction> all = op.results(reduced);
    HloInstruction position = position(op, group);
    ImmutableList.Builder<HloInstruction> results = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      results.add(zeroExceptAtRoot(op, i, all.get(i), position));
    }
    return results.build();
  }

  /**
   * Computes the position of this device in its group: each device receives its element of 0, 1, 2,
   * … by a reduce-scatter with maximum.
   */
  private static HloInstruction position(OpImport op, Participants group) {
    long size = groupSize(group);
    return op.inlineLibraryFunction(
        x -> x.get(0).reduceScatter((a, b) -> a.max(b), 0, size, group).reshape(Dims.of()),
        List.of(op.emit(new Iota(Shape.of(ElementType.S32, size), 0))));
  }

  private static HloInstruction zeroExceptAtRoot(
      OpImport op, int number, HloInstruction value, HloInstruction position) {
    Shape.Array shape = OpImport.arrayShape(value);
    long[] sizes = shape.sizes().toArray();
    HloInstruction zero =
        Quantization.quantized(op.resultType(number))
            .map(type -> Quantization.zero(op, type))
            .orElseGet(() -> op.emit(new Constant(Literal.zeros(Shape.of(shape.elementType())))));
    return op.inlineLibraryFunction(
        x -> x.get(0).eq(x.get(1)).broadcast(sizes).select(x.get(2), x.get(3).broadcast(sizes)),
        List.of(position, root(op, number), value, zero));
  }
}
