func.func @dot_and_add() {
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

// -----

// The difference of storage and zero point is exact, whatever the expressed type can hold.
func.func @dequantize_subtracts_integers() {
  %a = stablehlo.constant() {value = dense<[2049, 2048, -32768]> : tensor<3xi16>} : () -> tensor<3x!quant.uniform<i16:f16, 1.0:2048>>
  %x = stablehlo.uniform_dequantize %a : (tensor<3x!quant.uniform<i16:f16, 1.0:2048>>) -> tensor<3xf16>
  check.expect_eq_const %x, dense<[1.0, 0.0, -34816.0]> : tensor<3xf16>
  %b = stablehlo.constant() {value = dense<[1001, 999]> : tensor<2xi16>} : () -> tensor<2x!quant.uniform<i16:bf16:0, {0.5:1000, 2.0:1000}>>
  %y = stablehlo.uniform_dequantize %b : (tensor<2x!quant.uniform<i16:bf16:0, {0.5:1000, 2.0:1000}>>) -> tensor<2xbf16>
  check.expect_eq_const %y, dense<[0.5, -2.0]> : tensor<2xbf16>
  %c = stablehlo.constant() {value = dense<[16777217, 16777216]> : tensor<2xi32>} : () -> tensor<2x!quant.uniform<i32:f32, 1.0:16777216>>
  %z = stablehlo.uniform_dequantize %c : (tensor<2x!quant.uniform<i32:f32, 1.0:16777216>>) -> tensor<2xf32>
  check.expect_eq_const %z, dense<[1.0, 0.0]> : tensor<2xf32>
  // 2^31 - 1 + 2^31 has 32 bits and a sign.
  %d = stablehlo.constant() {value = dense<[2147483647, -2147483648]> : tensor<2xi32>} : () -> tensor<2x!quant.uniform<i32:f64, 1.0:-2147483648>>
  %w = stablehlo.uniform_dequantize %d : (tensor<2x!quant.uniform<i32:f64, 1.0:-2147483648>>) -> tensor<2xf64>
  check.expect_eq_const %w, dense<[4294967295.0, 0.0]> : tensor<2xf64>
  %e = stablehlo.constant() {value = dense<[0, 4294967295]> : tensor<2xi32>} : () -> tensor<2x!quant.uniform<u32:f64, 1.0:4294967295>>
  %v = stablehlo.uniform_dequantize %e : (tensor<2x!quant.uniform<u32:f64, 1.0:4294967295>>) -> tensor<2xf64>
  check.expect_eq_const %v, dense<[-4294967295.0, 0.0]> : tensor<2xf64>
  return
}

// -----

// 2, 3, 4 and -2 halves are 4, 6, 8 and -4 quarters: 14 in all, stored as 9.
func.func @reduce_in_other_scale() {
  %a = stablehlo.constant() {value = dense<[5, 6, 7, 1]> : tensor<4xi8>} : () -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %i = stablehlo.constant() {value = dense<3> : tensor<i8>} : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  %r = "stablehlo.reduce"(%a, %i) ({
    ^bb0(%p: tensor<!quant.uniform<i8:f32, 0.25:-5>>, %q: tensor<!quant.uniform<i8:f32, 0.25:-5>>):
    %s = stablehlo.add %p, %q : tensor<!quant.uniform<i8:f32, 0.25:-5>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.25:-5>>
  }) {dimensions = array<i64: 0>} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<!quant.uniform<i8:f32, 0.25:-5>>
  %b = stablehlo.bitcast_convert %r : (tensor<!quant.uniform<i8:f32, 0.25:-5>>) -> tensor<i8>
  check.expect_eq_const %b, dense<9> : tensor<i8>
  %w = "stablehlo.reduce_window"(%a, %i) ({
    ^bb0(%p: tensor<!quant.uniform<i8:f32, 0.25:-5>>, %q: tensor<!quant.uniform<i8:f32, 0.25:-5>>):
    %s = stablehlo.add %p, %q : tensor<!quant.uniform<i8:f32, 0.25:-5>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.25:-5>>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.25:-5>>
  %c = stablehlo.bitcast_convert %w : (tensor<2x!quant.uniform<i8:f32, 0.25:-5>>) -> tensor<2xi8>
  check.expect_eq_const %c, dense<[5, -1]> : tensor<2xi8>
  return
}

// -----

// Select compares elements in their own scale: 1.0 and 1.5 are both 0 in the scale of the sums.
func.func @select_and_scatter_in_other_scale() {
  %a = stablehlo.constant() {value = dense<[5, 6, 7, 1]> : tensor<4xi8>} : () -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %s = stablehlo.constant() {value = dense<[127, 3]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %i = stablehlo.constant() {value = dense<3> : tensor<i8>} : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  %r = "stablehlo.select_and_scatter"(%a, %s, %i) ({
    ^bb0(%p: tensor<!quant.uniform<i8:f32, 0.5:3>>, %q: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %c = stablehlo.compare GE, %p, %q : (tensor<!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
    ^bb0(%p: tensor<!quant.uniform<i16:f32, 64.0:100>>, %q: tensor<!quant.uniform<i16:f32, 64.0:100>>):
    %t = stablehlo.add %p, %q : tensor<!quant.uniform<i16:f32, 64.0:100>>
    stablehlo.return %t : tensor<!quant.uniform<i16:f32, 64.0:100>>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i16:f32, 64.0:100>>
  %b = stablehlo.bitcast_convert %r : (tensor<4x!quant.uniform<i16:f32, 64.0:100>>) -> tensor<4xi16>
  check.expect_eq_const %b, dense<[100, 101, 100, 100]> : tensor<4xi16>
  return
}

// -----

// 1.0, 1.5 + 2.0 and 2.0 in quarters.
func.func @scatter_in_other_scale() {
  %a = stablehlo.constant() {value = dense<[5, 6, 7]> : tensor<3xi8>} : () -> tensor<3x!quant.uniform<i8:f32, 0.5:3>>
  %i = stablehlo.constant dense<1> : tensor<1xi32>
  %u = stablehlo.constant() {value = dense<7> : tensor<i8>} : () -> tensor<!quant.uniform<i8:f32, 0.5:3>>
  %r = "stablehlo.scatter"(%a, %i, %u) ({
    ^bb0(%p: tensor<!quant.uniform<i8:f32, 0.25:-5>>, %q: tensor<!quant.uniform<i8:f32, 0.25:-5>>):
    %s = stablehlo.add %p, %q : tensor<!quant.uniform<i8:f32, 0.25:-5>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.25:-5>>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>} : (tensor<3x!quant.uniform<i8:f32, 0.5:3>>, tensor<1xi32>, tensor<!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x!quant.uniform<i8:f32, 0.25:-5>>
  %b = stablehlo.bitcast_convert %r : (tensor<3x!quant.uniform<i8:f32, 0.25:-5>>) -> tensor<3xi8>
  check.expect_eq_const %b, dense<[-1, 9, 3]> : tensor<3xi8>
  return
}

// -----

func.func @all_reduce_in_other_scale() {
  %a = stablehlo.constant() {value = dense<[5, 7]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %r = "stablehlo.all_reduce"(%a) ({
    ^bb0(%p: tensor<!quant.uniform<i8:f32, 0.25:-5>>, %q: tensor<!quant.uniform<i8:f32, 0.25:-5>>):
    %s = stablehlo.add %p, %q : tensor<!quant.uniform<i8:f32, 0.25:-5>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.25:-5>>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.25:-5>>
  %b = stablehlo.bitcast_convert %r : (tensor<2x!quant.uniform<i8:f32, 0.25:-5>>) -> tensor<2xi8>
  check.expect_eq_const %b, dense<[-1, 3]> : tensor<2xi8>
  %t = "stablehlo.reduce_scatter"(%a) ({
    ^bb0(%p: tensor<!quant.uniform<i8:f32, 0.25:-5>>, %q: tensor<!quant.uniform<i8:f32, 0.25:-5>>):
    %s = stablehlo.add %p, %q : tensor<!quant.uniform<i8:f32, 0.25:-5>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.25:-5>>
  }) {replica_groups = dense<0> : tensor<1x1xi64>, scatter_dimension = 0 : i64} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.25:-5>>
  %c = stablehlo.bitcast_convert %t : (tensor<2x!quant.uniform<i8:f32, 0.25:-5>>) -> tensor<2xi8>
  check.expect_eq_const %c, dense<[-1, 3]> : tensor<2xi8>
  return
}

// -----

// Scales along a dimension beside one scale: 1.0 + 1.0 in halves, 2.0 + 1.0 in quarters.
func.func @add_of_two_granularities() {
  %a = stablehlo.constant() {value = dense<[[5, 5], [3, 3]]> : tensor<2x2xi8>} : () -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:3,0.25:-5}>>
  %b = stablehlo.constant() {value = dense<5> : tensor<2x2xi8>} : () -> tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>
  %r = stablehlo.add %a, %b : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:3,0.25:-5}>>, tensor<2x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:3,0.25:-5}>>
  %c = stablehlo.bitcast_convert %r : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:3,0.25:-5}>>) -> tensor<2x2xi8>
  check.expect_eq_const %c, dense<[[7, 7], [7, 7]]> : tensor<2x2xi8>
  return
}

// -----

// 2 * 60000 is more than f16 has, but a quantized number is finite.
func.func @every_number_is_finite() {
  %a = stablehlo.constant() {value = dense<[2, -2]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f16, 60000.0>>
  %r = stablehlo.is_finite %a : (tensor<2x!quant.uniform<i8:f16, 60000.0>>) -> tensor<2xi1>
  check.expect_eq_const %r, dense<true> : tensor<2xi1>
  return
}

// -----

// Who receives nothing, has the number 0: stored as 3.
func.func @device(%x: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>) {
  %p = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %pb = stablehlo.bitcast_convert %p : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xi8>
  %b = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[1]]> : tensor<1x1xi64>} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %bb = stablehlo.bitcast_convert %b : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xi8>
  %r = "stablehlo.collective_reduce"(%x) ({
    ^bb0(%u: tensor<!quant.uniform<i8:f32, 0.5:3>>, %v: tensor<!quant.uniform<i8:f32, 0.5:3>>):
    %s = stablehlo.add %u, %v : tensor<!quant.uniform<i8:f32, 0.5:3>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.5:3>>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %rb = stablehlo.bitcast_convert %r : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xi8>
  return %pb, %bb, %rb : tensor<2xi8>, tensor<2xi8>, tensor<2xi8>
}
func.func @main() {
  %x = stablehlo.constant() {value = dense<[-128, 5]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %y = stablehlo.constant() {value = dense<[127, 0]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %r:6 = "interpreter.run_parallel"(%x, %y) {programs = [[@device], [@device]]} : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>)
  check.expect_eq_const %r#0, dense<3> : tensor<2xi8>
  check.expect_eq_const %r#1, dense<3> : tensor<2xi8>
  check.expect_eq_const %r#2, dense<[-4, 2]> : tensor<2xi8>
  check.expect_eq_const %r#3, dense<[-128, 5]> : tensor<2xi8>
  check.expect_eq_const %r#4, dense<[127, 0]> : tensor<2xi8>
  check.expect_eq_const %r#5, dense<3> : tensor<2xi8>
  return
}
