module @jit_erf {
  func.func public @main(%arg0: tensor<6xf64>) -> (tensor<6xf64>) {
    %0 = chlo.erf %arg0 : tensor<6xf64> -> tensor<6xf64>
    return %0 : tensor<6xf64>
  }
}
