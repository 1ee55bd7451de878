module @jit_power {
  func.func public @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> (tensor<6xf32>) {
    %0 = stablehlo.power %arg0, %arg1 : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
