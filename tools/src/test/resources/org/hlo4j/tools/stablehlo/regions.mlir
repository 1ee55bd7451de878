// Two values at once: the greatest and where it is.
func.func @reduce() {
  %x = stablehlo.constant dense<[[3, 1, 2], [4, 9, 5]]> : tensor<2x3xi32>
  %at = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %least = stablehlo.constant dense<-100> : tensor<i32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %least), (%at init: %none) across dimensions = [1] : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
   reducer(%a: tensor<i32>, %b: tensor<i32>) (%i: tensor<i32>, %j: tensor<i32>)  {
    %c = stablehlo.compare GE, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v = stablehlo.select %c, %a, %b : tensor<i1>, tensor<i32>
    %k = stablehlo.select %c, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %v, %k : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %r#0, dense<[3, 9]> : tensor<2xi32>
  check.expect_eq_const %r#1, dense<[0, 1]> : tensor<2xi32>
  return
}

// -----

func.func @applies() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<[4.0, 6.0]> : tensor<2xf32>
  return
}

// -----

// The region works on a wider type than the operand has.
func.func @promotion() {
  %x = stablehlo.constant dense<100> : tensor<4xi8>
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %r = "stablehlo.reduce"(%x, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<4xi8>, tensor<i8>) -> tensor<i32>
  check.expect_eq_const %r, dense<400> : tensor<i32>
  return
}

// -----

// A constant from outside of a comparator.
func.func @sort() {
  %x = stablehlo.constant dense<[-3, 1, 2, -5]> : tensor<4xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %m = stablehlo.maximum %a, %zero : tensor<i32>
    %n = stablehlo.maximum %b, %zero : tensor<i32>
    %c = stablehlo.compare LT, %m, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xi32>) -> tensor<4xi32>
  check.expect_eq_const %r, dense<[-3, -5, 1, 2]> : tensor<4xi32>
  return
}
