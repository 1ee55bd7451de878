module @jit_hfft {
  func.func public @main(%arg0: tensor<8xcomplex<f32>>) -> (tensor<14xf32>) {
    %0 = stablehlo.real %arg0 : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
    %1 = stablehlo.imag %arg0 : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
    %2 = stablehlo.negate %1 : tensor<8xf32>
    %3 = stablehlo.complex %0, %2 : tensor<8xcomplex<f32>>
    %4 = call @fft(%3) : (tensor<8xcomplex<f32>>) -> tensor<14xf32>
    %cst = stablehlo.constant dense<1.400000e+01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<14xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<14xf32>
    return %6 : tensor<14xf32>
  }
  func.func private @fft(%arg0: tensor<8xcomplex<f32>>) -> tensor<14xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [14] : (tensor<8xcomplex<f32>>) -> tensor<14xf32>
    return %0 : tensor<14xf32>
  }
}
