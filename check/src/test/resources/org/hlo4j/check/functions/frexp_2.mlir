module @jit__lambda {
  func.func public @main(%arg0: tensor<6xf64>) -> (tensor<6xf64>, tensor<6xi32>) {
    %0:2 = call @frexp(%arg0) : (tensor<6xf64>) -> (tensor<6xf64>, tensor<6xi32>)
    return %0#0, %0#1 : tensor<6xf64>, tensor<6xi32>
  }
  func.func private @frexp(%arg0: tensor<6xf64>) -> (tensor<6xf64>, tensor<6xi32>) {
    %0 = stablehlo.abs %arg0 : tensor<6xf64>
    %cst = stablehlo.constant dense<2.2250738585072014E-308> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %cst_0 = stablehlo.constant dense<0x4330000000000000> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %4 = stablehlo.multiply %arg0, %3 : tensor<6xf64>
    %5 = call @_where(%2, %4, %arg0) : (tensor<6xi1>, tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
    %c = stablehlo.constant dense<-52> : tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %6 = call @_where_0(%2, %c, %c_1) : (tensor<6xi1>, tensor<i64>, tensor<i64>) -> tensor<6xi64>
    %7 = stablehlo.bitcast_convert %5 : (tensor<6xf64>) -> tensor<6xi64>
    %c_2 = stablehlo.constant dense<52> : tensor<i64>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %9 = stablehlo.shift_right_arithmetic %7, %8 : tensor<6xi64>
    %c_3 = stablehlo.constant dense<2047> : tensor<i64>
    %10 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %11 = stablehlo.and %9, %10 : tensor<6xi64>
    %c_4 = stablehlo.constant dense<1023> : tensor<i64>
    %12 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %13 = stablehlo.subtract %11, %12 : tensor<6xi64>
    %c_5 = stablehlo.constant dense<1> : tensor<i64>
    %14 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %15 = stablehlo.add %13, %14 : tensor<6xi64>
    %16 = stablehlo.add %6, %15 : tensor<6xi64>
    %c_6 = stablehlo.constant dense<-9218868437227405313> : tensor<i64>
    %17 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %18 = stablehlo.and %7, %17 : tensor<6xi64>
    %c_7 = stablehlo.constant dense<4602678819172646912> : tensor<i64>
    %19 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %20 = stablehlo.or %18, %19 : tensor<6xi64>
    %21 = stablehlo.bitcast_convert %20 : (tensor<6xi64>) -> tensor<6xf64>
    %22 = call @isinf(%arg0) : (tensor<6xf64>) -> tensor<6xi1>
    %23 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %24 = stablehlo.or %22, %23 : tensor<6xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %25 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %26 = stablehlo.compare EQ, %arg0, %25, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %27 = stablehlo.or %24, %26 : tensor<6xi1>
    %c_9 = stablehlo.constant dense<0> : tensor<i64>
    %28 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %29 = call @_where_1(%27, %28, %16) : (tensor<6xi1>, tensor<6xi64>, tensor<6xi64>) -> tensor<6xi64>
    %30 = call @_where(%27, %arg0, %21) : (tensor<6xi1>, tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
    %31 = stablehlo.convert %29 : (tensor<6xi64>) -> tensor<6xi32>
    return %30, %31 : tensor<6xf64>, tensor<6xi32>
  }
  func.func private @_where(%arg0: tensor<6xi1>, %arg1: tensor<6xf64>, %arg2: tensor<6xf64>) -> tensor<6xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xf64>
    return %0 : tensor<6xf64>
  }
  func.func private @_where_0(%arg0: tensor<6xi1>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<6xi64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i64>) -> tensor<6xi64>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<6xi1>, tensor<6xi64>
    return %2 : tensor<6xi64>
  }
  func.func private @isinf(%arg0: tensor<6xf64>) -> tensor<6xi1> {
    %0 = stablehlo.abs %arg0 : tensor<6xf64>
    %cst = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %2 = stablehlo.compare EQ, %0, %1, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    return %2 : tensor<6xi1>
  }
  func.func private @_where_1(%arg0: tensor<6xi1>, %arg1: tensor<6xi64>, %arg2: tensor<6xi64>) -> tensor<6xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xi64>
    return %0 : tensor<6xi64>
  }
}
