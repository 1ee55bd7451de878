module @jit_convolve {
  func.func public @main(%arg0: tensor<16xf32>, %arg1: tensor<4xf32>) -> (tensor<19xf32>) {
    %0 = call @convolve(%arg0, %arg1) : (tensor<16xf32>, tensor<4xf32>) -> tensor<19xf32>
    return %0 : tensor<19xf32>
  }
  func.func private @convolve(%arg0: tensor<16xf32>, %arg1: tensor<4xf32>) -> tensor<19xf32> {
    %0 = call @_conv(%arg0, %arg1) : (tensor<16xf32>, tensor<4xf32>) -> tensor<19xf32>
    return %0 : tensor<19xf32>
  }
  func.func private @_conv(%arg0: tensor<16xf32>, %arg1: tensor<4xf32>) -> tensor<19xf32> {
    %0 = call @_flip(%arg1) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [2] : (tensor<4xf32>) -> tensor<1x1x4xf32>
    %3 = stablehlo.convolution(%1, %2) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[3, 3]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x16xf32>, tensor<1x1x4xf32>) -> tensor<1x1x19xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x1x19xf32>) -> tensor<19xf32>
    return %4 : tensor<19xf32>
  }
  func.func private @_flip(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
