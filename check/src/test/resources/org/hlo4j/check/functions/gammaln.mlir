module @jit_gammaln {
  func.func public @main(%arg0: tensor<7xf32>) -> (tensor<7xf32>) {
    %0 = chlo.lgamma %arg0 : tensor<7xf32> -> tensor<7xf32>
    return %0 : tensor<7xf32>
  }
}
