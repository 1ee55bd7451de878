module @jit__lambda {
  func.func public @main(%arg0: tensor<1x1x4x8xf32>, %arg1: tensor<1x1x3x3xf32>) -> (tensor<1x1x4x8xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x4x8xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x4x8xf32>
    return %0 : tensor<1x1x4x8xf32>
  }
}
