// Values from outside of a loop: an argument, a result, and a constant, which is made again inside.
func.func @main() {
  %n = stablehlo.constant dense<5> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %step = stablehlo.add %x, %x : tensor<2xf32>
  %r:2 = stablehlo.while(%i = %zero, %sum = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %more = stablehlo.add %sum, %step : tensor<2xf32>
    stablehlo.return %next, %more : tensor<i32>, tensor<2xf32>
  }
  check.expect_eq_const %r#0, dense<5> : tensor<i32>
  check.expect_eq_const %r#1, dense<[11.0, 22.0]> : tensor<2xf32>
  return
}

// -----

// Branches that use values from outside and give several results.
func.func @branches() {
  %pred = stablehlo.constant dense<false> : tensor<i1>
  %index = stablehlo.constant dense<7> : tensor<i32>
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = stablehlo.negate %x : tensor<2xf32>
  %a, %b = "stablehlo.if"(%pred) ({
    stablehlo.return %x, %y : tensor<2xf32>, tensor<2xf32>
  }, {
    stablehlo.return %y, %x : tensor<2xf32>, tensor<2xf32>
  }) : (tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>)
  check.expect_eq_const %a, dense<[-1.0, -2.0]> : tensor<2xf32>
  check.expect_eq_const %b, dense<[1.0, 2.0]> : tensor<2xf32>
  // The last branch is taken where there is none of that number.
  %c = "stablehlo.case"(%index) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    %z = stablehlo.multiply %x, %y : tensor<2xf32>
    stablehlo.return %z : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  check.expect_eq_const %c, dense<[-1.0, -4.0]> : tensor<2xf32>
  return
}

// -----

func.func @main() {
  %x = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
  %s:2 = call @both(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %c = stablehlo.composite "my.square" %x {decomposition = @square, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq %s#1, %c : tensor<2xf32>
  check.expect_eq_const %s#0, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}
func.func private @both(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %r = stablehlo.sqrt %x : tensor<2xf32>
  %s = call @square(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r, %s : tensor<2xf32>, tensor<2xf32>
}
func.func private @square(%x: tensor<2xf32>) -> tensor<2xf32> {
  %s = stablehlo.multiply %x, %x : tensor<2xf32>
  return %s : tensor<2xf32>
}
