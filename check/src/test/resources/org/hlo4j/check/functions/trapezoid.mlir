module @jit__lambda {
  func.func public @main(%arg0: tensor<16xf32>) -> (tensor<f32>) {
    %cst = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %0 = call @trapezoid(%arg0, %cst) : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @trapezoid(%arg0: tensor<16xf32>, %arg1: tensor<f32>) -> tensor<f32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.slice %arg0 [0:1] : (tensor<16xf32>) -> tensor<1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
    %3 = stablehlo.slice %arg0 [15:16] : (tensor<16xf32>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = stablehlo.add %2, %4 : tensor<f32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %6 = stablehlo.multiply %cst_0, %5 : tensor<f32>
    %7 = stablehlo.subtract %0, %6 : tensor<f32>
    %8 = stablehlo.convert %arg1 : tensor<f32>
    %9 = stablehlo.multiply %8, %7 : tensor<f32>
    return %9 : tensor<f32>
  }
}
