package org.hlo4j.stablehlo.exporter;

import static com.google.common.collect.ImmutableList.toImmutableList;

import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.op.AxisRef;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.TileAssignment;
import org.hlo4j.stablehlo.dialect.StructBuilder;
import org.hlo4j.stablehlo.mlir.Attribute;

/** Groups of devices by axes of a mesh as an attribute of StableHLO, which contains the mesh. */
final class MeshForm {
  private MeshForm() {}

  static Attribute of(ReplicaGroups.Form.MeshAxes groups) {
    return new StructBuilder("replica_group_mesh_axes")
        .with("mesh", mesh(groups.mesh()))
        .with("axes", axes(groups.mesh(), groups.axes()))
        .build();
  }

  private static Attribute mesh(Mesh mesh) {
    TileAssignment devices = mesh.devices();
    StructBuilder form =
        new StructBuilder("mesh")
            .with(
                "axes",
                AttributeFactory.array(
                    IntStream.range(0, mesh.names().size())
                        .mapToObj(i ->
                            new StructBuilder("mesh_axis")
                                .with("name", new Attribute.Str(mesh.names().get(i)))
                                .with("size", devices.tiles().get(i))
                                .build())
                        .collect(toImmutableList())));
    boolean isInOrder = mesh.equals(Mesh.of(mesh.names(), devices.tiles()));
    return (isInOrder ? form : form.with("device_ids", AttributeFactory.vector(devices.devices())))
        .build();
  }

  private static Attribute axes(Mesh mesh, List<AxisRef> axes) {
    return AttributeFactory.array(
        axes.stream().map(axis -> axis(mesh, axis)).collect(toImmutableList()));
  }

  private static Attribute axis(Mesh mesh, AxisRef axis) {
    StructBuilder form =
        new StructBuilder("axis_ref")
            .with("name", new Attribute.Str(mesh.names().get(axis.axis())));
    axis.part()
        .ifPresent(part ->
            form.with(
                "sub_axis_info",
                new StructBuilder("sub_axis_info")
                    .with("pre_size", part.preSize())
                    .with("size", part.size())
                    .build()));
    return form.build();
  }
}
