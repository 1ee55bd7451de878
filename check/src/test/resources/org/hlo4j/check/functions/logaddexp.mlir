module @jit_logaddexp {
  func.func public @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> (tensor<6xf32>) {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<6xf32>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<6xf32>
    %2 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %3 = stablehlo.add %arg0, %arg1 : tensor<6xf32>
    %4 = stablehlo.abs %1 : tensor<6xf32>
    %5 = stablehlo.negate %4 : tensor<6xf32>
    %6 = stablehlo.exponential %5 : tensor<6xf32>
    %7 = stablehlo.log_plus_one %6 : tensor<6xf32>
    %8 = stablehlo.add %0, %7 : tensor<6xf32>
    %9 = stablehlo.select %2, %3, %8 : tensor<6xi1>, tensor<6xf32>
    return %9 : tensor<6xf32>
  }
}
