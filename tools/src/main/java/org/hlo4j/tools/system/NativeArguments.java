package org.hlo4j.tools.system;

import java.util.Optional;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.compare.ToleranceProfile.DotPrecision;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.tools.console.NameConverter;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that say what another system may do in another way than the reference. */
public final class NativeArguments {
  /** Which rewrites are allowed. */
  enum Rewriting {
    none,
    xla
  }

  /** What may become of denormal numbers. */
  enum Denormals {
    flush,
    keep
  }

  /** A parser of a precision. */
  static final class Precision extends NameConverter<DotPrecision> {
    Precision() {
      super(DotPrecision.class);
    }
  }

  /** A parser of a type of floats. */
  static final class Type implements ITypeConverter<ElementType> {
    @Override
    public ElementType convert(String name) {
      return ElementType.named(name)
          .filter(ElementType::isFloating)
          .orElseThrow(() ->
              new TypeConversionException(
                  "got '" + name + "', want a type of floats, such as f32"));
    }
  }

  @Option(
      names = "--ulps",
      paramLabel = "N",
      description =
          "How many ulps a function such as exp of f32 and f64 may be off in the profile native."
              + " Default: what is published for each.")
  private Optional<Long> ulps = Optional.empty();

  @Option(
      names = "--dot",
      paramLabel = "PRECISION",
      defaultValue = "f32",
      converter = Precision.class,
      description =
          "How dots and convolutions multiply in the profile native, if their algorithm does not"
              + " say: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private DotPrecision dot = DotPrecision.F32;

  @Option(
      names = "--accumulate",
      paramLabel = "TYPE",
      converter = Type.class,
      description =
          "The type in which sums of f32 and narrower types are added in the profile native."
              + " Default: f32.")
  private Optional<ElementType> accumulate = Optional.empty();

  @Option(
      names = "--rewrites",
      paramLabel = "WHICH",
      defaultValue = "xla",
      description =
          "Whether the program as XLA's simplifier rewrites it is right, too, in the profile"
              + " native: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private Rewriting rewrites = Rewriting.xla;

  @Option(
      names = "--denormals",
      paramLabel = "WHAT",
      defaultValue = "flush",
      description =
          "Whether denormal numbers may be zero in the profile native: ${COMPLETION-CANDIDATES}."
              + " Default: ${DEFAULT-VALUE}.")
  private Denormals denormals = Denormals.flush;

  /**
   * Returns the profile.
   *
   * @throws HloException if a number is out of range
   */
  public ToleranceProfile profile() {
    return new ToleranceProfile.Native(
        ulps.stream().mapToLong(Long::longValue).findFirst(),
        dot,
        accumulate,
        rewrites != Rewriting.none,
        denormals == Denormals.keep);
  }
}
