module @jit__lambda {
  func.func public @main(%arg0: tensor<4x8xf64>) -> (tensor<4xf64>) {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf64>, tensor<f64>) -> tensor<4xf64>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %2 = stablehlo.maximum %1, %0 : tensor<4xf64>
    %3 = stablehlo.is_finite %2 : (tensor<4xf64>) -> tensor<4xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %5 = stablehlo.select %3, %2, %4 : tensor<4xi1>, tensor<4xf64>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<4xf64>) -> tensor<4x1xf64>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x8xf64>
    %8 = stablehlo.subtract %arg0, %7 : tensor<4x8xf64>
    %9 = stablehlo.exponential %8 : tensor<4x8xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %10 = stablehlo.reduce(%9 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf64>, tensor<f64>) -> tensor<4xf64>
    %11 = stablehlo.sign %10 : tensor<4xf64>
    %12 = stablehlo.abs %10 : tensor<4xf64>
    %13 = stablehlo.log %12 : tensor<4xf64>
    %14 = stablehlo.add %13, %5 : tensor<4xf64>
    return %14 : tensor<4xf64>
  }
}
