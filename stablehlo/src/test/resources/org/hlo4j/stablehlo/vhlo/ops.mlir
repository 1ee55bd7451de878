module @ops attributes {mhlo.num_partitions = 1 : i32, mhlo.flag = true} {
  func.func private @callee(%a: tensor<4xf32> {mhlo.sharding = "{replicated}"}) -> (tensor<4xf32> {jax.result_info = "r"}) attributes {my.list = [1 : i32, "x"]} {
    return %a : tensor<4xf32>
  }
  func.func private @f1(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %0 = stablehlo.abs %a : tensor<4xf32>
    %1 = stablehlo.cbrt %a : tensor<4xf32>
    %2 = stablehlo.ceil %a : tensor<4xf32>
    %3 = stablehlo.cosine %a : tensor<4xf32>
    %4 = stablehlo.exponential %a : tensor<4xf32>
    %5 = stablehlo.exponential_minus_one %a : tensor<4xf32>
    %6 = stablehlo.floor %a : tensor<4xf32>
    %7 = stablehlo.log %a : tensor<4xf32>
    %8 = stablehlo.log_plus_one %a : tensor<4xf32>
    %9 = stablehlo.logistic %a : tensor<4xf32>
    %10 = stablehlo.negate %a : tensor<4xf32>
    %11 = stablehlo.round_nearest_afz %a : tensor<4xf32>
    %12 = stablehlo.round_nearest_even %a : tensor<4xf32>
    %13 = stablehlo.rsqrt %a : tensor<4xf32>
    %14 = stablehlo.sign %a : tensor<4xf32>
    %15 = stablehlo.sine %a : tensor<4xf32>
    %16 = stablehlo.sqrt %a : tensor<4xf32>
    %17 = stablehlo.tanh %a : tensor<4xf32>
    return
  }
  func.func private @f2(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %0 = stablehlo.tan %a : tensor<4xf32>
    return
  }
  func.func private @f3(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    %1 = stablehlo.atan2 %a, %b : tensor<4xf32>
    %2 = stablehlo.divide %a, %b : tensor<4xf32>
    %3 = stablehlo.maximum %a, %b : tensor<4xf32>
    %4 = stablehlo.minimum %a, %b : tensor<4xf32>
    %5 = stablehlo.multiply %a, %b : tensor<4xf32>
    %6 = stablehlo.power %a, %b : tensor<4xf32>
    %7 = stablehlo.remainder %a, %b : tensor<4xf32>
    %8 = stablehlo.subtract %a, %b : tensor<4xf32>
    return
  }
  func.func private @f4(%i: tensor<4xi32>) {
    %0 = stablehlo.and %i, %i : tensor<4xi32>
    %1 = stablehlo.or %i, %i : tensor<4xi32>
    %2 = stablehlo.xor %i, %i : tensor<4xi32>
    %3 = stablehlo.shift_left %i, %i : tensor<4xi32>
    %4 = stablehlo.shift_right_arithmetic %i, %i : tensor<4xi32>
    %5 = stablehlo.shift_right_logical %i, %i : tensor<4xi32>
    %n = stablehlo.not %i : tensor<4xi32>
    %p = stablehlo.popcnt %i : tensor<4xi32>
    %z = stablehlo.count_leading_zeros %i : tensor<4xi32>
    return
  }
  func.func private @f5(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %0 = stablehlo.is_finite %a : (tensor<4xf32>) -> tensor<4xi1>
    %1 = stablehlo.complex %a, %b : tensor<4xcomplex<f32>>
    %2 = stablehlo.real %1 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %3 = stablehlo.imag %1 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %4 = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xi8>
    %5 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4xi32>
    %6 = stablehlo.clamp %a, %b, %a : tensor<4xf32>
    %7 = stablehlo.select %0, %a, %b : tensor<4xi1>, tensor<4xf32>
    %8 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4xf32>
    %9 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %10 = stablehlo.compare EQ, %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    return
  }
  func.func private @f6(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %0 = stablehlo.constant dense<[1.0, -2.5, 3.0, 4.0]> : tensor<4xf32>
    %1 = stablehlo.constant dense<true> : tensor<3xi1>
    %2 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
    %3 = stablehlo.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi4>
    %4 = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f64>>
    %5 = stablehlo.constant dense<> : tensor<0x3xui8>
    %6 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xbf16>
    %7 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E4M3FN>
    %8 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
    %9 = stablehlo.iota dim = 1 : tensor<2x3xi64>
    %10 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf16>
    %11 = stablehlo.constant dense<[1, -2]> : tensor<2xi16>
    %12 = stablehlo.constant dense<[true, false, true, true, false, true, true, false, true, true]> : tensor<10xi1>
    return
  }
  func.func private @f7(%a: tensor<4xf32>, %b: tensor<4xf32>, %i: tensor<i32>, %j: tensor<2xi32>) {
    %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
    %1 = "stablehlo.broadcast"(%a) <{broadcast_sizes = array<i64: 2>}> : (tensor<4xf32>) -> tensor<2x4xf32>
    %2 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %3 = stablehlo.slice %a [1:4:2] : (tensor<4xf32>) -> tensor<2xf32>
    %4 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<2x2xf32>
    %5 = stablehlo.reverse %a, dims = [0] : tensor<4xf32>
    %6 = stablehlo.transpose %4, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %7 = stablehlo.constant dense<0.0> : tensor<f32>
    %8 = stablehlo.pad %a, %7, low = [1], high = [-1], interior = [2] : (tensor<4xf32>, tensor<f32>) -> tensor<10xf32>
    %9 = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<4xf32>, tensor<i32>) -> tensor<2xf32>
    %10 = stablehlo.dynamic_update_slice %a, %9, %i : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<4xf32>
    %11 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<4xf32>) -> tensor<i32>
    %12 = "stablehlo.set_dimension_size"(%a, %i) <{dimension = 0 : i64}> : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
    %13 = "stablehlo.torch_index_select"(%a, %j) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>
    return
  }
  func.func private @f8(%x: tensor<?xf32>, %s: tensor<2xi64>, %z: tensor<f32>, %t: tensor<1xi64>, %y: tensor<?x?xf32>, %k: tensor<?x1xi32>) {
    %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %1 = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) <{broadcast_dimensions = array<i64: 1>, known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: 0>}> : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %2 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
    %3 = stablehlo.dynamic_reshape %x, %s : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %4 = stablehlo.dynamic_pad %x, %z, %t, %t, %t : (tensor<?xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
    %5 = stablehlo.real_dynamic_slice %x, %t, %t, %t : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
    %6 = "stablehlo.dynamic_gather"(%y, %k, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true}> : (tensor<?x?xf32>, tensor<?x1xi32>, tensor<2xi64>) -> tensor<?x?xf32>
    return
  }
  func.func private @f9(%x: tensor<3x4xf32>, %i: tensor<2x1xi32>, %u: tensor<2x4xf32>) {
    %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>, indices_are_sorted = true}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
    %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<3x4xf32>
    return
  }
  func.func private @f10(%x: tensor<3x4xf32>, %i: tensor<3x1xi32>) {
    %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x4xf32>, tensor<3x1xi32>) -> tensor<3x2xf32>
    return
  }
  func.func private @f11(%x: tensor<3x4xf32>, %y: tensor<3x2xf32>, %z: tensor<f32>) {
    %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    %1 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.maximum %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x2xf32>
    %2 = "stablehlo.select_and_scatter"(%x, %y, %z) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }, {
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<3x2xf32>, tensor<f32>) -> tensor<3x4xf32>
    %3 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%p: tensor<f32>):
      %s = stablehlo.negate %p : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %4 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    return
  }
  func.func private @f12(%x: tensor<3x4xf32>, %y: tensor<4x2xf32>, %i: tensor<1x8x8x4xf32>, %k: tensor<3x3x2x6xf32>, %m: tensor<3x3x4x6xf32>) {
    %0 = stablehlo.dot %x, %y, precision = [HIGH, DEFAULT] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
    %2 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3xf32>
    %3 = "stablehlo.einsum"(%x, %y) <{einsum_config = "ab,bc->ac"}> : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
    %4 = "stablehlo.unary_einsum"(%x) <{einsum_config = "ab->a"}> : (tensor<3x4xf32>) -> tensor<3xf32>
    %5 = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[0, 1], [1, 0]], lhs_dilate = [2, 1], rhs_dilate = [1, 2], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<1x14x3x6xf32>
    %6 = stablehlo.convolution(%i, %m) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[f, 0, b, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<6x6x1x6xf32>
    return
  }
  func.func private @f13(%x: tensor<3x4xf32>, %y: tensor<4x2xf32>) {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
    return
  }
  func.func private @f14(%i: tensor<1x8x8x4xf32>, %m: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
    %0 = "stablehlo.dynamic_conv"(%i, %m, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, window_strides = array<i64: 2, 2>}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<1x?x?x6xf32>
    return
  }
  func.func private @f15(%x: tensor<3x4xf32>, %a: tensor<4xf32>, %s: tensor<3x3xf32>, %z: tensor<f32>, %l: tensor<1xi64>, %k: tensor<2xui64>) {
    %0:3 = "stablehlo.batch_norm_grad"(%x, %a, %a, %a, %x) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>)
    %1 = "stablehlo.batch_norm_inference"(%x, %a, %a, %a, %a) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %2:3 = "stablehlo.batch_norm_training"(%x, %a, %a) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>)
    %3 = stablehlo.cholesky %s, lower = true : tensor<3x3xf32>
    %4 = "stablehlo.triangular_solve"(%s, %x) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %5 = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
    %6 = stablehlo.rng %z, %z, %l, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<?xf32>
    %7, %8 = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    return
  }
  func.func private @f16(%a: tensor<4xf32>, %b: tensor<4xf32>, %i: tensor<i32>, %p: tensor<i1>) {
    %0 = "stablehlo.case"(%i) ({
      stablehlo.return %a : tensor<4xf32>
    }, {
      stablehlo.return %b : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %1 = "stablehlo.if"(%p) ({
      stablehlo.return %a : tensor<4xf32>
    }, {
      %s = stablehlo.add %a, %b : tensor<4xf32>
      stablehlo.return %s : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    %2:2 = stablehlo.while(%q = %i, %r = %a) : tensor<i32>, tensor<4xf32>
    cond {
      %s = stablehlo.compare LT, %q, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    } do {
      %s = stablehlo.add %r, %b : tensor<4xf32>
      stablehlo.return %q, %s : tensor<i32>, tensor<4xf32>
    }
    %3:2 = stablehlo.optimization_barrier %a, %b : tensor<4xf32>, tensor<4xf32>
    %4 = stablehlo.tuple %a, %i : tuple<tensor<4xf32>, tensor<i32>>
    %5 = stablehlo.get_tuple_element %4[1] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
    %6 = call @callee(%a) : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
  func.func private @f17(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %0 = stablehlo.composite "my.op" %a {composite_attributes = {a = 1 : i32, b = "x", c = dense<[1, 2]> : tensor<2xi64>, d = 2.5 : f64, e = [true, false]}, decomposition = @callee, version = 3 : i32} : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
  func.func private @f18(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %0:2 = stablehlo.custom_call @foo(%a, %b) {api_version = 2 : i32, has_side_effect = true, backend_config = "text", called_computations = [@callee], operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = []>], mhlo.frontend_attributes = {k = "v"}} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
    %1 = stablehlo.custom_call @bar(%a) : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
  func.func private @f19(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %0 = stablehlo.custom_call @baz(%a) {api_version = 4 : i32, backend_config = {n = 3 : i64, s = "x"}} : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
  func.func private @f20(%x: tensor<2x2xf32>) {
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x2xf32>) -> tensor<2x4xf32>
    %1 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %2 = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x2xf32>) -> tensor<1x4xf32>
    %3 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2x2xf32>) -> tensor<1x2xf32>
    %4 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %5 = "stablehlo.cross-replica-sum"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %6 = stablehlo.replica_id : tensor<ui32>
    %7 = stablehlo.partition_id : tensor<ui32>
    return
  }
  func.func private @f21(%x: tensor<2x2xf32>) {
    %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
    return
  }
  func.func private @f22(%a: tensor<4xf32>, %t: !stablehlo.token) {
    %0 = stablehlo.create_token : !stablehlo.token
    %1 = stablehlo.after_all %t, %0 : !stablehlo.token
    %2:2 = "stablehlo.infeed"(%1) <{infeed_config = "cfg", layout = [[0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %3 = "stablehlo.outfeed"(%a, %1) <{outfeed_config = ""}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %4 = "stablehlo.send"(%a, %1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %5:2 = "stablehlo.recv"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    return
  }
  func.func private @f23(%a: tensor<4xf32>, %t: !stablehlo.token) {
    %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    return
  }
  func.func private @f24(%x: tensor<2x2xf32>) {
    %0 = "stablehlo.async_start"(%x) ({
    ^bb0(%p: tensor<2x2xf32>):
      %1 = "stablehlo.all_gather"(%p) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x2xf32>) -> tensor<2x4xf32>
      stablehlo.return %1 : tensor<2x4xf32>
    }) : (tensor<2x2xf32>) -> !stablehlo.future<tensor<2x4xf32>>
    %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2x4xf32>>) -> tensor<2x4xf32>
    return
  }
  func.func private @f25(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %0 = "stablehlo.exponential"(%a) <{result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.tanh"(%a) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>}> : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
  func.func private @f26(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 8>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
  func.func private @f27(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %0 = stablehlo.uniform_quantize %a : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
    %1 = stablehlo.uniform_dequantize %0 : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
    %2 = stablehlo.uniform_quantize %a : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8<-100:100>:f32, 0.25>>
    return
  }
  func.func private @f28(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %0 = stablehlo.uniform_quantize %a : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32:0, {0.5:3, 1.0, 0.125:-2, 2.0}>>
    return
  }
  func.func private @f29(%x: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %b: tensor<2xf8E5M2>) {
    %0 = stablehlo.add %x, %x : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
    return
  }
  func.func private @f30(%x: tensor<2xf6E2M3FN>, %y: tensor<2xf6E3M2FN>, %z: tensor<2xui2>) {
    %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf4E2M1FN>
    %1 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E8M0FNU>
    %2 = stablehlo.constant dense<[1, -2]> : tensor<2xi2>
    %3 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E3M4>
    %4 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E4M3>
    return
  }
  func.func private @f31(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E4M3FNUZ>
    %1 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E5M2FNUZ>
    %2 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E4M3B11FNUZ>
    return
  }
}
