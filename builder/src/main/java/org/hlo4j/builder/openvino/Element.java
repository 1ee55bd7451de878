package org.hlo4j.builder.openvino;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * An XML element, without its text.
 *
 * @param name its name
 * @param attributes its attributes
 * @param children its child elements
 * @param line the line where it begins
 */
record Element(
    String name, ImmutableMap<String, String> attributes, List<Element> children, int line) {
  Element(String name, ImmutableMap<String, String> attributes, int line) {
    this(name, attributes, new ArrayList<>(), line);
  }

  /** Refuses elements and attributes that would be ignored. */
  void requireOnly(Set<String> knownAttributes, Set<String> knownChildren) {
    for (String attribute : attributes.keySet()) {
      require(
          knownAttributes.contains(attribute),
          "",
          "line %s: <%s> got attribute %s, want one of %s",
          line,
          name,
          attribute,
          knownAttributes.stream().sorted().toList());
    }
    for (Element child : children) {
      require(
          knownChildren.contains(child.name),
          "",
          "line %s: <%s> got <%s>, want one of %s",
          child.line,
          name,
          child.name,
          knownChildren.stream().sorted().toList());
    }
  }

  /** Returns the only child of a name, if there is one. */
  Optional<Element> child(String childName) {
    List<Element> found = all(childName);
    require(
        found.size() <= 1,
        "",
        "line %s: <%s> got %s of <%s>, want one at most",
        line,
        name,
        found.size(),
        childName);
    return found.stream().findFirst();
  }

  List<Element> all(String childName) {
    return children.stream().filter(child -> child.name.equals(childName)).toList();
  }

  String required(String attribute) {
    require(
        attributes.containsKey(attribute),
        "",
        "line %s: <%s> got no attribute %s, want one",
        line,
        name,
        attribute);
    return attributes.getOrDefault(attribute, "");
  }

  /** Returns an attribute as an integer. */
  long number(String attribute) {
    return number(required(attribute), attribute);
  }

  long number(String text, String what) {
    try {
      return Long.parseLong(text.strip());
    } catch (NumberFormatException notOne) {
      require(
          false, "", "line %s: %s of <%s> got \"%s\", want a whole number", line, what, name, text);
      throw notOne;
    }
  }
}
