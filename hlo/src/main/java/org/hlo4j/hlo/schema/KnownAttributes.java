package org.hlo4j.hlo.schema;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSetMultimap;

/** The attributes that are not part of any op's record. hlo4j keeps most of them as text. */
public final class KnownAttributes {
  /** Attributes that any instruction may have. */
  private static final ImmutableSet<String> OF_ALL =
      ImmutableSet.of(
          "backend_config",
          "control-predecessors",
          "frontend_attributes",
          "metadata",
          "origin",
          "parameter_replication",
          "result_accuracy",
          "sharding",
          "statistics");

  /** Attributes of some ops, by opcode. */
  private static final ImmutableSetMultimap<String, String> OF_OP =
      ImmutableSetMultimap.<String, String>builder()
          .put("convolution", "convolution_kind")
          .putAll(
              "custom-call",
              "batch_group_count",
              "dim_labels",
              "feature_group_count",
              "operand_precision",
              "padding_type",
              "window")
          .put("reshape", "inferred_dimension")
          .build();

  /** Attributes that the header of a module may have. */
  private static final ImmutableSet<String> OF_MODULES =
      ImmutableSet.of(
          "alias_passthrough_params",
          "allow_spmd_sharding_propagation_to_output",
          "allow_spmd_sharding_propagation_to_parameters",
          "buffer_donor",
          "entry_computation_layout",
          "frontend_attributes",
          "input_output_alias",
          "is_scheduled",
          "num_partitions",
          "origin_recovery_table",
          "replica_count");

  private KnownAttributes() {}

  /**
   * Returns whether any instruction may have an attribute of this name.
   *
   * @param name the name
   * @return whether any instruction may have an attribute of this name
   */
  public static boolean isOfAll(String name) {
    return OF_ALL.contains(name);
  }

  /**
   * Returns whether an instruction of this opcode may have an attribute of this name.
   *
   * @param opcode the opcode
   * @param name the name
   * @return whether an instruction of this opcode may have an attribute of this name
   */
  public static boolean isOf(String opcode, String name) {
    return OF_ALL.contains(name) || OF_OP.containsEntry(opcode, name);
  }

  /**
   * Returns the names of the attributes that the header of a module may have.
   *
   * @return the names of the attributes that the header of a module may have
   */
  public static ImmutableSet<String> ofModules() {
    return OF_MODULES;
  }
}
