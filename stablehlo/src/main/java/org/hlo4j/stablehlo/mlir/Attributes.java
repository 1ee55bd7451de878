package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Maps;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The attributes of an operation, by name. Immutable. */
public final class Attributes {
  /** No attributes. */
  public static final Attributes NONE = new Attributes(ImmutableSortedMap.of());

  private final ImmutableSortedMap<String, Attribute> entries;

  private Attributes(ImmutableSortedMap<String, Attribute> entries) {
    this.entries = entries;
  }

  /**
   * {@return attributes}
   *
   * @param entries the attributes by name
   */
  public static Attributes of(Map<String, Attribute> entries) {
    return entries.isEmpty() ? NONE : new Attributes(ImmutableSortedMap.copyOf(entries));
  }

  /**
   * {@return the attribute of a name, or null if there is none}
   *
   * @param name the name
   */
  public @Nullable Attribute get(String name) {
    return entries.get(name);
  }

  /**
   * {@return the attribute of a name, if there is one}
   *
   * @param name the name
   */
  public Optional<Attribute> find(String name) {
    return Optional.ofNullable(entries.get(name));
  }

  /**
   * {@return whether there is an attribute of a name}
   *
   * @param name the name
   */
  public boolean has(String name) {
    return entries.containsKey(name);
  }

  /** {@return all entries, sorted by name} */
  public ImmutableMap<String, Attribute> entries() {
    return entries;
  }

  /**
   * {@return these attributes and another one, which replaces an attribute of the same name}
   *
   * @param name the name
   * @param attribute the attribute
   */
  public Attributes with(String name, Attribute attribute) {
    java.util.TreeMap<String, Attribute> more = new java.util.TreeMap<>(entries);
    more.put(name, attribute);
    return of(more);
  }

  /**
   * {@return these attributes without those of some names}
   *
   * @param names the names
   */
  public Attributes without(Iterable<String> names) {
    ImmutableSet<String> removed = ImmutableSet.copyOf(names);
    return filtered(name -> !removed.contains(name));
  }

  /**
   * {@return those of these attributes whose names are wanted}
   *
   * @param isWanted whether a name is
   */
  public Attributes filtered(Predicate<String> isWanted) {
    return of(Maps.filterKeys(entries, isWanted::test));
  }

  /**
   * {@return the attributes of an argument or a result, which are elements of a list}
   *
   * @param list the name of the list, such as {@code arg_attrs}
   * @param number the number of the element; there are no attributes if there is none
   */
  public Attributes ofElement(String list, int number) {
    return get(list) instanceof Attribute.Array all
            && number < all.elements().size()
            && all.elements().get(number) instanceof Attribute.Dictionary dictionary
        ? of(dictionary.entries())
        : NONE;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Attributes that && entries.equals(that.entries);
  }

  @Override
  public int hashCode() {
    return entries.hashCode();
  }

  @Override
  public String toString() {
    return new Attribute.Dictionary(entries).toString();
  }
}
