package org.hlo4j.stablehlo.exporter;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.stablehlo.mlir.Attribute;

/** The conversion of the attributes in an HLO module's header to those of a StableHLO module. */
final class ModuleAttributes {
  /** Header attributes that become attributes of the module or of the arguments of its entry. */
  private static final ImmutableSet<String> EXPRESSED =
      ImmutableSet.of(
          "buffer_donor",
          "entry_computation_layout",
          "frontend_attributes",
          "input_output_alias",
          "num_partitions",
          "replica_count");

  /** Header attributes that change no result: schedules, hints for the partitioner and origins. */
  private static final ImmutableSet<String> LEFT_OUT =
      ImmutableSet.of(
          "alias_passthrough_params",
          "allow_spmd_sharding_propagation_to_output",
          "allow_spmd_sharding_propagation_to_parameters",
          "is_scheduled",
          "origin_recovery_table");

  private ModuleAttributes() {}

  static Map<String, Attribute> of(HloModule module) {
    Map<String, Attribute> all = new TreeMap<>();
    all.put("sym_name", new Attribute.Str(module.name()));
    count("mhlo.num_replicas", "replica_count", module, all);
    count("mhlo.num_partitions", "num_partitions", module, all);
    ImmutableMap<String, String> frontend = Annotations.frontend(module.attributes());
    if (!frontend.isEmpty()) {
      all.put("mhlo.frontend_attributes", Annotations.dictionary(frontend));
    }
    if (Aliases.of(module).all().stream().anyMatch(Aliases.Alias::isMustAlias)) {
      all.put("mhlo.input_output_alias", Aliases.required(module));
    }
    EntryLayouts.put(module, all);
    return all;
  }

  /** Returns the names of the header attributes that StableHLO cannot express. */
  static Set<String> notExpressed(HloModule module) {
    return Sets.difference(module.attributes().keySet(), Sets.union(EXPRESSED, LEFT_OUT));
  }

  private static void count(
      String name, String hloName, HloModule module, Map<String, Attribute> all) {
    String count = module.attributes().getOrDefault(hloName, "");
    if (count.matches("[0-9]{1,9}")) {
      all.put(name, Attribute.Int.i32(Integer.parseInt(count)));
    }
  }

  /** Returns the number of devices that take part in a collective without explicit groups. */
  static long devices(HloModule module, boolean ofPartitions) {
    String name = ofPartitions ? "num_partitions" : "replica_count";
    String count = module.attributes().getOrDefault(name, "");
    return count.matches("[1-9][0-9]{0,8}") ? Long.parseLong(count) : 1;
  }
}
