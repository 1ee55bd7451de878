module @jit__lambda {
  func.func public @main(%arg0: tensor<4x8xbf16>, %arg1: tensor<8x4xbf16>) -> (tensor<4x4xbf16>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xbf16>
    return %0 : tensor<4x4xbf16>
  }
}
