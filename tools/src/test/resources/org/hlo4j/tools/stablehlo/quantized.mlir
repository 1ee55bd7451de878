func.func @main() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %q = stablehlo.uniform_quantize %a : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:-3>>
  %w = stablehlo.constant() {value = dense<[[2, 4], [6, 8]]> : tensor<2x2xi8>} : () -> tensor<2x2x!quant.uniform<i8<-127:127>:f32:1, {0.5, 0.25}>>
  %r = stablehlo.dot_general %q, %w, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 0.5:-3>>, tensor<2x2x!quant.uniform<i8<-127:127>:f32:1, {0.5, 0.25}>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {0.25, 0.125}>>
  %d = stablehlo.uniform_dequantize %r : (tensor<2x2x!quant.uniform<i32:f32:1, {0.25, 0.125}>>) -> tensor<2x2xf32>
  check.expect_eq_const %d, dense<[[7.0, 5.0], [15.0, 11.0]]> : tensor<2x2xf32>
  %m = stablehlo.add %q, %q : tensor<2x2x!quant.uniform<i8:f32, 0.5:-3>>
  %b = stablehlo.bitcast_convert %m : (tensor<2x2x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<2x2xi8>
  check.expect_eq_const %b, dense<[[1, 5], [9, 13]]> : tensor<2x2xi8>
  return
}
