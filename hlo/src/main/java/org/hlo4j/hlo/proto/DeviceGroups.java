package org.hlo4j.hlo.proto;

import java.util.Optional;
import java.util.function.Supplier;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.TileAssignment;

/** The device groups of a collective, for which hlo.proto has four forms. */
final class DeviceGroups {
  private DeviceGroups() {}

  /** Reads the newest form that is present; the oldest form is in {@code field} itself. */
  static ReplicaGroups read(ProtoMessage from, String field) {
    Optional<ProtoMessage> list = from.message("collective_device_list");
    Optional<ProtoMessage> iota =
        from.message("iota_collective_device_list")
            .or(() -> list.flatMap(groups -> groups.message("iota_replica_group_list")));
    return iota.map(DeviceGroups::iota)
        .or(() -> from.message("mesh_axes_replica_group_list").map(DeviceGroups::mesh))
        .orElseGet(() -> groups(list.orElse(from), list.isPresent() ? "replica_groups" : field));
  }

  private static ReplicaGroups groups(ProtoMessage from, String field) {
    return ReplicaGroups.of(
        from.messages(field).stream().map(group -> group.dims("replica_ids")).toList());
  }

  private static ReplicaGroups iota(ProtoMessage list) {
    return counted(
        list,
        () ->
            ReplicaGroups.iota(
                Dims.of(list.integer("num_replica_groups"), list.integer("num_devices_per_group")),
                list.dims("iota_reshape_dims"),
                list.dims("iota_transpose_perm")));
  }

  private static ReplicaGroups mesh(ProtoMessage list) {
    return counted(
        list,
        () ->
            ReplicaGroups.mesh(
                Meshes.read(list.messageOrEmpty("mesh")), Meshes.axes(list, "axes")));
  }

  /** Makes groups; few numbers may stand for many ids, which count as memory of the file. */
  private static ReplicaGroups counted(ProtoMessage list, Supplier<ReplicaGroups> make) {
    ReplicaGroups groups = list.located(make);
    list.limits().take(Long.BYTES * groups.idCount());
    return groups;
  }

  static void write(ProtoBuilder to, String field, ReplicaGroups groups) {
    switch (groups.form()) {
      case ReplicaGroups.Form.Lists _ -> {
        ProtoBuilder list = to.at("collective_device_list");
        for (Dims group : groups.groups()) {
          list.put(field, ProtoBuilder.of("ReplicaGroup").put("replica_ids", group));
        }
      }
      case ReplicaGroups.Form.Iota(TileAssignment.Iota rows) ->
          to.at("iota_collective_device_list")
              .put("num_replica_groups", rows.tiles().get(0))
              .put("num_devices_per_group", rows.tiles().get(1))
              .put("iota_reshape_dims", rows.reshapeDims())
              .put("iota_transpose_perm", rows.transposePerm());
      case ReplicaGroups.Form.MeshAxes mesh -> {
        ProtoBuilder list = to.at("mesh_axes_replica_group_list");
        list.put("mesh", Meshes.write(mesh.mesh()));
        Meshes.putAxes(list, "axes", mesh.axes());
      }
    }
  }
}
