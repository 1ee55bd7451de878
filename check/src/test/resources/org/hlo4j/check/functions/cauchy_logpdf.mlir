module @jit_logpdf {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<6xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.subtract %arg0, %0 : tensor<6xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.divide %1, %2 : tensor<6xf32>
    %cst_1 = stablehlo.constant dense<3.14159274> : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.multiply %cst_1, %cst_2 : tensor<f32>
    %5 = stablehlo.log %4 : tensor<f32>
    %6 = stablehlo.multiply %3, %3 : tensor<6xf32>
    %7 = stablehlo.log_plus_one %6 : tensor<6xf32>
    %8 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %9 = stablehlo.add %8, %7 : tensor<6xf32>
    %10 = stablehlo.negate %9 : tensor<6xf32>
    return %10 : tensor<6xf32>
  }
}
