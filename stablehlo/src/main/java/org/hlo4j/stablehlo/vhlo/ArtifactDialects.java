package org.hlo4j.stablehlo.vhlo;

import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.require;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.dialect.PlainDialects;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.DialectEncoding;
import org.hlo4j.stablehlo.mlir.EntryReader;

/** The dialects of portable artifacts, which are read as StableHLO's. */
final class ArtifactDialects extends PlainDialects {
  private static final Pattern PRODUCER = Pattern.compile("StableHLO_v(\\d+\\.\\d+\\.\\d+)");

  @Override
  public void checkProducer(String producer) {
    if (!producer.startsWith("StableHLO_")) {
      // Other producers of bytecode give no version.
      return;
    }
    Matcher matcher = PRODUCER.matcher(producer);
    require(
        matcher.matches(),
        PARSE,
        "the artifact is from producer %s, want one such as StableHLO_v1.0.0",
        producer);
    Version version = Version.parse(matcher.group(1));
    require(
        version.major() < 2 && !version.isBefore(Version.OLDEST),
        UNSUPPORTED,
        "the artifact is of StableHLO %s, want one of %s to 1.x",
        version,
        Version.OLDEST);
  }

  @Override
  public Optional<DialectEncoding> encoding(String dialect) {
    return dialect.equals("vhlo") ? Optional.of(VhloEncoding.INSTANCE) : super.encoding(dialect);
  }

  private static boolean isVersioned(String stored) {
    return stored.startsWith("vhlo.");
  }

  private static VhloOp versionedOp(String stored) {
    return Optional.ofNullable(VhloOp.BY_NAME.get(stored))
        .orElseThrow(() ->
            new HloException(
                UNSUPPORTED,
                "operation %s is not known, want one of StableHLO up to %s",
                stored,
                Version.NEWEST));
  }

  @Override
  public String operationName(String stored, String parent) {
    if (!isVersioned(stored)) {
      return super.operationName(stored, parent);
    }
    String name = versionedOp(stored).definition().name();
    return name.equals("stablehlo.return") && parent.equals("func.func") ? "func.return" : name;
  }

  @Override
  public Map<String, Attribute> properties(String stored, EntryReader in) {
    return isVersioned(stored) ? versionedOp(stored).properties(in) : super.properties(stored, in);
  }

  @Override
  public Attributes attributes(String stored, Map<String, Attribute> given) {
    return isVersioned(stored) ? versionedOp(stored).read(given) : super.attributes(stored, given);
  }
}
