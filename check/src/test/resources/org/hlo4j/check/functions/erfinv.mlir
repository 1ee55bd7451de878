module @jit_erfinv {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<6xf32>) {
    %0 = chlo.erf_inv %arg0 : tensor<6xf32> -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
