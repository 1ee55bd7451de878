package org.hlo4j.pjrt;

import java.nio.charset.StandardCharsets;
import org.hlo4j.pjrt.PjrtException.Code;
import org.hlo4j.pjrt.ffi.CustomCallRegistry;
import org.hlo4j.pjrt.form.ProgramForm;
import org.hlo4j.stablehlo.mlir.Attribute;

/**
 * A client as the registry of custom calls needs it.
 *
 * @param client the client
 */
record CallingClient(PjrtClient client) implements CustomCallRegistry.Client {
  @Override
  public String platform() {
    return client.platform();
  }

  /** Compiles a program of nothing but a call, which XLA refuses if nobody answers. */
  @Override
  public boolean hasHandler(String target) {
    String program =
        "func.func @main() -> tensor<f32> { %0 = \"stablehlo.custom_call\"() {api_version = 4 :"
            + " i32, call_target_name = "
            + new Attribute.Str(target)
            + "} : () -> tensor<f32> return %0 : tensor<f32> }";
    byte[] code = program.getBytes(StandardCharsets.UTF_8);
    try {
      ProgramForm form = new ProgramForm(ProgramForm.MLIR, code, "asks for a custom call");
      client.compileOnce(form, PjrtCompileOptions.DEFAULT).close();
      return true;
    } catch (PjrtException refused) {
      return refused.code() != Code.NOT_FOUND && refused.code() != Code.UNIMPLEMENTED;
    }
  }
}
