package org.hlo4j.hlo.proto;

/**
 * The messages of XLA's hlo.proto, xla_data.proto and compile_options.proto: the single description
 * that reader, writer and text form share.
 *
 * <p>Each line describes a field: number, name, type, and a star if it is repeated. {@code int} is
 * any integer or enumeration on the wire. A field that is not listed is unknown; it is kept and
 * written again.
 */
final class Schema {
  private static final String TEXT =
      """
      HloProto
        1 hlo_module HloModuleProto
        3 buffer_assignment bytes
      HloSnapshot
        1 hlo HloProto
        2 arguments LiteralProto*
        3 result LiteralProto
        4 execution_platform string
      HloModuleProto
        1 name string
        2 entry_computation_name string
        3 computations HloComputationProto*
        4 host_program_shape ProgramShapeProto
        5 id int
        6 entry_computation_id int
        7 schedule HloScheduleProto
        8 input_output_alias HloInputOutputAliasProto
        10 cross_program_prefetches CrossProgramPrefetch*
        11 is_dynamic bool
        12 spmd_output_sharding OpSharding
        14 spmd_parameters_shardings OpSharding*
        15 device_assignment DeviceAssignmentProto
        16 use_auto_spmd_partitioning bool
        17 stack_frame_index StackFrameIndexProto
        18 buffer_donor HloBufferDonorProto
        19 frontend_attributes FrontendAttributes
        20 original_value_recovery_table OriginalValueRecoveryTable
        480100 text_attributes MapEntry*
      HloComputationProto
        1 name string
        2 instructions HloInstructionProto*
        4 program_shape ProgramShapeProto
        5 id int
        6 root_id int
        7 is_fusion_computation bool
        8 execution_thread string
      HloInstructionProto
        1 name string
        2 opcode string
        3 shape ShapeProto
        7 metadata OpMetadata
        8 literal LiteralProto
        9 parameter_number int
        11 fusion_kind string
        13 tuple_index int
        14 dimensions int*
        15 window Window
        16 convolution_dimension_numbers ConvolutionDimensionNumbers
        17 slice_dimensions SliceDimensions*
        18 exponent_bits int
        19 mantissa_bits int
        20 dynamic_slice_sizes int*
        21 padding_config PaddingConfig
        22 outfeed_config bytes
        23 distribution int
        24 epsilon float
        25 feature_index int
        26 channel_id int
        27 infeed_config bytes
        28 custom_call_target string
        29 outfeed_shape ShapeProto
        30 dot_dimension_numbers DotDimensionNumbers
        31 fft_type int
        32 fft_length int*
        33 gather_dimension_numbers GatherDimensionNumbers
        34 gather_slice_sizes int*
        35 id int
        36 operand_ids int*
        37 control_predecessor_ids int*
        38 called_computation_ids int*
        40 sharding OpSharding
        43 backend_config bytes
        45 all_reduce_id int
        47 is_host_transfer bool
        48 scatter_dimension_numbers ScatterDimensionNumbers
        49 replica_groups ReplicaGroup*
        50 feature_group_count int
        51 precision_config PrecisionConfig
        52 source_target_pairs SourceTarget*
        54 domain_entry_sharding OpSharding
        55 domain_exit_sharding OpSharding
        56 constrain_layout bool
        57 operand_shapes_with_layout ShapeProto*
        58 batch_group_count int
        59 triangular_solve_options TriangularSolveOptions
        60 is_stable bool
        61 parameter_replication ParameterReplication
        62 cholesky_options CholeskyOptions
        63 comparison_direction string
        65 custom_call_has_side_effect bool
        66 delta int
        67 indices_are_sorted bool
        68 frontend_attributes FrontendAttributes
        69 unique_indices bool
        70 rng_algorithm int
        71 use_global_device_ids bool
        72 comparison_type string
        73 is_cross_program_prefetch bool
        74 output_operand_aliasing OutputOperandAliasing*
        75 padding_type int
        76 custom_call_schedule int
        77 custom_call_api_version int
        79 async_execution_thread string
        80 cross_program_prefetch_index int
        81 k int
        82 statistics_viz StatisticsViz
        85 largest bool
        87 collective_device_list CollectiveDeviceListProto
        88 original_value OriginalValueProto
        89 is_composite bool
        90 ragged_dot_dimension_numbers RaggedDotDimensionNumbers
        91 result_accuracy ResultAccuracy
        92 iota_collective_device_list IotaReplicaGroupListProto
        93 mesh_axes_replica_group_list MeshAxesReplicaGroupListProto
        94 is_reverse bool
        95 num_carries int
        96 is_associative int
        97 conv_kind int
      ShapeProto
        2 element_type int
        3 dimensions int*
        4 tuple_shapes ShapeProto*
        5 layout LayoutProto
        6 is_dynamic_dimension bool*
      LayoutProto
        1 minor_to_major int*
        6 tiles TileProto*
        7 element_size_in_bits int
        8 memory_space int
        9 dim_level_types int*
        10 physical_shape ShapeProto
        11 index_primitive_type int
        12 pointer_primitive_type int
        13 dim_unique bool*
        14 dim_ordered bool*
        15 dynamic_shape_metadata_prefix_bytes int
        16 tail_padding_alignment_in_elements int
        17 split_configs SplitConfigProto*
      TileProto
        1 dimensions int*
      SplitConfigProto
        1 dimension int
        2 split_indices int*
      ProgramShapeProto
        1 parameters ShapeProto*
        2 result ShapeProto
        3 parameter_names string*
      LiteralProto
        1 shape ShapeProto
        2 preds bool*
        3 u8s bytes
        4 s32s int*
        5 s64s int*
        6 u32s int*
        7 u64s int*
        8 f32s float*
        9 f64s double*
        10 tuple_literals LiteralProto*
        11 f16s bytes
        12 c64s float*
        13 bf16s bytes
        14 sparse_indices int*
        15 s8s bytes
        16 u16s bytes
        17 s16s bytes
        18 c128s double*
        19 f8e5m2s bytes
        20 f8e4m3fns bytes
        21 s4s bytes
        22 u4s bytes
        23 f8e4m3b11fnuzs bytes
        24 f8e5m2fnuzs bytes
        25 f8e4m3fnuzs bytes
        26 s2s bytes
        27 u2s bytes
        28 f8e4m3s bytes
        29 f8e3m4s bytes
        30 s1s bytes
        31 u1s bytes
        32 f4e2m1fns bytes
        33 f8e8m0fnus bytes
      OpMetadata
        1 op_type string
        2 op_name string
        3 source_file string
        4 source_line int
        5 profile_type int*
        8 size_of_generated_code_in_bytes int
        9 size_of_memory_working_set_in_bytes int
        12 deduplicated_name string
        15 stack_frame_id int
        16 scheduling_name string
        17 source_end_line int
        18 source_column int
        19 source_end_column int
      Window
        1 dimensions WindowDimension*
      WindowDimension
        1 size int
        2 stride int
        3 padding_low int
        4 padding_high int
        5 window_dilation int
        6 base_dilation int
        7 window_reversal bool
      ConvolutionDimensionNumbers
        3 kernel_input_feature_dimension int
        4 kernel_output_feature_dimension int
        6 kernel_spatial_dimensions int*
        7 input_batch_dimension int
        8 input_feature_dimension int
        9 output_batch_dimension int
        10 output_feature_dimension int
        11 input_spatial_dimensions int*
        12 output_spatial_dimensions int*
      SliceDimensions
        1 start int
        2 limit int
        3 stride int
      PaddingConfig
        1 dimensions PaddingConfigDimension*
      PaddingConfigDimension
        1 edge_padding_low int
        2 edge_padding_high int
        3 interior_padding int
      DotDimensionNumbers
        1 lhs_contracting_dimensions int*
        2 rhs_contracting_dimensions int*
        3 lhs_batch_dimensions int*
        4 rhs_batch_dimensions int*
      RaggedDotDimensionNumbers
        1 dot_dimension_numbers DotDimensionNumbers
        2 lhs_ragged_dimensions int*
        3 rhs_group_dimensions int*
      GatherDimensionNumbers
        1 offset_dims int*
        2 collapsed_slice_dims int*
        3 start_index_map int*
        4 index_vector_dim int
        5 operand_batching_dims int*
        6 start_indices_batching_dims int*
      ScatterDimensionNumbers
        1 update_window_dims int*
        2 inserted_window_dims int*
        3 scatter_dims_to_operand_dims int*
        4 index_vector_dim int
        5 input_batching_dims int*
        6 scatter_indices_batching_dims int*
      TriangularSolveOptions
        1 left_side bool
        2 lower bool
        3 unit_diagonal bool
        4 transpose_a int
      CholeskyOptions
        1 lower bool
      PrecisionConfig
        1 operand_precision int*
        2 algorithm int
      ReplicaGroup
        1 replica_ids int*
      CollectiveDeviceListProto
        1 replica_groups ReplicaGroup*
        2 iota_replica_group_list IotaReplicaGroupListProto
      IotaReplicaGroupListProto
        1 num_replica_groups int
        2 num_devices_per_group int
        3 iota_reshape_dims int*
        4 iota_transpose_perm int*
      MeshAxesReplicaGroupListProto
        1 mesh MeshProto
        2 axes AxisRefProto*
      MeshProto
        1 axes MeshAxis*
        2 device_ids int*
        3 iota_device_ids IotaDeviceIds
      MeshAxis
        1 name string
        2 size int
      IotaDeviceIds
        1 reshape_dims int*
        2 transpose_perm int*
      AxisRefProto
        1 mesh_axis_index int
        2 sub_axis_info SubAxis
      SubAxis
        1 pre_size int
        2 size int
      SourceTarget
        1 source int
        2 target int
      OutputOperandAliasing
        1 output_shape_index int*
        2 operand_index int
        3 operand_shape_index int*
      ParameterReplication
        1 replicated_at_leaf_buffers bool*
      StatisticsViz
        1 stat_index_to_visualize int
        2 statistics Statistic*
      Statistic
        1 stat_name string
        2 stat_val double
      OriginalValueProto
        1 elements OriginalValueElementProto*
        2 is_synthetic_call bool
      OriginalValueElementProto
        1 shape_index int*
        2 original_array OriginalArrayProto
      OriginalValueRecoveryTable
        1 entries OriginalValueRecoveryEntry*
      OriginalValueRecoveryEntry
        1 old_original_array OriginalArrayProto
        2 new_original_array OriginalArrayProto
      OriginalArrayProto
        1 instruction_name string
        2 shape_index int*
      ResultAccuracy
        1 mode int
        2 tolerance Tolerance
      Tolerance
        1 atol double
        2 rtol double
        3 ulps int
      FrontendAttributes
        1 map MapEntry*
      MapEntry
        1 key string
        2 value string
      OpSharding
        1 type int
        2 tile_shape ShapeProto
        3 tile_assignment_dimensions int*
        4 tile_assignment_devices int*
        5 tuple_shardings OpSharding*
        6 replicate_on_last_tile_dim bool
        7 metadata OpMetadata*
        8 last_tile_dims int*
        9 iota_reshape_dims int*
        10 iota_transpose_perm int*
        11 is_shard_group bool
        12 shard_group_id int
        13 shard_group_type int
        14 named_sharding NamedShardingProto
      NamedShardingProto
        1 tuple_shardings NamedShardingProto*
        2 mesh MeshProto
        3 dim_shardings DimensionSharding*
        4 replicated_axes AxisRefProto*
        5 unreduced_axes AxisRefProto*
        6 metadata OpMetadata*
        7 manual_axes AxisRefProto*
      DimensionSharding
        1 axes AxisRefProto*
        2 is_closed bool
      HloScheduleProto
        1 sequences ScheduleEntry*
      ScheduleEntry
        1 key int
        2 value InstructionSequence
      InstructionSequence
        1 instruction_ids int*
      HloInputOutputAliasProto
        1 entries AliasEntryProto*
      AliasEntryProto
        1 output_shape_index int*
        2 parameter_number int
        3 parameter_shape_index int*
        4 kind int
      HloBufferDonorProto
        1 entries BufferDonorEntryProto*
      BufferDonorEntryProto
        1 parameter_number int
        2 parameter_shape_index int*
      CrossProgramPrefetch
        1 parameter int
        2 index int*
        3 offset int
      DeviceAssignmentProto
        1 replica_count int
        2 computation_count int
        3 computation_devices ComputationDevice*
      ComputationDevice
        1 replica_device_ids int*
      CompileOptionsProto
        3 executable_build_options ExecutableBuildOptionsProto
        7 env_option_overrides OptionOverride*
      ExecutableBuildOptionsProto
        1 device_ordinal int
        4 num_replicas int
        5 num_partitions int
        6 use_spmd_partitioning bool
        9 device_assignment DeviceAssignmentProto
        19 use_shardy_partitioner bool
      OptionOverride
        1 key string
        2 value OptionOverrideProto
      OptionOverrideProto
        1 string_field string
        2 bool_field bool
        3 int_field int
        4 double_field double
      StackFrameIndexProto
        1 file_names string*
        2 function_names string*
        3 file_locations FileLocation*
        4 stack_frames StackFrame*
      FileLocation
        1 file_name_id int
        2 function_name_id int
        3 line int
        4 column int
        5 end_line int
        6 end_column int
      StackFrame
        1 file_location_id int
        2 parent_frame_id int
      """;

  private static final MessageTypes TYPES = MessageTypes.parse(TEXT);

  private Schema() {}

  /** Returns the message type of a name, which must be in the table. */
  static MessageType message(String name) {
    return TYPES.get(name);
  }
}
