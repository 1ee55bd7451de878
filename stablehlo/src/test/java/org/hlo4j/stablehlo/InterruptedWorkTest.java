package org.hlo4j.stablehlo;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.io.Resources;
import java.io.IOException;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.mlir.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What reads, checks or converts a module ends once its thread is interrupted. */
final class InterruptedWorkTest {
  private static final String TEXT =
      "HloModule m ENTRY e { x = f32[2] parameter(0) ROOT y = f32[2] abs(x) }";

  @Test
  void endsByAnException() throws IOException {
    HloModule module = Parser.parse(TEXT);
    byte[] proto = HloProtos.writeModule(module);
    Operation stablehlo = StableHlo.fromHlo(module);
    byte[] export = Resources.toByteArray(JaxExport.class.getResource("shared-nodes.bin"));
    List<Executable> works =
        List.of(
            () -> Parser.parse(TEXT),
            () -> HloProtos.readModule(proto),
            () -> Verifier.strict().verify(module),
            () -> StableHlo.fromHlo(module),
            () -> StableHlo.toHlo(stablehlo),
            () -> JaxExport.read(export));
    for (Executable work : works) {
      Thread.currentThread().interrupt();
      try {
        assertThat(assertThrows(HloException.class, work).kind())
            .isEqualTo(HloException.Kind.INTERRUPTED);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
      } finally {
        Thread.interrupted();
      }
    }
  }
}
