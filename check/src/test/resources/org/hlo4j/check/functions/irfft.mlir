module @jit_irfft {
  func.func public @main(%arg0: tensor<8xcomplex<f32>>) -> (tensor<14xf32>) {
    %0 = call @fft(%arg0) : (tensor<8xcomplex<f32>>) -> tensor<14xf32>
    return %0 : tensor<14xf32>
  }
  func.func private @fft(%arg0: tensor<8xcomplex<f32>>) -> tensor<14xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [14] : (tensor<8xcomplex<f32>>) -> tensor<14xf32>
    return %0 : tensor<14xf32>
  }
}
