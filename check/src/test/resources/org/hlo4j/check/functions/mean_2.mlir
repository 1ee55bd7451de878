module @jit__lambda {
  func.func public @main(%arg0: tensor<4x8xf64>) -> (tensor<8xf64>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf64>, tensor<f64>) -> tensor<8xf64>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<8xf64>
    %2 = stablehlo.divide %0, %1 : tensor<8xf64>
    return %2 : tensor<8xf64>
  }
}
