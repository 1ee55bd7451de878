package org.hlo4j.pjrt;

import java.nio.charset.StandardCharsets;
import org.hlo4j.pjrt.ffi.CustomCallRegistry;
import org.hlo4j.pjrt.form.ProgramForm;

/**
 * A client as the registry of custom calls needs it: to ask the plugin what it knows.
 *
 * @param client the client
 */
record CallCompiler(PjrtClient client) implements CustomCallRegistry.Compiler {
  @Override
  public String platform() {
    return client.platform();
  }

  @Override
  public void compile(String stableHlo) {
    byte[] program = stableHlo.getBytes(StandardCharsets.UTF_8);
    ProgramForm form = new ProgramForm(ProgramForm.MLIR, program, "asks for a custom call");
    client.compileOnce(form, PjrtCompileOptions.DEFAULT).close();
  }
}
