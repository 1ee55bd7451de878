module @jit_logit {
  func.func public @main(%arg0: tensor<7xf32>) -> (tensor<7xf32>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.subtract %0, %arg0 : tensor<7xf32>
    %2 = stablehlo.divide %arg0, %1 : tensor<7xf32>
    %3 = stablehlo.log %2 : tensor<7xf32>
    return %3 : tensor<7xf32>
  }
}
