package org.hlo4j.testing;

import static com.google.common.truth.Fact.fact;
import static com.google.common.truth.Truth.assertAbout;

import com.google.common.collect.ImmutableList;
import com.google.common.truth.FailureMetadata;
import com.google.common.truth.Subject;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.jspecify.annotations.Nullable;

/** A Truth subject for modules: their validity and their text. */
public final class HloModuleSubject extends Subject {
  private final @Nullable HloModule actual;

  private HloModuleSubject(FailureMetadata metadata, @Nullable HloModule actual) {
    super(metadata, actual);
    this.actual = actual;
  }

  /**
   * Begins an assertion about a module.
   *
   * @param module the actual module
   * @return the subject
   */
  public static HloModuleSubject assertThat(@Nullable HloModule module) {
    return assertAbout(HloModuleSubject::new).that(module);
  }

  private HloModule actual() {
    if (actual == null) {
      failWithActual(fact("expected", "a module"));
      throw new AssertionError("unreachable");
    }
    return actual;
  }

  /** Fails if the strict verifier finds anything, and reports all its findings. */
  public void isValid() {
    ImmutableList<HloException> findings = Verifier.strict().findings(actual());
    if (!findings.isEmpty()) {
      failWithoutActual(
          fact("expected", "a module without findings"),
          fact("but was", Printer.print(actual(), PrintOptions.SHORT)),
          fact("findings", findings.stream().map(HloException::getMessage).toList()));
    }
  }

  /**
   * Fails unless the short text of the module is the given one.
   *
   * @param text the expected text, as {@link PrintOptions#SHORT} prints it
   */
  public void printsShort(String text) {
    check("print(SHORT)").that(Printer.print(actual(), PrintOptions.SHORT)).isEqualTo(text);
  }
}
