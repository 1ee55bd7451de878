module @jit_fft2 {
  func.func public @main(%arg0: tensor<4x8xf32>) -> (tensor<4x8xcomplex<f32>>) {
    %0 = call @fft(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xcomplex<f32>>
    return %0 : tensor<4x8xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<4x8xf32>) -> tensor<4x8xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [4, 8] : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
    return %1 : tensor<4x8xcomplex<f32>>
  }
}
