module @jit__lambda {
  func.func public @main(%arg0: tensor<8xf64>, %arg1: tensor<8xf64>) -> (tensor<3xf64>) {
    %0 = call @polyfit(%arg0, %arg1) : (tensor<8xf64>, tensor<8xf64>) -> tensor<3xf64>
    return %0 : tensor<3xf64>
  }
  func.func private @polyfit(%arg0: tensor<8xf64>, %arg1: tensor<8xf64>) -> tensor<3xf64> {
    %0 = call @vander(%arg0) : (tensor<8xf64>) -> tensor<8x3xf64>
    %1 = stablehlo.multiply %0, %0 : tensor<8x3xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<8x3xf64>, tensor<f64>) -> tensor<3xf64>
    %3 = stablehlo.sqrt %2 : tensor<3xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<3xf64>) -> tensor<1x3xf64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x3xf64>) -> tensor<8x3xf64>
    %6 = stablehlo.divide %0, %5 : tensor<8x3xf64>
    %cst_0 = stablehlo.constant dense<1.7763568394002505E-15> : tensor<f64>
    %7:4 = call @_lstsq(%6, %arg1, %cst_0) : (tensor<8x3xf64>, tensor<8xf64>, tensor<f64>) -> (tensor<3xf64>, tensor<1xf64>, tensor<i64>, tensor<3xf64>)
    %8 = stablehlo.divide %7#0, %3 : tensor<3xf64>
    return %8 : tensor<3xf64>
  }
  func.func private @vander(%arg0: tensor<8xf64>) -> tensor<8x3xf64> {
    %0 = stablehlo.iota dim = 0 : tensor<3xf64>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %2 = stablehlo.subtract %1, %0 : tensor<3xf64>
    %3 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<8xf64>) -> tensor<8x1xf64>
    %4 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<3xf64>) -> tensor<1x3xf64>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x1xf64>) -> tensor<8x3xf64>
    %6 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x3xf64>) -> tensor<8x3xf64>
    %7 = stablehlo.power %5, %6 : tensor<8x3xf64>
    return %7 : tensor<8x3xf64>
  }
  func.func private @_lstsq(%arg0: tensor<8x3xf64>, %arg1: tensor<8xf64>, %arg2: tensor<f64>) -> (tensor<3xf64>, tensor<1xf64>, tensor<i64>, tensor<3xf64>) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<8xf64>) -> tensor<8x1xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.compare LT, %arg2, %cst, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %cst_0 = stablehlo.constant dense<2.2204460492503131E-16> : tensor<f64>
    %2 = call @_where(%1, %cst_0, %arg2) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
    %3:3 = call @svd(%arg0) : (tensor<8x3xf64>) -> (tensor<8x3xf64>, tensor<3xf64>, tensor<3x3xf64>)
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %5 = stablehlo.compare GT, %3#1, %4, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %6 = stablehlo.slice %3#1 [0:1] : (tensor<3xf64>) -> tensor<1xf64>
    %7 = stablehlo.reshape %6 : (tensor<1xf64>) -> tensor<f64>
    %8 = stablehlo.multiply %2, %7 : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %10 = stablehlo.compare GE, %3#1, %9, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %11 = stablehlo.and %5, %10 : tensor<3xi1>
    %12 = stablehlo.convert %11 : (tensor<3xi1>) -> tensor<3xi32>
    %13 = stablehlo.convert %12 : (tensor<3xi32>) -> tensor<3xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %14 = stablehlo.reduce(%13 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
    %c_2 = stablehlo.constant dense<1> : tensor<i64>
    %15 = call @_where_0(%11, %3#1, %c_2) : (tensor<3xi1>, tensor<3xf64>, tensor<i64>) -> tensor<3xf64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %17 = stablehlo.divide %16, %15 : tensor<3xf64>
    %c_4 = stablehlo.constant dense<0> : tensor<i64>
    %18 = call @_where_0(%11, %17, %c_4) : (tensor<3xi1>, tensor<3xf64>, tensor<i64>) -> tensor<3xf64>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<3xf64>) -> tensor<3x1xf64>
    %20 = stablehlo.transpose %3#0, dims = [1, 0] : (tensor<8x3xf64>) -> tensor<3x8xf64>
    %21 = stablehlo.dot_general %20, %0, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x8xf64>, tensor<8x1xf64>) -> tensor<3x1xf64>
    %22 = stablehlo.transpose %3#2, dims = [1, 0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
    %23 = stablehlo.multiply %19, %21 : tensor<3x1xf64>
    %24 = stablehlo.dot_general %22, %23, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x3xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
    %25 = stablehlo.dot_general %arg0, %24, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<8x3xf64>, tensor<3x1xf64>) -> tensor<8x1xf64>
    %26 = stablehlo.subtract %0, %25 : tensor<8x1xf64>
    %27 = call @norm(%26) : (tensor<8x1xf64>) -> tensor<1xf64>
    %28 = stablehlo.multiply %27, %27 : tensor<1xf64>
    %29 = stablehlo.reshape %24 : (tensor<3x1xf64>) -> tensor<3xf64>
    return %29, %28, %14, %3#1 : tensor<3xf64>, tensor<1xf64>, tensor<i64>, tensor<3xf64>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f64>, %arg2: tensor<f64>) -> tensor<f64> {
    %0 = stablehlo.convert %arg2 : tensor<f64>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<i1>, tensor<f64>
    return %1 : tensor<f64>
  }
  func.func private @svd(%arg0: tensor<8x3xf64>) -> (tensor<8x3xf64>, tensor<3xf64>, tensor<3x3xf64>) {
    %0:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<8x3xf64>) -> (tensor<8x3xf64>, tensor<3xf64>, tensor<8x3xf64>, tensor<3x3xf64>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<3xi1>, tensor<3xf64>
    %7 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<8x3xf64>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<8x3xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<8x3xi1>, tensor<8x3xf64>
    %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<3x3xi1>, tensor<3x3xf64>
    return %10, %6, %14 : tensor<8x3xf64>, tensor<3xf64>, tensor<3x3xf64>
  }
  func.func private @_where_0(%arg0: tensor<3xi1>, %arg1: tensor<3xf64>, %arg2: tensor<i64>) -> tensor<3xf64> {
    %0 = stablehlo.convert %arg2 : (tensor<i64>) -> tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<3xi1>, tensor<3xf64>
    return %2 : tensor<3xf64>
  }
  func.func private @norm(%arg0: tensor<8x1xf64>) -> tensor<1xf64> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<8x1xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<8x1xf64>, tensor<f64>) -> tensor<1xf64>
    %2 = stablehlo.sqrt %1 : tensor<1xf64>
    return %2 : tensor<1xf64>
  }
}
