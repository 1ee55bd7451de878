module @jit_nextafter {
  func.func public @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> (tensor<6xf32>) {
    %0 = chlo.next_after %arg0, %arg1 : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
