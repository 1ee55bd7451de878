package org.hlo4j.check.locate;

import com.google.common.base.Verify;
import java.util.IdentityHashMap;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;

/** The values of instructions. */
final class Values {
  private final IdentityHashMap<HloInstruction, Literal> values = new IdentityHashMap<>();

  void put(HloInstruction instruction, Literal value) {
    values.put(instruction, value);
  }

  boolean has(HloInstruction instruction) {
    return values.containsKey(instruction);
  }

  Literal of(HloInstruction instruction) {
    return Verify.verifyNotNull(values.get(instruction), "no value of %s", instruction);
  }

  /** Returns the size of a value; 0 if it is not known. */
  long bytes(HloInstruction instruction) {
    Literal value = values.get(instruction);
    return value == null
        ? 0
        : value.arrays().stream()
            .mapToLong(each -> (long) each.elementCount() * each.elementType().bits() / 8)
            .sum();
  }
}
