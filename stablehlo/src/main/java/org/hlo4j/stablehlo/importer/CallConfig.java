package org.hlo4j.stablehlo.importer;

import static org.hlo4j.stablehlo.importer.Verification.verify;

import java.util.Optional;
import org.hlo4j.hlo.op.CustomCall.ApiVersion;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a custom call, which has two spellings: {@code backend_config}, and the
 * dictionary {@code mhlo.backend_config} that JAX's text has beside an empty {@code
 * backend_config}. The dictionary means a call of the typed foreign function interface.
 *
 * @param value the string or dictionary; empty if the call has none
 * @param version the version of the interface
 */
record CallConfig(Optional<Attribute> value, ApiVersion version) {
  private static final String TYPED = "mhlo.backend_config";

  static CallConfig of(Fields call) {
    Optional<Attribute> plain = Optional.ofNullable(call.entries().get("backend_config"));
    ApiVersion declared = declaredVersion(call);
    Attribute typed = call.entries().get(TYPED);
    if (typed == null) {
      return new CallConfig(plain, declared);
    }
    requireOne(plain.orElse(null), declared, typed);
    return new CallConfig(Optional.of(typed), ApiVersion.API_VERSION_TYPED_FFI);
  }

  /** Requires that a dictionary is the only configuration, and that the version allows it. */
  private static void requireOne(@Nullable Attribute plain, ApiVersion declared, Attribute typed) {
    verify(typed instanceof Attribute.Dictionary, "%s got %s, want a dictionary", TYPED, typed);
    verify(
        plain == null || isEmpty(plain) || plain.equals(typed),
        "%s got %s beside backend_config = %s, want one of them",
        TYPED,
        typed,
        plain);
    verify(
        declared == ApiVersion.API_VERSION_ORIGINAL || declared == ApiVersion.API_VERSION_TYPED_FFI,
        "%s got %s for %s, want api_version 4, or none",
        TYPED,
        typed,
        declared);
  }

  private static boolean isEmpty(Attribute config) {
    return (config instanceof Attribute.Str text && text.value().isEmpty())
        || (config instanceof Attribute.Dictionary entries && entries.entries().isEmpty());
  }

  private static ApiVersion declaredVersion(Fields call) {
    int version = call.int32("api_version", 1);
    ApiVersion[] all = ApiVersion.values();
    verify(
        version >= 0 && version <= all.length,
        "api_version got %s, want 0 to %s",
        version,
        all.length);
    return all[Math.max(0, version - 1)];
  }

  /** Requires a dictionary for a typed call, and a string for any other. */
  @SuppressWarnings("EnumOrdinal") // XLA counts the versions from 1, in this order
  void requireForm() {
    boolean isTyped = version == ApiVersion.API_VERSION_TYPED_FFI;
    Attribute config = value.orElse(null);
    verify(
        config == null
            || (isTyped ? config instanceof Attribute.Dictionary : config instanceof Attribute.Str),
        "backend_config got %s, want a %s for api_version %s",
        config,
        isTyped ? "dictionary" : "string",
        1 + version.ordinal());
  }

  /** Returns the configuration as HLO text writes it; empty if there is none. */
  Optional<String> text() {
    return value
        .filter(config -> !(config instanceof Attribute.Str text && text.value().isEmpty()))
        .map(config ->
            config instanceof Attribute.Str text
                ? AttributeText.quoted(text.value())
                : config.toString());
  }
}
