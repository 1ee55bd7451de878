module @jit__lambda {
  func.func public @main(%arg0: tensor<4x4xf64>, %arg1: tensor<4x4xf64>, %arg2: tensor<4x2xf64>) -> (tensor<4x2xf64>) {
    %0 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [0] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2xf64>, tensor<4x4xf64>) -> tensor<2x4xf64>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf64>, tensor<2x4xf64>) -> tensor<4x2xf64>
    return %1 : tensor<4x2xf64>
  }
}
