package org.hlo4j.tools.input;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.ElementType;

/** Names of element types as HLO, NumPy and JAX write them: {@code f32} and {@code float32}. */
public final class ElementTypeNames {
  /** A name before the sizes of a shape. */
  private static final Pattern BEFORE_SIZES = Pattern.compile("\\b([a-z][a-z0-9_]*)(?=\\[)");

  private ElementTypeNames() {}

  /** Returns the type of a name. */
  public static Optional<ElementType> find(String name) {
    return ElementType.named(name).or(() -> ElementType.named(hloName(name)));
  }

  /** Returns the text of a literal with HLO's type names in its shape. */
  static String inHlo(String literal) {
    return BEFORE_SIZES
        .matcher(literal)
        .replaceAll(found ->
            Matcher.quoteReplacement(
                find(found.group(1)).map(ElementType::toString).orElse(found.group(1))));
  }

  private static String hloName(String name) {
    return name.equals("bool")
        ? "pred"
        : name.replace("_", "")
            .replaceFirst("^bfloat", "bf")
            .replaceFirst("^float", "f")
            .replaceFirst("^uint", "u")
            .replaceFirst("^int", "s")
            .replaceFirst("^complex", "c");
  }
}
