module @jit__lambda {
  func.func public @main(%arg0: tensor<16xf32>, %arg1: tensor<4xf32>) -> (tensor<19xf32>) {
    %0 = call @correlate(%arg0, %arg1) : (tensor<16xf32>, tensor<4xf32>) -> tensor<19xf32>
    return %0 : tensor<19xf32>
  }
  func.func private @correlate(%arg0: tensor<16xf32>, %arg1: tensor<4xf32>) -> tensor<19xf32> {
    %0 = call @_conv(%arg0, %arg1) : (tensor<16xf32>, tensor<4xf32>) -> tensor<19xf32>
    return %0 : tensor<19xf32>
  }
  func.func private @_conv(%arg0: tensor<16xf32>, %arg1: tensor<4xf32>) -> tensor<19xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[3, 3]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x16xf32>, tensor<1x1x4xf32>) -> tensor<1x1x19xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x1x19xf32>) -> tensor<19xf32>
    return %3 : tensor<19xf32>
  }
}
