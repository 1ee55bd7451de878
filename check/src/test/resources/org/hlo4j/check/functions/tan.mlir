module @jit_tan {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<6xf32>) {
    %0 = stablehlo.tan %arg0 : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
