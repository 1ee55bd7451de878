module @jit_spacing {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<6xf32>) {
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %0 = call @copysign(%cst, %arg0) : (tensor<f32>, tensor<6xf32>) -> tensor<6xf32>
    %1 = chlo.next_after %arg0, %0 : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
    %2 = stablehlo.subtract %1, %arg0 : tensor<6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %4 = stablehlo.compare EQ, %2, %3, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_1 = stablehlo.constant dense<1.401300e-45> : tensor<f32>
    %5 = call @copysign(%cst_1, %arg0) : (tensor<f32>, tensor<6xf32>) -> tensor<6xf32>
    %6 = call @_where_0(%4, %5, %2) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    return %6 : tensor<6xf32>
  }
  func.func private @copysign(%arg0: tensor<f32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %0 = call @signbit(%arg1) : (tensor<6xf32>) -> tensor<6xi1>
    %1 = stablehlo.abs %arg0 : tensor<f32>
    %2 = stablehlo.negate %1 : tensor<f32>
    %3 = stablehlo.abs %arg0 : tensor<f32>
    %4 = call @_where(%0, %2, %3) : (tensor<6xi1>, tensor<f32>, tensor<f32>) -> tensor<6xf32>
    return %4 : tensor<6xf32>
  }
  func.func private @signbit(%arg0: tensor<6xf32>) -> tensor<6xi1> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<6xf32>) -> tensor<6xi32>
    %c = stablehlo.constant dense<31> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %2 = stablehlo.shift_right_arithmetic %0, %1 : tensor<6xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %4 = stablehlo.compare NE, %2, %3, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %5 = stablehlo.convert %4 : tensor<6xi1>
    return %5 : tensor<6xi1>
  }
  func.func private @_where(%arg0: tensor<6xi1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<6xi1>, tensor<6xf32>
    return %2 : tensor<6xf32>
  }
  func.func private @_where_0(%arg0: tensor<6xi1>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
