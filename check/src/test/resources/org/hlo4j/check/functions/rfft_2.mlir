module @jit_rfft {
  func.func public @main(%arg0: tensor<16xf64>) -> (tensor<9xcomplex<f64>>) {
    %0 = call @fft(%arg0) : (tensor<16xf64>) -> tensor<9xcomplex<f64>>
    return %0 : tensor<9xcomplex<f64>>
  }
  func.func private @fft(%arg0: tensor<16xf64>) -> tensor<9xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [16] : (tensor<16xf64>) -> tensor<9xcomplex<f64>>
    return %0 : tensor<9xcomplex<f64>>
  }
}
