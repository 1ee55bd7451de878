module @jit__lambda {
  func.func public @main(%arg0: tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>) {
    %0:2 = call @modf(%arg0) : (tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>)
    return %0#0, %0#1 : tensor<6xf64>, tensor<6xf64>
  }
  func.func private @modf(%arg0: tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<6xf64>
    %1 = stablehlo.compare GE, %arg0, %0, FLOAT : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xi1>
    %2 = stablehlo.floor %arg0 : tensor<6xf64>
    %3 = stablehlo.ceil %arg0 : tensor<6xf64>
    %4 = call @_where(%1, %2, %3) : (tensor<6xi1>, tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
    %5 = stablehlo.subtract %arg0, %4 : tensor<6xf64>
    return %5, %4 : tensor<6xf64>, tensor<6xf64>
  }
  func.func private @_where(%arg0: tensor<6xi1>, %arg1: tensor<6xf64>, %arg2: tensor<6xf64>) -> tensor<6xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xf64>
    return %0 : tensor<6xf64>
  }
}
