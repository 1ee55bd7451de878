package org.hlo4j.check.part;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Lists;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.IntPredicate;

/**
 * Delta debugging of a list: it removes as many of its parts as a check allows, first all of them,
 * then halves, quarters and so on down to single ones.
 */
public final class Halving {
  private Halving() {}

  /**
   * Removes parts.
   *
   * @param <T> the type of the parts
   * @param parts the parts
   * @param isRemoved takes some of the parts and what is then left, and removes them if it can
   * @return what is left
   */
  public static <T> ImmutableList<T> left(
      List<T> parts, BiPredicate<List<T>, ImmutableList<T>> isRemoved) {
    ImmutableList<T> left = ImmutableList.copyOf(parts);
    for (int size = parts.size(); size > 0; size = size == 1 ? 0 : (size + 1) / 2) {
      for (List<T> group : Lists.partition(left, size)) {
        ImmutableSet<T> some = ImmutableSet.copyOf(group);
        ImmutableList<T> rest =
            left.stream()
                .filter(each -> !some.contains(each))
                .collect(ImmutableList.toImmutableList());
        left = isRemoved.test(group, rest) ? rest : left;
      }
    }
    return left;
  }

  /**
   * Returns the least number for which a check holds, as it does for all above.
   *
   * @param none a number for which it does not hold
   * @param all a greater one for which it does
   * @param holds the check
   * @return the number
   */
  public static int least(int none, int all, IntPredicate holds) {
    int below = none;
    int least = all;
    while (least - below > 1) {
      int middle = (below + least) / 2;
      if (holds.test(middle)) {
        least = middle;
      } else {
        below = middle;
      }
    }
    return least;
  }
}
