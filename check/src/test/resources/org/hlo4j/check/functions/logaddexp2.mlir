module @jit_logaddexp2 {
  func.func public @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> (tensor<6xf32>) {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<6xf32>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<6xf32>
    %2 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %3 = stablehlo.add %arg0, %arg1 : tensor<6xf32>
    %4 = stablehlo.abs %1 : tensor<6xf32>
    %5 = stablehlo.negate %4 : tensor<6xf32>
    %cst = stablehlo.constant dense<0.693147182> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<6xf32>
    %8 = stablehlo.exponential %7 : tensor<6xf32>
    %9 = stablehlo.log_plus_one %8 : tensor<6xf32>
    %cst_0 = stablehlo.constant dense<1.44269502> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<6xf32>
    %12 = stablehlo.add %0, %11 : tensor<6xf32>
    %13 = stablehlo.select %2, %3, %12 : tensor<6xi1>, tensor<6xf32>
    return %13 : tensor<6xf32>
  }
}
