module @jit_expm1 {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<6xf32>) {
    %0 = stablehlo.exponential_minus_one %arg0 : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
