package org.hlo4j.hlo.proto;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.ReplicaGroups;

/** The groups of devices of a collective, of which hlo.proto has three forms. */
final class DeviceGroups {
  private DeviceGroups() {}

  /** The newest form that is there; the oldest lies in the field itself. */
  static ReplicaGroups read(ProtoMessage from, String field) {
    if (from.has("mesh_axes_replica_group_list")) {
      throw from.refusal(
          "mesh_axes_replica_group_list", "got groups by axes of a mesh, want groups by devices");
    }
    Optional<ProtoMessage> iota = from.message("iota_collective_device_list");
    Optional<ProtoMessage> list = from.message("collective_device_list");
    iota = iota.or(() -> list.flatMap(groups -> groups.message("iota_replica_group_list")));
    return iota.map(DeviceGroups::iota)
        .orElseGet(() ->
            list.map(groups -> groups(groups, "replica_groups"))
                .orElseGet(() -> groups(from, field)));
  }

  private static ReplicaGroups groups(ProtoMessage from, String field) {
    ImmutableList<Dims> groups =
        from.messages(field).stream()
            .map(group -> group.dims("replica_ids"))
            .collect(toImmutableList());
    return new ReplicaGroups(groups, Optional.empty());
  }

  private static ReplicaGroups iota(ProtoMessage list) {
    return list.located(() ->
        ReplicaGroups.iota(
            Dims.of(list.integer("num_replica_groups"), list.integer("num_devices_per_group")),
            list.dims("iota_reshape_dims"),
            list.dims("iota_transpose_perm")));
  }

  static void write(ProtoBuilder to, String field, ReplicaGroups groups) {
    if (groups.iota().isPresent()) {
      ReplicaGroups.Iota iota = groups.iota().get();
      to.at("iota_collective_device_list")
          .put("num_replica_groups", iota.dims().get(0))
          .put("num_devices_per_group", iota.dims().get(1))
          .put("iota_reshape_dims", iota.reshapeDims())
          .put("iota_transpose_perm", iota.transposePerm());
      return;
    }
    ProtoBuilder list = to.at("collective_device_list");
    for (Dims group : groups.groups()) {
      list.put(field, ProtoBuilder.of("ReplicaGroup").put("replica_ids", group));
    }
  }
}
