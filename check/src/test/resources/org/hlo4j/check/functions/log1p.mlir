module @jit_log1p {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<6xf32>) {
    %0 = stablehlo.log_plus_one %arg0 : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
