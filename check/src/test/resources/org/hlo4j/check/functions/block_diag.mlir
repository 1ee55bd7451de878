module @jit_block_diag {
  func.func public @main(%arg0: tensor<2x2xf32>, %arg1: tensor<1x2xf32>) -> (tensor<3x4xf32>) {
    %0 = call @block_diag(%arg0, %arg1) : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
  func.func private @block_diag(%arg0: tensor<2x2xf32>, %arg1: tensor<1x2xf32>) -> tensor<3x4xf32> {
    %0 = call @atleast_2d(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = call @atleast_2d_0(%arg1) : (tensor<1x2xf32>) -> tensor<1x2xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.pad %0, %cst, low = [0, 0], high = [0, 2], interior = [0, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.pad %1, %cst_0, low = [0, 2], high = [0, 0], interior = [0, 0] : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x4xf32>
    %4 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
    return %4 : tensor<3x4xf32>
  }
  func.func private @atleast_2d(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {
    return %arg0 : tensor<2x2xf32>
  }
  func.func private @atleast_2d_0(%arg0: tensor<1x2xf32>) -> tensor<1x2xf32> {
    return %arg0 : tensor<1x2xf32>
  }
}
