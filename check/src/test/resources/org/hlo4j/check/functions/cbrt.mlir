module @jit_cbrt {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<6xf32>) {
    %0 = stablehlo.cbrt %arg0 : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
