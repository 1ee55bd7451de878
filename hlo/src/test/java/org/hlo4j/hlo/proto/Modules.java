package org.hlo4j.hlo.proto;

/** Texts of modules as XLA prints them. */
final class Modules {
  private Modules() {}

  /** All attributes of a header, layouts, and the attributes common to all instructions. */
  static final String ATTRIBUTES =
      """
      HloModule m, is_scheduled=true, \
      input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, must-alias) }, \
      buffer_donor={ (1, {}) }, \
      entry_computation_layout={(f32[2,3]{0,1:T(8,128)(2,1)S(5)}, s32[<=4]{0})->(f32[2,3]{1,0}, s32[<=4]{0})}, \
      allow_spmd_sharding_propagation_to_output={true}, replica_count=2, num_partitions=4, \
      frontend_attributes={a="b",c={d=1}}

      FileNames
      1 "a.py"

      FunctionNames
      1 "f"

      FileLocations
      1 {file_name_id=1 function_name_id=1 line=5 end_line=5 column=2 end_column=9}

      StackFrames
      1 {file_location_id=1 parent_frame_id=1}
      2 {file_location_id=1 parent_frame_id=2}


      ENTRY %main (p: f32[2,3], q: s32[<=4]) -> (f32[2,3], s32[<=4]) {
        %p = f32[2,3]{0,1:T(8,128)(2,1)S(5)} parameter(0), sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dims={manual}}, metadata={op_name="jit(f)/x" source_file="a.py" source_line=3 source_column=4 stack_frame_id=2}
        %q = s32[<=4]{0} parameter(1), parameter_replication={true}, sharding={maximal device=3}, statistics={visualizing_index=1,a=0.5,b=2}
        %c = f32[2,3]{1,0} custom-call(%p), custom_call_target="target", custom_call_has_side_effect=true, schedule=SCHEDULE_LATEST, api_version=API_VERSION_TYPED_FFI, window={size=2 pad=0_1}, dim_labels=b0f_0io->b0f, feature_group_count=2, frontend_attributes={q="1"}, metadata={op_name="hi" deduplicated_name="someone"}, backend_config="a\\tb\\377"
        %n = f32[2,3]{1,0} negate(%c), sharding={replicated metadata={op_name="n"}}, control-predecessors={%p, %c}, origin={{"q" {1,0}}}, backend_config={"a":{"b":1}}
        %e = f32[2,3]{1,0} exponential(%n), result_accuracy={mode=highest}, sharding={{replicated}, {devices=[2,1]0,1 last_tile_dim_replicate shard_as 2}}
        ROOT %t = (f32[2,3]{1,0}, s32[<=4]{0}) tuple(%e, %q)
      }, execution_thread="main_thread"
      """;

  /** A while loop, a fusion and a constant in column-major layout. */
  static final String CALLS =
      """
      HloModule calls, entry_computation_layout={(s32[])->s32[]}

      %fused (a: s32[]) -> s32[] {
        %a = s32[] parameter(0)
        %one = s32[] constant(1)
        ROOT %sum = s32[] add(%a, %one)
      }

      %body (b: s32[]) -> s32[] {
        %b = s32[] parameter(0)
        %m = s32[2,2]{0,1} constant({ { 1, 2 }, { 3, 4 } })
        ROOT %f = s32[] fusion(%b), kind=kLoop, calls=%fused
      }

      %condition (c: s32[]) -> pred[] {
        %c = s32[] parameter(0)
        %limit = s32[] constant(10)
        ROOT %less = pred[] compare(%c, %limit), direction=LT
      }

      ENTRY %main (start: s32[]) -> s32[] {
        %start = s32[] parameter(0)
        ROOT %loop = s32[] while(%start), condition=%condition, body=%body
      }
      """;
}
