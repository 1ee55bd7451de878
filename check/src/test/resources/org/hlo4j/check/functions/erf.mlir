module @jit_erf {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<6xf32>) {
    %0 = chlo.erf %arg0 : tensor<6xf32> -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
