module @jit_logaddexp {
  func.func public @main(%arg0: tensor<6xf64>, %arg1: tensor<6xf64>) -> (tensor<6xf64>) {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<6xf64>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<6xf64>
    %2 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %3 = stablehlo.add %arg0, %arg1 : tensor<6xf64>
    %4 = stablehlo.abs %1 : tensor<6xf64>
    %5 = stablehlo.negate %4 : tensor<6xf64>
    %6 = stablehlo.exponential %5 : tensor<6xf64>
    %7 = stablehlo.log_plus_one %6 : tensor<6xf64>
    %8 = stablehlo.add %0, %7 : tensor<6xf64>
    %9 = stablehlo.select %2, %3, %8 : tensor<6xi1>, tensor<6xf64>
    return %9 : tensor<6xf64>
  }
}
