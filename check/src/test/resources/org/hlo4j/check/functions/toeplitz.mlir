module @jit_toeplitz {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4x4xf32>) {
    %0 = call @atleast_1d(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = call @atleast_1d(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.reverse %0, dims = [0] : tensor<4xf32>
    %3 = stablehlo.slice %1 [1:4] : (tensor<4xf32>) -> tensor<3xf32>
    %4 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<4xf32>, tensor<3xf32>) -> tensor<7xf32>
    %5 = stablehlo.reshape %4 : (tensor<7xf32>) -> tensor<1x7x1xf32>
    %6 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %8 = stablehlo.add %6, %7 : tensor<4x4xi32>
    %9 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %10 = stablehlo.compare EQ, %8, %9, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %11 = stablehlo.convert %10 : (tensor<4x4xi1>) -> tensor<4x4xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
    %13 = stablehlo.reshape %12 : (tensor<1x4x4xf32>) -> tensor<4x1x4xf32>
    %14 = stablehlo.transpose %13, dims = [1, 0, 2] : (tensor<4x1x4xf32>) -> tensor<1x4x4xf32>
    %15 = stablehlo.convolution(%5, %14) dim_numbers = [b, 0, f]x[i, o, 0]->[b, 0, f], window = {stride = [1], pad = [[0, 0]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]} : (tensor<1x7x1xf32>, tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
    %16 = stablehlo.reshape %15 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
    %17 = call @_flip(%16) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %17 : tensor<4x4xf32>
  }
  func.func private @atleast_1d(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
  func.func private @_flip(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
