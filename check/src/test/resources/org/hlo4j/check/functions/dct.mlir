module @jit_dct {
  func.func public @main(%arg0: tensor<16xf32>) -> (tensor<16xf32>) {
    %0 = stablehlo.slice %arg0 [0:16:2] : (tensor<16xf32>) -> tensor<8xf32>
    %1 = stablehlo.slice %arg0 [1:16:2] : (tensor<16xf32>) -> tensor<8xf32>
    %2 = stablehlo.reverse %1, dims = [0] : tensor<8xf32>
    %3 = stablehlo.concatenate %0, %2, dim = 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
    %4 = call @fft(%3) : (tensor<16xf32>) -> tensor<16xcomplex<f32>>
    %5 = stablehlo.real %4 : (tensor<16xcomplex<f32>>) -> tensor<16xf32>
    %6 = stablehlo.iota dim = 0 : tensor<16xf32>
    %7 = stablehlo.convert %6 : (tensor<16xf32>) -> tensor<16xcomplex<f32>>
    %cst = stablehlo.constant dense<(0.000000e+00,-1.57079637)> : tensor<complex<f32>>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<16xcomplex<f32>>
    %9 = stablehlo.multiply %8, %7 : tensor<16xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<(1.600000e+01,0.000000e+00)> : tensor<complex<f32>>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<16xcomplex<f32>>
    %11 = stablehlo.divide %9, %10 : tensor<16xcomplex<f32>>
    %12 = stablehlo.exponential %11 : tensor<16xcomplex<f32>>
    %13 = stablehlo.multiply %4, %12 : tensor<16xcomplex<f32>>
    %14 = stablehlo.real %13 : (tensor<16xcomplex<f32>>) -> tensor<16xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %16 = stablehlo.multiply %15, %14 : tensor<16xf32>
    return %16 : tensor<16xf32>
  }
  func.func private @fft(%arg0: tensor<16xf32>) -> tensor<16xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<16xf32>) -> tensor<16xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [16] : (tensor<16xcomplex<f32>>) -> tensor<16xcomplex<f32>>
    return %1 : tensor<16xcomplex<f32>>
  }
}
