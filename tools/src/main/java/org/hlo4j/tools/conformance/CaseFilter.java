package org.hlo4j.tools.conformance;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableSet;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * The ops and element types of which a conformance suite is written or run.
 *
 * @param ops the opcodes, and {@link #MODULE}; empty for all
 * @param types the names of the element types; empty for all
 */
public record CaseFilter(ImmutableSet<String> ops, ImmutableSet<String> types) {
  /** What stands for an op in the rules of whole modules. */
  static final String MODULE = "module";

  /** Returns the filter of the options {@code --ops} and {@code --types}; refuses unknown names. */
  public static CaseFilter of(List<String> ops, List<String> types) {
    for (String op : ops) {
      require(
          OpSchema.contains(op) || op.equals(MODULE),
          "",
          "--ops got %s, want opcodes such as add, or %s",
          op,
          MODULE);
    }
    for (String type : types) {
      require(
          ElementType.named(type).isPresent(),
          "",
          "--types got %s, want element types such as f32",
          type);
    }
    return new CaseFilter(ImmutableSet.copyOf(ops), ImmutableSet.copyOf(types));
  }

  public boolean accepts(String op, String type) {
    return accepts(op) && (types.isEmpty() || types.contains(type));
  }

  /** Returns whether cases of an op are chosen, those of some type at least. */
  boolean accepts(String op) {
    return ops.isEmpty() || ops.contains(op);
  }
}
