module @jit_diff {
  func.func public @main(%arg0: tensor<16xf32>) -> (tensor<15xf32>) {
    %0 = call @diff(%arg0) : (tensor<16xf32>) -> tensor<15xf32>
    return %0 : tensor<15xf32>
  }
  func.func private @diff(%arg0: tensor<16xf32>) -> tensor<15xf32> {
    %0 = stablehlo.slice %arg0 [1:16] : (tensor<16xf32>) -> tensor<15xf32>
    %1 = stablehlo.slice %arg0 [0:15] : (tensor<16xf32>) -> tensor<15xf32>
    %2 = stablehlo.subtract %0, %1 : tensor<15xf32>
    return %2 : tensor<15xf32>
  }
}
