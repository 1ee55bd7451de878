package org.hlo4j.hlo.text;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.source.Nearest;
import org.hlo4j.hlo.source.ParseException;

/**
 * A scope: a map from names to definitions in the order of the text. The definitions are the
 * instructions of a computation, or the computations of a module.
 */
final class Scope<T> {
  private final String kind;
  private final Map<String, T> defined = new HashMap<>();
  private final Set<String> broken = new HashSet<>();
  private final Set<String> reserved = new HashSet<>();
  private final List<T> all = new ArrayList<>();

  /** Creates a scope of definitions of a kind, which is named in messages. */
  Scope(String kind) {
    this.kind = kind;
  }

  /** Refuses a name that is taken. */
  void requireNew(String name, int position) {
    if (contains(name)) {
      throw new ParseException(
          position, "got another " + kind + " of the name " + name + ", want unique names");
    }
  }

  boolean contains(String name) {
    return defined.containsKey(name) || broken.contains(name);
  }

  /** Reserves a name for the definition being read. */
  void reserve(String name) {
    reserved.add(name);
  }

  /** Releases a reserved name; a definition that was read keeps it by itself. */
  void release(String name) {
    reserved.remove(name);
  }

  void define(String name, T value) {
    defined.put(name, value);
    all.add(value);
  }

  /** Marks a name whose definition failed, so that its uses are not reported as errors again. */
  void markBroken(String name) {
    if (!defined.containsKey(name)) {
      broken.add(name);
    }
  }

  /** Returns the definition of a name. */
  T get(String name, int position) {
    T value = defined.get(name);
    if (value != null) {
      return value;
    }
    if (broken.contains(name)) {
      throw ParseException.told(position);
    }
    throw new ParseException(
        position,
        "got " + name + ", want the name of an earlier " + kind,
        Nearest.to(name, defined.keySet()));
  }

  /** Returns a name that is not taken: this one, or this one with a number appended. */
  String unique(String name) {
    String unique = name;
    for (int i = 1; contains(unique) || reserved.contains(unique); i++) {
      unique = name + "." + i;
    }
    return unique;
  }

  /** Returns all definitions in order. */
  List<T> all() {
    return Collections.unmodifiableList(all);
  }

  boolean isEmpty() {
    return defined.isEmpty();
  }
}
