module @jit_fftn {
  func.func public @main(%arg0: tensor<2x4x4xf32>) -> (tensor<2x4x4xcomplex<f32>>) {
    %0 = call @fft(%arg0) : (tensor<2x4x4xf32>) -> tensor<2x4x4xcomplex<f32>>
    return %0 : tensor<2x4x4xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<2x4x4xf32>) -> tensor<2x4x4xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<2x4x4xf32>) -> tensor<2x4x4xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [2, 4, 4] : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x4xcomplex<f32>>
    return %1 : tensor<2x4x4xcomplex<f32>>
  }
}
