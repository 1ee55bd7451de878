// What JAX's text says of a LAPACK call, in mhlo.backend_config beside an empty backend_config:
// the upper triangle (85 = 'U') of a, transposed (84 = 'T'): a^T x = b.
func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 1.0], [9.0, 4.0]]> : tensor<2x2xf64>
  %b = stablehlo.constant dense<[[4.0], [10.0]]> : tensor<2x1xf64>
  %x = stablehlo.custom_call @lapack_dtrsm_ffi(%a, %b) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}} : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  check.expect_eq_const %x, dense<[[2.0], [2.0]]> : tensor<2x1xf64>
  return
}
