package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.hlo4j.builder.Participants;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.AxisRef;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;
import org.jspecify.annotations.Nullable;

/**
 * The constraints of StableHLO's specification for collective ops and for transfers between devices
 * and the host.
 */
final class CollectiveRules {
  /** The types of a channel that {@code channel_handle} may name. */
  private static final int DEVICE_TO_DEVICE = 1;

  private CollectiveRules() {}

  /** Returns the name of an op without its dialect, with which labels of rules begin. */
  static String name(OpImport op) {
    return op.operation().name().substring(op.operation().dialect().length() + 1);
  }

  // all_to_all C1 to C4, C8
  static void checkAllToAll(OpImport op) {
    long count = op.fields().int64("split_count");
    require(count > 0, "all_to_all C4", "split_count got %s, want at least 1", count);
    Optional<ReplicaGroups> groups = known(op);
    groups.ifPresent(known -> known.check(true));
    require(
        groups.stream()
            .allMatch(known -> known.groups().stream().anyMatch(ids -> ids.count() == count)),
        "all_to_all C8",
        "replica_groups got %s, want groups of %s",
        groups.map(ReplicaGroups::shown).orElse(""),
        count);
    for (int i = 0; i < op.operandCount(); i++) {
      Type.Tensor operand = op.operandTensor(i);
      int split = dimension(op, "split_dimension", operand.rank(), "C1");
      dimension(op, "concat_dimension", operand.rank(), "C3");
      long size = operand.sizes().get(split);
      require(
          size == Type.DYNAMIC || size % count == 0,
          "all_to_all C2",
          "operand got %s, want a multiple of split_count %s in dimension %s",
          operand,
          count,
          split);
    }
  }

  /** Returns the shapes of the results of an all-to-all. */
  static List<Shape> exchanged(OpImport op) {
    int split = op.fields().int32("split_dimension");
    int concat = op.fields().int32("concat_dimension");
    long count = op.fields().int64("split_count");
    List<Shape> shapes = new ArrayList<>();
    for (Type.Tensor operand : op.operandTensors(0, op.operandCount())) {
      List<Long> sizes = new ArrayList<>(operand.sizes());
      replaceKnown(sizes, split, size -> size / count);
      replaceKnown(sizes, concat, size -> size * count);
      shapes.add(Shapes.symbolicShape(Type.Tensor.of(operand.element(), sizes)));
    }
    return shapes;
  }

  private static void replaceKnown(List<Long> sizes, int dimension, UnaryOperator<Long> change) {
    sizes.set(
        dimension,
        sizes.get(dimension) == Type.DYNAMIC ? Type.DYNAMIC : change.apply(sizes.get(dimension)));
  }

  /** Requires that the region is a valid reducer for each operand. */
  static void requireReducer(OpImport op, int operands, String rule) {
    for (int i = 0; i < operands; i++) {
      Type.Tensor operand = op.operandTensor(i);
      RegionRules.requireReducer(
          op,
          0,
          name(op) + " " + rule,
          List.of(operand),
          List.of(RegionRules.scalar(operand.element())),
          List.of());
    }
  }

  /**
   * Returns the groups of ids, if they are not of a mesh of another dialect than Shardy. Rows of a
   * reduction that end with {@code -1} are shorter. A sum takes a constant of any shape for none.
   */
  static Optional<ReplicaGroups> known(OpImport op) {
    if (!(op.fields().entries().get("replica_groups") instanceof Attribute.Dense ids)) {
      return meshGroups(op);
    }
    boolean isSum = name(op).equals("cross-replica-sum");
    if (isSum && ids.type().sizes().contains(0L)) {
      return Optional.of(ReplicaGroups.all());
    }
    boolean isPadded = isSum || name(op).equals("all_reduce");
    return Optional.of(
        ReplicaGroups.of(
            op.fields().rows("replica_groups").stream()
                .map(row -> Dims.of(row.stream().filter(id -> id != -1 || !isPadded).toArray()))
                .filter(row -> !row.isEmpty())
                .collect(toImmutableList())));
  }

  static ReplicaGroups groups(OpImport op) {
    return known(op)
        .orElseThrow(() ->
            new HloException(
                UNSUPPORTED,
                "replica_groups got %s, want rows of ids or axes of a sdy.mesh",
                op.fields().entries().get("replica_groups")));
  }

  /** Returns the devices that take part, and their channel. */
  static Participants participants(OpImport op) {
    return new Participants(groups(op), channel(op), isGlobal(op));
  }

  /** Returns whether the groups are those of a mesh of another dialect than Shardy. */
  static boolean hasUnknownMesh(OpImport op) {
    return known(op).isEmpty();
  }

  /** Returns groups by axes of a mesh; empty if the mesh is of another dialect than Shardy. */
  private static Optional<ReplicaGroups> meshGroups(OpImport op) {
    Fields groups = op.fields().struct("replica_groups");
    return mesh(op, groups.entries().get("mesh"))
        .map(mesh ->
            ReplicaGroups.mesh(
                mesh,
                groups.structs("axes").stream()
                    .map(axis -> axis(mesh, axis))
                    .collect(toImmutableList())));
  }

  private static Optional<Mesh> mesh(OpImport op, @Nullable Attribute mesh) {
    if (mesh instanceof Attribute.Struct inline) {
      Fields fields = new Fields(inline.fields());
      List<Fields> axes = fields.structs("axes");
      return Optional.of(
          Meshes.of(
              axes.stream().map(axis -> axis.string("name")).toList(),
              Dims.copyOf(axes.stream().map(axis -> axis.int64("size")).toList()),
              fields
                  .find("device_ids", Attribute.Dense.class)
                  .map(ids -> Dims.of(Fields.numbers("device_ids", ids)))
                  .orElse(Dims.of())));
    }
    if (!(mesh instanceof Attribute.Symbol symbol)) {
      return Optional.empty();
    }
    verify(
        op.target().module().hasSymbol(symbol.name()),
        "replica_groups got mesh @%s, want a symbol of the module",
        symbol.name());
    return op.target().module().meshes().find(symbol.name());
  }

  private static AxisRef axis(Mesh mesh, Fields axis) {
    String name = axis.string("name");
    verify(
        mesh.names().contains(name), "replica_groups got axis \"%s\", want one of %s", name, mesh);
    Fields part = axis.struct("sub_axis_info");
    return new AxisRef(
        mesh.names().indexOf(name),
        axis.has("sub_axis_info")
            ? Optional.of(new AxisRef.Part(part.int64("pre_size"), part.int64("size")))
            : Optional.empty());
  }

  static boolean isGlobal(OpImport op) {
    return op.fields().flag("use_global_device_ids");
  }

  static long handle(OpImport op) {
    return op.fields().struct("channel_handle").int64("handle", 0);
  }

  /** Returns the channel's handle; zero and negative handles mean that there is none. */
  static Optional<Long> channel(OpImport op) {
    long handle = handle(op);
    return handle > 0 ? Optional.of(handle) : Optional.empty();
  }

  /** Requires a channel and groups if ids are global. */
  static void requireDevices(OpImport op, String rule) {
    verify(
        !isGlobal(op) || known(op).stream().noneMatch(groups -> groups.groups().isEmpty()),
        "replica_groups got none with use_global_device_ids, want one at least");
    require(
        !isGlobal(op) || handle(op) > 0,
        name(op) + " " + rule,
        "channel_handle got %s with use_global_device_ids, want at least 1",
        handle(op));
  }

  /**
   * Requires the channel type of the given host direction for a host transfer, and the
   * device-to-device type otherwise.
   */
  static void requireChannelType(OpImport op, int toHost, String name) {
    boolean host = op.fields().bool("is_host_transfer");
    long type = op.fields().struct("channel_handle").int64("type", 0);
    require(
        type == (host ? toHost : DEVICE_TO_DEVICE),
        name(op) + " C1",
        "channel_handle got type %s and is_host_transfer %s, want type %s",
        type,
        host,
        host ? toHost + " (" + name + ")" : "1 (DEVICE_TO_DEVICE)");
  }

  /** Refuses operands that have no elements along a dimension, as upstream does. */
  static void requireElements(OpImport op, String attribute, String rule) {
    long dimension = op.fields().int64(attribute);
    for (Type.Tensor operand : op.operandTensors(0, op.operandCount())) {
      require(
          dimension < 0 || dimension >= operand.rank() || operand.sizes().get((int) dimension) != 0,
          rule,
          "operand got %s, want a size above 0 in dimension %s",
          operand,
          dimension);
    }
  }

  /** Requires that the operands are tensors, followed by a token. */
  static void requireTensorsAndToken(OpImport op, int first) {
    List<Type> types = op.operation().resultTypes();
    String label = name(op) + " C";
    require(!types.isEmpty(), label + first, "results got none, want a token at least");
    for (int i = 0; i < types.size() - 1; i++) {
      require(
          types.get(i) instanceof Type.Tensor tensor && tensor.isStatic(),
          label + (first + 1),
          "result %s got %s, want a tensor of known sizes",
          i,
          types.get(i));
    }
    Type last = types.get(types.size() - 1);
    require(last.equals(Type.TOKEN), label + (first + 2), "last result got %s, want a token", last);
  }

  /** Returns the dimension whose size changes. */
  static int dimension(OpImport op, String attribute, int rank, String rule) {
    long dimension = op.fields().int64(attribute);
    require(
        dimension >= 0 && dimension < rank,
        name(op) + " " + rule,
        "%s got %s, want from 0 to %s",
        attribute,
        dimension,
        rank - 1);
    return (int) dimension;
  }
}
