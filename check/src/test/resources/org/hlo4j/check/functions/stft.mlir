module @jit__lambda {
  func.func public @main(%arg0: tensor<16xf32>) -> (tensor<5x5xcomplex<f32>>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<3.14159274> : tensor<f32>
    %0 = call @_linspace(%c, %cst) : (tensor<i32>, tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.sine %0 : tensor<8xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = call @_pad(%arg0, %cst_0) : (tensor<16xf32>, tensor<f32>) -> tensor<24xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<0xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<24xf32>, tensor<0xf32>) -> tensor<24xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%2 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %7 = stablehlo.multiply %6, %6 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.divide %cst_3, %7 : tensor<f32>
    %9 = stablehlo.sqrt %8 : tensor<f32>
    %10 = stablehlo.convert %9 : (tensor<f32>) -> tensor<complex<f32>>
    %11 = stablehlo.iota dim = 0 : tensor<5xf32>
    %cst_4 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %13 = stablehlo.divide %11, %12 : tensor<5xf32>
    %14 = stablehlo.iota dim = 0 : tensor<5xi32>
    %c_5 = stablehlo.constant dense<4> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %16 = stablehlo.multiply %15, %14 : tensor<5xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %18 = stablehlo.add %17, %16 : tensor<5xi32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %20 = stablehlo.compare LT, %18, %19, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_8 = stablehlo.constant dense<24> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %22 = stablehlo.add %18, %21 : tensor<5xi32>
    %23 = stablehlo.select %20, %22, %18 : tensor<5xi1>, tensor<5xi32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %25 = "stablehlo.gather"(%5, %24) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 8>}> : (tensor<24xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
    %26 = stablehlo.reshape %2 : (tensor<8xf32>) -> tensor<1x8xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<5x8xf32>
    %28 = stablehlo.multiply %27, %25 : tensor<5x8xf32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %29 = call @_pad_0(%28, %c_9) : (tensor<5x8xf32>, tensor<i32>) -> tensor<5x8xf32>
    %30 = call @fft(%29) : (tensor<5x8xf32>) -> tensor<5x5xcomplex<f32>>
    %31 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<complex<f32>>) -> tensor<5x5xcomplex<f32>>
    %32 = stablehlo.multiply %30, %31 : tensor<5x5xcomplex<f32>>
    %33 = stablehlo.iota dim = 0 : tensor<5xf32>
    %cst_10 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %35 = stablehlo.multiply %34, %33 : tensor<5xf32>
    %cst_11 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %37 = stablehlo.add %36, %35 : tensor<5xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %39 = stablehlo.divide %37, %38 : tensor<5xf32>
    %cst_13 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %41 = stablehlo.subtract %39, %40 : tensor<5xf32>
    %42 = stablehlo.transpose %32, dims = [1, 0] : (tensor<5x5xcomplex<f32>>) -> tensor<5x5xcomplex<f32>>
    return %42 : tensor<5x5xcomplex<f32>>
  }
  func.func private @_linspace(%arg0: tensor<i32>, %arg1: tensor<f32>) -> tensor<8xf32> {
    %0 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.convert %arg1 : tensor<f32>
    %2 = stablehlo.subtract %1, %0 : tensor<f32>
    %cst = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %3 = stablehlo.divide %2, %cst : tensor<f32>
    %4 = stablehlo.iota dim = 0 : tensor<8xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %6 = stablehlo.divide %4, %5 : tensor<8xf32>
    %7 = stablehlo.reshape %0 : (tensor<f32>) -> tensor<1xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %9 = stablehlo.subtract %8, %6 : tensor<8xf32>
    %10 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<1xf32>) -> tensor<8xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<8xf32>
    %12 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<1xf32>) -> tensor<8xf32>
    %14 = stablehlo.multiply %13, %6 : tensor<8xf32>
    %15 = stablehlo.add %11, %14 : tensor<8xf32>
    return %15 : tensor<8xf32>
  }
  func.func private @_pad(%arg0: tensor<16xf32>, %arg1: tensor<f32>) -> tensor<24xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [4], high = [4], interior = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<24xf32>
    return %1 : tensor<24xf32>
  }
  func.func private @_pad_0(%arg0: tensor<5x8xf32>, %arg1: tensor<i32>) -> tensor<5x8xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<5x8xf32>, tensor<f32>) -> tensor<5x8xf32>
    return %1 : tensor<5x8xf32>
  }
  func.func private @fft(%arg0: tensor<5x8xf32>) -> tensor<5x5xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [8] : (tensor<5x8xf32>) -> tensor<5x5xcomplex<f32>>
    return %0 : tensor<5x5xcomplex<f32>>
  }
}
