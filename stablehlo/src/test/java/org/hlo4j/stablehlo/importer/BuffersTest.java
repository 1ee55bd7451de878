package org.hlo4j.stablehlo.importer;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.dialect.StandardDialects;
import org.hlo4j.stablehlo.mlir.MlirParser;
import org.junit.jupiter.api.Test;

/** Values of type memref, which XLA uses for buffers. */
class BuffersTest {
  @Test
  void memrefsBecomeBuffers() {
    HloModule module =
        StableHlo.toHlo(
            MlirParser.parse(
                """
                module @m {
                  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
                    %0 = stablehlo.custom_call @Pin(%arg0) {api_version = 4 : i32} : (tensor<4xf32>) -> memref<4xf32>
                    %1 = stablehlo.custom_call @Unpin(%0) {api_version = 4 : i32} : (memref<4xf32>) -> tensor<4xf32>
                    return %1 : tensor<4xf32>
                  }
                }
                """,
                StandardDialects.INSTANCE));
    Verifier.strict().verify(module);
    assertThat(Printer.print(module))
        .isEqualTo(
            """
            HloModule m, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

            ENTRY %main (arg0: f32[4]) -> f32[4] {
              %arg0 = f32[4]{0} parameter(0)
              %custom-call = b(f32[4]{0}) custom-call(%arg0), custom_call_target="Pin", output_to_operand_aliasing={{}: (0, {})}, api_version=API_VERSION_TYPED_FFI
              ROOT %custom-call.1 = f32[4]{0} custom-call(%custom-call), custom_call_target="Unpin", output_to_operand_aliasing={{}: (0, {})}, api_version=API_VERSION_TYPED_FFI
            }
            """);
  }
}
