// Dimensions in any order, one of which stretches.
func.func @broadcast_in_dim() {
  %x = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %r = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x1xi32>) -> tensor<3x1x2xi32>
  check.expect_eq_const %r, dense<[[[1, 2]], [[1, 2]], [[1, 2]]]> : tensor<3x1x2xi32>
  return
}

// -----

// Sizes that the program computes.
func.func @dynamic() {
  %x = stablehlo.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<6xi32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %h = stablehlo.divide %n, %two : tensor<i32>
  %a = stablehlo.reshape %two : (tensor<i32>) -> tensor<1xi32>
  %b = stablehlo.reshape %h : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %m = stablehlo.dynamic_reshape %x, %shape : (tensor<6xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  %i = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<2x3xi32>
  %s = stablehlo.add %m, %i : tensor<2x3xi32>
  check.expect_eq_const %s, dense<[[1, 3, 5], [4, 6, 8]]> : tensor<2x3xi32>
  return
}

// -----

// CHLO broadcasts like NumPy.
func.func @chlo() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = stablehlo.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %r = chlo.broadcast_add %x, %y : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[11.0, 22.0], [13.0, 24.0]]> : tensor<2x2xf32>
  %v, %i = chlo.top_k(%y, k = 1) : tensor<2xf32> -> (tensor<1xf32>, tensor<1xi32>)
  check.expect_eq_const %i, dense<1> : tensor<1xi32>
  %e = chlo.erf_inv %v : tensor<1xf32> -> tensor<1xf32>
  check.expect_almost_eq_const %e, dense<0x7FC00000> : tensor<1xf32>
  return
}

// -----

// The real part decides, as complex numbers have none that is false.
func.func @convert() {
  %x = stablehlo.constant dense<[(0.0, 1.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
  %r = stablehlo.convert %x : (tensor<2xcomplex<f32>>) -> tensor<2xi1>
  check.expect_eq_const %r, dense<[false, true]> : tensor<2xi1>
  return
}
