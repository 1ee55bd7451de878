package org.hlo4j.stablehlo.dialect;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.hlo4j.hlo.op.AxisRef;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.TileAssignment;
import org.hlo4j.stablehlo.mlir.Attribute;

/** Groups of devices as an attribute of StableHLO: rows of ids, or axes of a mesh in it. */
public final class MeshForm {
  private MeshForm() {}

  /**
   * {@return the attribute of groups}
   *
   * @param groups the groups
   */
  public static Attribute groups(ReplicaGroups groups) {
    return groups.form() instanceof ReplicaGroups.Form.MeshAxes axes
            && !axes.mesh().names().isEmpty()
        ? StructTable.struct(
            "replica_group_mesh_axes",
            Map.of("mesh", mesh(axes.mesh()), "axes", axes(axes.mesh(), axes.axes())))
        : AttributeFactory.rows(groups.groups());
  }

  private static Attribute mesh(Mesh mesh) {
    TileAssignment devices = mesh.devices();
    Map<String, Attribute> fields = new HashMap<>();
    fields.put(
        "axes",
        AttributeFactory.array(
            IntStream.range(0, mesh.names().size())
                .mapToObj(i ->
                    StructTable.struct(
                        "mesh_axis",
                        Map.of(
                            "name",
                            new Attribute.Str(mesh.names().get(i)),
                            "size",
                            Attribute.Int.i64(devices.tiles().get(i)))))
                .toList()));
    if (!mesh.equals(Mesh.of(mesh.names(), devices.tiles()))) {
      fields.put("device_ids", AttributeFactory.vector(devices.devices()));
    }
    return StructTable.struct("mesh", fields);
  }

  private static Attribute axes(Mesh mesh, List<AxisRef> axes) {
    return AttributeFactory.array(axes.stream().map(axis -> axis(mesh, axis)).toList());
  }

  private static Attribute axis(Mesh mesh, AxisRef axis) {
    Map<String, Attribute> fields = new HashMap<>();
    fields.put("name", new Attribute.Str(mesh.names().get(axis.axis())));
    axis.part()
        .ifPresent(part ->
            fields.put(
                "sub_axis_info",
                StructTable.struct(
                    "sub_axis_info",
                    Map.of(
                        "pre_size", Attribute.Int.i64(part.preSize()),
                        "size", Attribute.Int.i64(part.size())))));
    return StructTable.struct("axis_ref", fields);
  }
}
