module @jit_arctanh {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<6xf32>) {
    %0 = chlo.atanh %arg0 : tensor<6xf32> -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
