module @jit__lambda {
  func.func public @main(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xbf16>, %arg2: tensor<4x8xbf16>) -> (tensor<4x8xbf16>) {
    %0 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<4x8xbf16>) -> tensor<8x4xbf16>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xbf16>
    %cst = stablehlo.constant dense<2.828130e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<4x4xbf16>
    %3 = stablehlo.divide %1, %2 : tensor<4x4xbf16>
    %cst_0 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xbf16>, tensor<bf16>) -> tensor<4xbf16>
    %cst_1 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<4xbf16>
    %6 = stablehlo.maximum %5, %4 : tensor<4xbf16>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<4xbf16>) -> tensor<4x1xbf16>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<4x1xbf16>) -> tensor<4x4xbf16>
    %9 = stablehlo.subtract %3, %8 : tensor<4x4xbf16>
    %10 = stablehlo.exponential %9 : tensor<4x4xbf16>
    %11 = stablehlo.convert %10 : (tensor<4x4xbf16>) -> tensor<4x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %14 = stablehlo.convert %13 : (tensor<4x1xf32>) -> tensor<4x1xbf16>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<4x1xbf16>) -> tensor<4x4xbf16>
    %16 = stablehlo.divide %10, %15 : tensor<4x4xbf16>
    %17 = stablehlo.dot_general %16, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
    return %17 : tensor<4x8xbf16>
  }
}
