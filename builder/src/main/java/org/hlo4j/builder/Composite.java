package org.hlo4j.builder;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import org.hlo4j.hlo.schema.AttributeText;

/**
 * The description of the op that a composite call implements: {@code
 * Composite.of("chlo.top_k").withAttributes("{k = 3}")}.
 *
 * @param name the op of a higher level, not empty
 * @param attributes its attributes, in braces
 * @param version the version of its definition, at least 0
 */
public record Composite(String name, String attributes, long version) {
  /**
   * Checks the parts.
   *
   * @throws org.hlo4j.hlo.HloException if the name is empty, the attributes are not in braces, or
   *     the version is negative
   */
  public Composite {
    require(!name.isEmpty(), "composite C1", "composite: name got \"\", want a name");
    require(
        attributes.startsWith("{") && attributes.endsWith("}"),
        "",
        "composite: attributes got %s, want them in braces",
        attributes);
    require(version >= 0, "", "composite: version got %s, want at least 0", version);
  }

  /**
   * Returns an op without attributes, of version 0.
   *
   * @param name the op of a higher level
   * @return the composite
   */
  public static Composite of(String name) {
    return new Composite(name, "{}", 0);
  }

  /**
   * Returns the same op with other attributes.
   *
   * @param newAttributes the attributes, in braces
   * @return the composite
   */
  public Composite withAttributes(String newAttributes) {
    return new Composite(name, newAttributes, version);
  }

  /**
   * Returns the same op of another version.
   *
   * @param newVersion the version
   * @return the composite
   */
  public Composite withVersion(long newVersion) {
    return new Composite(name, attributes, newVersion);
  }

  String toText() {
    return AttributeText.frontendAttributes(
        ImmutableMap.of(
            "composite.name", name,
            "composite.attributes", attributes,
            "composite.version", Long.toString(version)));
  }
}
