module @jit_rint {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<6xf32>) {
    %0 = call @rint(%arg0) : (tensor<6xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func private @rint(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
