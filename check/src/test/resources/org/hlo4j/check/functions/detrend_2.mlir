module @jit_detrend {
  func.func public @main(%arg0: tensor<16xf64>) -> (tensor<16xf64>) {
    %c = stablehlo.constant dense<> : tensor<0xi32>
    %0 = stablehlo.reshape %arg0 : (tensor<16xf64>) -> tensor<16x1xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %2 = stablehlo.iota dim = 0 : tensor<16xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %4 = stablehlo.add %3, %2 : tensor<16xf64>
    %cst_1 = stablehlo.constant dense<1.600000e+01> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<16xf64>
    %6 = stablehlo.divide %4, %5 : tensor<16xf64>
    %7 = call @atleast_2d(%1) : (tensor<16xf64>) -> tensor<1x16xf64>
    %8 = call @atleast_2d(%6) : (tensor<16xf64>) -> tensor<1x16xf64>
    %9 = stablehlo.concatenate %7, %8, dim = 0 : (tensor<1x16xf64>, tensor<1x16xf64>) -> tensor<2x16xf64>
    %10 = stablehlo.transpose %9, dims = [1, 0] : (tensor<2x16xf64>) -> tensor<16x2xf64>
    %11:4 = call @_lstsq(%10, %0) : (tensor<16x2xf64>, tensor<16x1xf64>) -> (tensor<2x1xf64>, tensor<1xf64>, tensor<i64>, tensor<2xf64>)
    %12 = stablehlo.dot_general %10, %11#0, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<16x2xf64>, tensor<2x1xf64>) -> tensor<16x1xf64>
    %13 = stablehlo.negate %12 : tensor<16x1xf64>
    %14 = "stablehlo.scatter"(%0, %c, %13) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1]>, unique_indices = true}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %16 = stablehlo.add %arg1, %arg2 : tensor<f64>
      stablehlo.return %16 : tensor<f64>
    }) : (tensor<16x1xf64>, tensor<0xi32>, tensor<16x1xf64>) -> tensor<16x1xf64>
    %15 = stablehlo.reshape %14 : (tensor<16x1xf64>) -> tensor<16xf64>
    return %15 : tensor<16xf64>
  }
  func.func private @atleast_2d(%arg0: tensor<16xf64>) -> tensor<1x16xf64> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<16xf64>) -> tensor<1x16xf64>
    return %0 : tensor<1x16xf64>
  }
  func.func private @_lstsq(%arg0: tensor<16x2xf64>, %arg1: tensor<16x1xf64>) -> (tensor<2x1xf64>, tensor<1xf64>, tensor<i64>, tensor<2xf64>) {
    %0:3 = call @svd(%arg0) : (tensor<16x2xf64>) -> (tensor<16x2xf64>, tensor<2xf64>, tensor<2x2xf64>)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %2 = stablehlo.compare GT, %0#1, %1, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %3 = stablehlo.slice %0#1 [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %4 = stablehlo.reshape %3 : (tensor<1xf64>) -> tensor<f64>
    %cst_0 = stablehlo.constant dense<3.5527136788005009E-15> : tensor<f64>
    %5 = stablehlo.multiply %cst_0, %4 : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %7 = stablehlo.compare GE, %0#1, %6, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %8 = stablehlo.and %2, %7 : tensor<2xi1>
    %9 = stablehlo.convert %8 : (tensor<2xi1>) -> tensor<2xi32>
    %10 = stablehlo.convert %9 : (tensor<2xi32>) -> tensor<2xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %11 = stablehlo.reduce(%10 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
    %c_1 = stablehlo.constant dense<1> : tensor<i64>
    %12 = call @_where(%8, %0#1, %c_1) : (tensor<2xi1>, tensor<2xf64>, tensor<i64>) -> tensor<2xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %14 = stablehlo.divide %13, %12 : tensor<2xf64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %15 = call @_where(%8, %14, %c_3) : (tensor<2xi1>, tensor<2xf64>, tensor<i64>) -> tensor<2xf64>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<2xf64>) -> tensor<2x1xf64>
    %17 = stablehlo.transpose %0#0, dims = [1, 0] : (tensor<16x2xf64>) -> tensor<2x16xf64>
    %18 = stablehlo.dot_general %17, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x16xf64>, tensor<16x1xf64>) -> tensor<2x1xf64>
    %19 = stablehlo.transpose %0#2, dims = [1, 0] : (tensor<2x2xf64>) -> tensor<2x2xf64>
    %20 = stablehlo.multiply %16, %18 : tensor<2x1xf64>
    %21 = stablehlo.dot_general %19, %20, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
    %22 = stablehlo.dot_general %arg0, %21, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<16x2xf64>, tensor<2x1xf64>) -> tensor<16x1xf64>
    %23 = stablehlo.subtract %arg1, %22 : tensor<16x1xf64>
    %24 = call @norm(%23) : (tensor<16x1xf64>) -> tensor<1xf64>
    %25 = stablehlo.multiply %24, %24 : tensor<1xf64>
    return %21, %25, %11, %0#1 : tensor<2x1xf64>, tensor<1xf64>, tensor<i64>, tensor<2xf64>
  }
  func.func private @svd(%arg0: tensor<16x2xf64>) -> (tensor<16x2xf64>, tensor<2xf64>, tensor<2x2xf64>) {
    %0:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<16x2xf64>) -> (tensor<16x2xf64>, tensor<2xf64>, tensor<16x2xf64>, tensor<2x2xf64>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<2xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<2xi1>, tensor<2xf64>
    %7 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<16x2xf64>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<16x2xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<16x2xi1>, tensor<16x2xf64>
    %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<2x2xf64>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<2x2xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<2x2xi1>, tensor<2x2xf64>
    return %10, %6, %14 : tensor<16x2xf64>, tensor<2xf64>, tensor<2x2xf64>
  }
  func.func private @_where(%arg0: tensor<2xi1>, %arg1: tensor<2xf64>, %arg2: tensor<i64>) -> tensor<2xf64> {
    %0 = stablehlo.convert %arg2 : (tensor<i64>) -> tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<2xi1>, tensor<2xf64>
    return %2 : tensor<2xf64>
  }
  func.func private @norm(%arg0: tensor<16x1xf64>) -> tensor<1xf64> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<16x1xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<16x1xf64>, tensor<f64>) -> tensor<1xf64>
    %2 = stablehlo.sqrt %1 : tensor<1xf64>
    return %2 : tensor<1xf64>
  }
}
