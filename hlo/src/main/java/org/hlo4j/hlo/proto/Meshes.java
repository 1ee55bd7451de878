package org.hlo4j.hlo.proto;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.AxisRef;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.hlo.op.TileAssignment;

/** The conversion of meshes and axes to and from MeshProto and AxisRefProto. */
final class Meshes {
  private Meshes() {}

  static Mesh read(ProtoMessage mesh) {
    ImmutableList<ProtoMessage> axes = mesh.messages("axes");
    Dims ids = mesh.dims("device_ids");
    if (axes.isEmpty() && ids.count() == 1) {
      return Mesh.maximal(ids.get(0));
    }
    Dims sizes = Dims.copyOf(axes.stream().map(axis -> axis.integer("size")).toList());
    ImmutableList<String> names =
        axes.stream().map(axis -> axis.string("name")).collect(toImmutableList());
    Optional<ProtoMessage> iota = mesh.message("iota_device_ids");
    return mesh.located(() -> {
      TileAssignment devices =
          iota.isPresent()
              ? new TileAssignment.Iota(
                  sizes, iota.get().dims("reshape_dims"), iota.get().dims("transpose_perm"))
              : ids.isEmpty()
                  ? TileAssignment.inOrder(sizes)
                  : new TileAssignment.Listed(sizes, ids);
      return new Mesh(names, devices);
    });
  }

  static ProtoBuilder write(Mesh mesh) {
    ProtoBuilder message = ProtoBuilder.of("MeshProto");
    for (int i = 0; i < mesh.names().size(); i++) {
      message.put(
          "axes",
          ProtoBuilder.of("MeshAxis")
              .put("name", mesh.names().get(i))
              .put("size", mesh.devices().tiles().get(i)));
    }
    switch (mesh.devices()) {
      case TileAssignment.Listed listed -> message.put("device_ids", listed.devices());
      case TileAssignment.Iota iota when iota.isInOrder() -> {}
      case TileAssignment.Iota iota ->
          message
              .at("iota_device_ids")
              .put("reshape_dims", iota.reshapeDims())
              .put("transpose_perm", iota.transposePerm());
    }
    return message;
  }

  static ImmutableList<AxisRef> axes(ProtoMessage from, String field) {
    return from.messages(field).stream().map(Meshes::axis).collect(toImmutableList());
  }

  private static AxisRef axis(ProtoMessage axis) {
    Optional<ProtoMessage> part = axis.message("sub_axis_info");
    return axis.located(() ->
        new AxisRef(
            axis.smallInteger("mesh_axis_index"),
            part.map(each -> new AxisRef.Part(each.integer("pre_size"), each.integer("size")))));
  }

  static void putAxes(ProtoBuilder to, String field, List<AxisRef> axes) {
    for (AxisRef axis : axes) {
      ProtoBuilder message = ProtoBuilder.of("AxisRefProto").put("mesh_axis_index", axis.axis());
      axis.part()
          .ifPresent(part ->
              message.at("sub_axis_info").put("pre_size", part.preSize()).put("size", part.size()));
      to.put(field, message);
    }
  }
}
