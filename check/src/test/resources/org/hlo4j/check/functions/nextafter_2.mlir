module @jit_nextafter {
  func.func public @main(%arg0: tensor<6xf64>, %arg1: tensor<6xf64>) -> (tensor<6xf64>) {
    %0 = chlo.next_after %arg0, %arg1 : tensor<6xf64>, tensor<6xf64> -> tensor<6xf64>
    return %0 : tensor<6xf64>
  }
}
