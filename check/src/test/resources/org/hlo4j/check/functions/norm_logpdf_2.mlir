module @jit_logpdf {
  func.func public @main(%arg0: tensor<6xf64>) -> (tensor<6xf64>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = chlo.square %cst : tensor<f64> -> tensor<f64>
    %cst_0 = stablehlo.constant dense<6.2831853071795862> : tensor<f64>
    %1 = stablehlo.multiply %cst_0, %0 : tensor<f64>
    %2 = stablehlo.log %1 : tensor<f64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %4 = stablehlo.subtract %arg0, %3 : tensor<6xf64>
    %5 = chlo.square %4 : tensor<6xf64> -> tensor<6xf64>
    %6 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %7 = stablehlo.divide %5, %6 : tensor<6xf64>
    %8 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %9 = stablehlo.add %8, %7 : tensor<6xf64>
    %cst_2 = stablehlo.constant dense<-2.000000e+00> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %11 = stablehlo.divide %9, %10 : tensor<6xf64>
    return %11 : tensor<6xf64>
  }
}
