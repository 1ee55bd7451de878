package org.hlo4j.check.generate;

import com.google.common.base.Splitter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.Dims;

/**
 * What the dimensions of arrays are for, by letters: a small one stands for one dimension, a
 * capital one for any number. {@code {B,M,k}} is an array of these in any order, {@code (B,M,k)} in
 * this one; in {@code <B,M,k>} those of a letter follow each other. A letter has the same sizes in
 * each array, {@code n} that of the rank of the first; {@code gi} is an {@code i} of {@code g}
 * times that size.
 */
final class Roles {
  private final Choices choices;

  /** The sizes of the dimensions of each letter. */
  private final Map<String, Dims> sizes = new HashMap<>();

  /** For each array, which of its dimensions are those of each letter. */
  private final List<Map<String, Dims>> arrays = new ArrayList<>();

  Roles(Choices choices) {
    this.choices = choices;
  }

  void give(String letter, Dims given) {
    sizes.put(letter, given);
  }

  Dims sizes(String letter) {
    return sizes.getOrDefault(letter, Dims.of());
  }

  private static List<String> letters(String roles) {
    return Splitter.on(',').omitEmptyStrings().splitToList(roles.substring(1, roles.length() - 1));
  }

  private static boolean isOne(String letter) {
    return Character.isLowerCase(letter.charAt(0));
  }

  private Dims order(String roles, int rank) {
    return roles.startsWith("(") ? Dims.range(0, rank) : choices.permutation(rank);
  }

  /** Tells what the dimensions of an array are for, at random: a letter given twice has more. */
  void part(String roles, Dims given) {
    List<String> letters = letters(roles);
    List<String> ones = letters.stream().filter(Roles::isOne).toList();
    List<String> others = letters.stream().filter(each -> !isOne(each)).toList();
    Map<String, Dims> parts = new HashMap<>();
    letters.forEach(each -> parts.put(each, Dims.of()));
    Dims order = order(roles, given.count());
    for (int i = 0; i < Math.max(order.count(), ones.size()); i++) {
      String letter = i < ones.size() ? ones.get(i) : choices.oneOf(others);
      parts.merge(letter, order.subList(i, i + 1), Dims::concat);
    }
    parts.forEach((letter, dims) -> sizes.put(letter, given.at(dims)));
    sizes.put("n", Dims.of(given.count()));
    arrays.add(parts);
  }

  /** Returns the sizes of a new array, of so many elements at most if they are not given. */
  Dims made(String roles, long most) {
    Dims all = Dims.of();
    for (String letter : letters(roles)) {
      all = all.concat(own(letter, most / Math.max(1, all.product())));
    }
    Dims order = order(roles, all.count());
    Map<String, Dims> parts = new HashMap<>();
    Dims places = Dims.of();
    for (String letter : letters(roles)) {
      Dims own = order.subList(places.count(), places.count() + own(letter, most).count());
      own = roles.startsWith("<") ? Dims.of(own.stream().sorted().toArray()) : own;
      parts.put(letter.substring(letter.length() - 1), own);
      places = places.concat(own);
    }
    arrays.add(parts);
    return all.at(places.inverse());
  }

  private Dims own(String letter, long most) {
    if (letter.length() > 1) {
      return Dims.of(
          letter
              .chars()
              .mapToLong(each -> own("" + (char) each, most).get(0))
              .reduce(1, (a, b) -> a * b));
    } else if (!sizes.containsKey(letter)) {
      long one = choices.between(choices.chance(6) ? 0 : 1, 6);
      sizes.put(letter, isOne(letter) ? Dims.of(one) : choices.sizes(choices.below(4), most));
    }
    return sizes(letter);
  }

  /** Returns the dimensions of some letters of an array, in order: {@code 0kM}. */
  Dims places(String text) {
    Map<String, Dims> parts = arrays.get(Character.digit(text.charAt(0), 10));
    return text.chars()
        .skip(1)
        .mapToObj(letter -> parts.getOrDefault("" + (char) letter, Dims.of()))
        .reduce(Dims.of(), Dims::concat);
  }

  /** Returns the dimension of a small letter; the rank of the array if it has none of it. */
  int place(String text) {
    Dims places = places(text);
    return places.isEmpty()
        ? arrays.get(Character.digit(text.charAt(0), 10)).values().stream()
            .mapToInt(Dims::count)
            .sum()
        : places.getInt(0);
  }
}
