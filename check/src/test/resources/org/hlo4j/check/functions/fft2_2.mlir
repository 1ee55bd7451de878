module @jit_fft2 {
  func.func public @main(%arg0: tensor<4x8xf64>) -> (tensor<4x8xcomplex<f64>>) {
    %0 = call @fft(%arg0) : (tensor<4x8xf64>) -> tensor<4x8xcomplex<f64>>
    return %0 : tensor<4x8xcomplex<f64>>
  }
  func.func private @fft(%arg0: tensor<4x8xf64>) -> tensor<4x8xcomplex<f64>> {
    %0 = stablehlo.convert %arg0 : (tensor<4x8xf64>) -> tensor<4x8xcomplex<f64>>
    %1 = stablehlo.fft %0, type = FFT, length = [4, 8] : (tensor<4x8xcomplex<f64>>) -> tensor<4x8xcomplex<f64>>
    return %1 : tensor<4x8xcomplex<f64>>
  }
}
