// Operands that hold the sizes of the results are not operands of the target, wherever they stand.
func.func @shape_operands() {
  %x = stablehlo.constant dense<[[4.0, 2.0], [2.0, 5.0]]> : tensor<2x2xf32>
  %sizes = stablehlo.constant dense<2> : tensor<2xi64>
  %none = stablehlo.constant dense<> : tensor<0xi32>
  %l, %info = stablehlo.custom_call @lapack_spotrf_ffi(%none, %x, %sizes) {
    api_version = 4 : i32,
    backend_config = {uplo = 76 : ui8},
    indices_of_shape_operands = dense<[2, 0]> : tensor<2xi64>,
    operand_layouts = [dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>],
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = []>]
  } : (tensor<0xi32>, tensor<2x2xf32>, tensor<2xi64>) -> (tensor<?x?xf32>, tensor<i32>)
  %shape = stablehlo.constant dense<2> : tensor<2xi32>
  %r = stablehlo.dynamic_reshape %l, %shape : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %r, dense<[[2.0, 2.0], [1.0, 2.0]]> : tensor<2x2xf32>
  check.expect_eq_const %info, dense<0> : tensor<i32>
  return
}

// -----

func.func @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %r = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %r : tensor<i1>
}

// The largest along the first dimension, with their places.
func.func @approximate_top_k() {
  %x = stablehlo.constant dense<[[1.0, 9.0], [3.0, 7.0], [2.0, 8.0]]> : tensor<3x2xf32>
  %i = stablehlo.iota dim = 0 : tensor<3x2xi32>
  %v = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %p = stablehlo.constant dense<-1> : tensor<i32>
  %values, %places = stablehlo.custom_call @ApproxTopK(%x, %i, %v, %p) {
    backend_config = "", called_computations = [@greater],
    mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true, recall_target = 0.95 : f32,
      reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64, top_k = 2 : i64}
  } : (tensor<3x2xf32>, tensor<3x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  check.expect_eq_const %values, dense<[[3.0, 9.0], [2.0, 8.0]]> : tensor<2x2xf32>
  check.expect_eq_const %places, dense<[[1, 0], [2, 2]]> : tensor<2x2xi32>
  return
}

// -----

func.func @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %r = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %r : tensor<i1>
}

// The same with k as an operand, and without aggregation: all candidates of a small array.
func.func @dynamic_approximate_top_k() {
  %x = stablehlo.constant dense<[1.0, 3.0, 2.0]> : tensor<3xf32>
  %v = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %i = stablehlo.iota dim = 0 : tensor<3xi32>
  %p = stablehlo.constant dense<-1> : tensor<i32>
  %k = stablehlo.constant dense<1> : tensor<i64>
  %sizes = stablehlo.constant dense<1> : tensor<1xi32>
  %values, %places = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%x, %i, %v, %p, %k, %sizes, %sizes) {
    called_computations = [@greater], indices_of_shape_operands = dense<[5, 6]> : tensor<2xi64>,
    mhlo.backend_config = {aggregate_to_topk = true, recall_target = 0.95 : f32, reduction_dim = 0 : i64}
  } : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>, tensor<i64>, tensor<1xi32>, tensor<1xi32>) -> (tensor<?xf32>, tensor<1xi32>)
  check.expect_eq_const %places, dense<1> : tensor<1xi32>
  %all, %order = stablehlo.custom_call @ApproxTopK(%x, %i, %v, %p) {
    called_computations = [@greater],
    mhlo.backend_config = {aggregate_to_topk = false, recall_target = 0.95 : f32, reduction_dim = 0 : i64, top_k = 1 : i64}
  } : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
  check.expect_eq_const %order, dense<[1, 2, 0]> : tensor<3xi32>
  return
}
