module @jit_softplus {
  func.func public @main(%arg0: tensor<4x8xbf16>) -> (tensor<4x8xbf16>) {
    %0 = call @softplus(%arg0) : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
    return %0 : tensor<4x8xbf16>
  }
  func.func private @softplus(%arg0: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<4x8xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x8xbf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<4x8xbf16>
    %3 = stablehlo.subtract %arg0, %2 : tensor<4x8xbf16>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<4x8xbf16>
    %6 = stablehlo.add %arg0, %5 : tensor<4x8xbf16>
    %7 = stablehlo.abs %3 : tensor<4x8xbf16>
    %8 = stablehlo.negate %7 : tensor<4x8xbf16>
    %9 = stablehlo.exponential %8 : tensor<4x8xbf16>
    %10 = stablehlo.log_plus_one %9 : tensor<4x8xbf16>
    %11 = stablehlo.add %1, %10 : tensor<4x8xbf16>
    %12 = stablehlo.select %4, %6, %11 : tensor<4x8xi1>, tensor<4x8xbf16>
    return %12 : tensor<4x8xbf16>
  }
}
