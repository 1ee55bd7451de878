package org.hlo4j.testing;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Parameter;
import org.junit.jupiter.api.Test;

final class HloModuleSubjectTest {
  private final HloInstruction x =
      HloInstruction.of("x", new Parameter(0, Shape.of(ElementType.F32, 2)));
  private final HloInstruction copy = HloInstruction.of("copy", new Copy(), x);
  private final HloModule module =
      HloModule.create("m", HloComputation.create("m", List.of(x, copy), copy));

  @Test
  void validModulePasses() {
    HloModuleSubject.assertThat(module).isValid();
    HloModuleSubject.assertThat(module)
        .printsShort(
            """
            HloModule m, entry_computation_layout={(f32[2]{0})->f32[2]{0}}

            ENTRY m {
              x = f32[2] parameter(0)
              ROOT copy = f32[2] copy(x)
            }
            """);
  }

  @Test
  void invalidModuleFailsWithItsFindings() {
    HloModule late = HloModule.create("m", HloComputation.create("m", List.of(copy, x), copy));
    AssertionError failure =
        assertThrows(AssertionError.class, () -> HloModuleSubject.assertThat(late).isValid());
    assertThat(failure).hasMessageThat().contains("operand 0 of copy got x");
    assertThrows(
        AssertionError.class, () -> HloModuleSubject.assertThat(module).printsShort("other"));
  }
}
