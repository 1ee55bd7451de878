package org.hlo4j.pjrt.binding;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;

/** The numbers of element types: {@code PJRT_Buffer_Type}, which are not those of XLA's protos. */
public final class BufferTypes {
  private static final ImmutableMap<ElementType, Table.Constant> CONSTANTS =
      Table.PJRT.elementTypes("PJRT_Buffer_Type");

  private BufferTypes() {}

  /** {@return the types of arrays that the interface has in its newest version} */
  public static ImmutableSet<ElementType> all() {
    return CONSTANTS.keySet();
  }

  /**
   * {@return the number of a type}
   *
   * @throws HloException if the plugin is older than the type: a number that it does not know would
   *     end the process
   */
  public static int number(ElementType type, Api api) {
    Table.Constant constant = CONSTANTS.get(type);
    if (constant == null || constant.since() > api.minor()) {
      int since = constant == null ? Table.NEWEST : constant.since();
      throw new HloException(
          Kind.UNSUPPORTED,
          "pjrt: got elements of type %s, which plugins have since 0.%s, want one that version %s has"
              .formatted(type, since, api.version()));
    }
    return constant.value();
  }
}
