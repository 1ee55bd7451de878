package org.hlo4j.hlo.text;

import com.google.common.primitives.Longs;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Gives each instruction of a module a name of its own, as XLA does: the text may use a name in
 * several computations, and the later ones get another number, {@code x} and then {@code x.1}.
 */
final class UniqueNames {
  /** The numbers given to one stem; 0 stands for the stem alone. */
  private static final class Numbers {
    private final Set<Long> taken = new HashSet<>();
    private long next = 1;

    long take(long wanted) {
      if (taken.add(wanted)) {
        return wanted;
      }
      while (!taken.add(next)) {
        next++;
      }
      return next++;
    }
  }

  private final Map<String, Numbers> numbers = new HashMap<>();

  /** This name, or its stem with the least number from 1 on that is free. */
  String unique(String name) {
    int point = name.lastIndexOf('.');
    Long written = point > 0 ? number(name.substring(point + 1)) : null;
    String stem = written == null ? name : name.substring(0, point);
    long wanted = written == null ? 0 : written;
    long number = numbers.computeIfAbsent(stem, key -> new Numbers()).take(wanted);
    return number == wanted ? name : stem + "." + number;
  }

  /** A number as it is written behind a stem: 7, not 07, which would name another instruction. */
  private static @Nullable Long number(String digits) {
    Long number = Longs.tryParse(digits);
    return number != null && number >= 0 && number.toString().equals(digits) ? number : null;
  }
}
