package org.hlo4j.check.generate;

import static java.util.Comparator.comparingInt;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.common.collect.Lists;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;

/**
 * What the dimensions of arrays are for, by letters: a small one stands for one dimension, a
 * capital one for any number. {@code {B,M,k}} is an array of these in any order, {@code (B,M,k)} in
 * this one; in {@code /B,M,k/} those of a letter follow each other. A letter has the same sizes in
 * each array, {@code n} that of the rank of the first one used before; a digit is its own size, and
 * {@code gi} a dimension of {@code g} times {@code i} elements.
 */
final class Roles {
  private final Choices choices;

  /** The sizes of the dimensions of each letter. */
  private final Map<String, Dims> sizes = new HashMap<>();

  /** For each array, the letter of each dimension and its number among those of the letter. */
  private final List<List<String>> arrays = new ArrayList<>();

  Roles(Choices choices) {
    this.choices = choices;
  }

  void give(String letter, Dims given) {
    sizes.put(letter, given);
  }

  boolean has(String letter) {
    return sizes.containsKey(letter);
  }

  Dims sizes(String letter) {
    return sizes.getOrDefault(letter, Dims.of());
  }

  private static List<String> letters(String roles) {
    return Splitter.on(',')
        .omitEmptyStrings()
        .splitToList(CharMatcher.anyOf("(){}/").removeFrom(roles));
  }

  private static boolean isMany(String letter) {
    return Character.isUpperCase(letter.charAt(0));
  }

  /** Keeps an array of these dimensions in the order that the roles ask for. */
  private List<String> keep(String roles, List<String> letters) {
    Dims order =
        roles.startsWith("(") ? Dims.range(0, letters.size()) : choices.permutation(letters.size());
    List<String> array =
        roles.startsWith("/") ? numbered(at(letters, order)) : at(numbered(letters), order);
    arrays.add(array);
    return array;
  }

  private static List<String> at(List<String> letters, Dims order) {
    return order.stream().mapToObj(i -> letters.get((int) i)).toList();
  }

  private static List<String> numbered(List<String> letters) {
    List<String> numbered = new ArrayList<>();
    for (String letter : letters) {
      numbered.add(letter + numbered.stream().filter(each -> each.startsWith(letter)).count());
    }
    return numbered;
  }

  /** Tells what the dimensions of an array are for, at random: a letter given twice has more. */
  void part(String roles, Dims given) {
    List<String> letters = letters(roles);
    List<String> each = new ArrayList<>(letters);
    each.removeIf(Roles::isMany);
    while (each.size() < given.count()) {
      each.add(choices.oneOf(letters.stream().filter(Roles::isMany).toList()));
    }
    each.sort(comparingInt(letters::indexOf));
    List<String> array = keep(roles, each);
    letters.forEach(letter -> sizes.put(letter, given.at(places(array, letter))));
    sizes.putIfAbsent("n", Dims.of(given.count()));
  }

  /** Returns the sizes of a new array, of so many elements at most if they are not given. */
  Dims made(String roles, long most) {
    Dims all = Dims.of();
    List<String> each = new ArrayList<>();
    for (String letter : letters(roles)) {
      Dims own = own(letter, most / Math.max(1, all.product()));
      all = all.concat(own);
      each.addAll(Collections.nCopies(own.count(), letter.substring(letter.length() - 1)));
    }
    List<String> plain = numbered(each);
    return all.at(Dims.copyOf(Lists.transform(keep(roles, each), plain::indexOf)));
  }

  private Dims own(String letter, long most) {
    if (letter.length() > 1) {
      return Dims.of(
          Splitter.fixedLength(1)
              .splitToStream(letter)
              .mapToLong(each -> own(each, most).product())
              .reduce(1, (a, b) -> a * b));
    } else if (Character.isDigit(letter.charAt(0))) {
      return Dims.of(Long.parseLong(letter));
    } else if (!sizes.containsKey(letter)) {
      long one = choices.between(choices.chance(6) ? 0 : 1, 6);
      sizes.put(letter, isMany(letter) ? choices.sizes(choices.below(4), most) : Dims.of(one));
    }
    return sizes(letter);
  }

  /** Returns which ranks an array can have. */
  IntPredicate ranks(String roles) {
    List<String> letters = letters(roles);
    long ones = letters.stream().filter(each -> !isMany(each)).count();
    return rank -> ones == letters.size() ? rank == ones : rank >= ones;
  }

  private static Dims places(List<String> array, String letter) {
    return Dims.of(
        IntStream.range(0, array.size())
            .mapToLong(i -> array.indexOf(letter + i))
            .filter(place -> place >= 0)
            .toArray());
  }

  /**
   * Returns the dimensions of some letters of an array, in order: {@code 0kM}. The dimension of a
   * small one is the rank if the array has none of it.
   */
  Dims places(String text) {
    List<String> array = arrays.get(Character.digit(text.charAt(0), 10));
    return Splitter.fixedLength(1)
        .splitToStream(text.substring(1))
        .map(letter -> {
          Dims own = places(array, letter);
          return own.isEmpty() && !isMany(letter) ? Dims.of(array.size()) : own;
        })
        .reduce(Dims.of(), Dims::concat);
  }

  /** Returns a character for each dimension of an array: its letter, or its number among many. */
  String labels(int array) {
    return arrays.get(array).stream()
        .map(each -> isMany(each) ? each.substring(1) : each.substring(0, 1))
        .collect(Collectors.joining());
  }
}
