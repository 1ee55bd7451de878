package org.hlo4j.hlo.proto;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;

/**
 * The settings of a compilation, a CompileOptionsProto. Replicas and partitions are always written:
 * XLA ends the process where it finds none.
 */
final class CompileOptions {
  private CompileOptions() {}

  static ProtoBuilder write(
      int replicas,
      int partitions,
      ImmutableList<ImmutableList<Integer>> deviceIds,
      boolean isShardy,
      Map<String, Object> flags) {
    ProtoBuilder options = ProtoBuilder.of("CompileOptionsProto");
    ProtoBuilder build =
        options
            .at("executable_build_options")
            .put("device_ordinal", -1)
            .put("num_replicas", replicas)
            .put("num_partitions", partitions)
            .putPresent("use_spmd_partitioning", partitions > 1 ? 1 : 0)
            .put("use_shardy_partitioner", isShardy);
    if (!deviceIds.isEmpty()) {
      build.put("device_assignment", assignment(replicas, partitions, deviceIds));
    }
    flags.forEach((name, value) ->
        options.put(
            "env_option_overrides",
            ProtoBuilder.of("OptionOverride").put("key", name).put("value", flag(name, value))));
    return options;
  }

  /** Returns the devices of all replicas for each partition. */
  private static ProtoBuilder assignment(
      int replicas, int partitions, ImmutableList<ImmutableList<Integer>> ids) {
    require(
        ids.size() == replicas && ids.stream().allMatch(row -> row.size() == partitions),
        "",
        "pjrt: the device assignment got %s, want %s lists of %s ids",
        ids,
        replicas,
        partitions);
    ProtoBuilder all =
        ProtoBuilder.of("DeviceAssignmentProto")
            .put("replica_count", replicas)
            .put("computation_count", partitions);
    for (int i = 0; i < partitions; i++) {
      int partition = i;
      List<Integer> column = ids.stream().map(row -> row.get(partition)).toList();
      all.put(
          "computation_devices",
          ProtoBuilder.of("ComputationDevice").put("replica_device_ids", Dims.copyOf(column)));
    }
    return all;
  }

  /** Returns the value of a flag, of which also zeros and empty texts count. */
  private static ProtoBuilder flag(String name, Object value) {
    ProtoBuilder field = ProtoBuilder.of("OptionOverrideProto");
    return switch (value) {
      case String text -> field.add("string_field", text);
      case Boolean flag -> field.putPresent("bool_field", flag ? 1 : 0);
      case Long number -> field.putPresent("int_field", number);
      case Double number -> field.putPresent("double_field", number);
      default ->
          throw new HloException(
              "",
              "pjrt: the flag "
                  + name
                  + " got "
                  + value
                  + " of "
                  + value.getClass().getSimpleName()
                  + ", want a String, Boolean, Long or Double");
    };
  }
}
