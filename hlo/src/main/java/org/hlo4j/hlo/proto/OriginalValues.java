package org.hlo4j.hlo.proto;

import com.google.common.base.Ascii;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.schema.AttributeText;

/**
 * The conversion of OriginalValueProto, which gives for each array of a result the array of the
 * original module, before XLA transformed it. HLO text has a tree with the structure of the result:
 * <code>{({"a"}, {"b" {0,1}}, {})}</code>. The file has a list of leaves with their tuple indices.
 */
final class OriginalValues {
  private static final String SYNTHETIC = "[synthetic_call]";

  /**
   * The largest gap between the indices of two leaves. The indices in a gap are those of empty
   * tuples, which the file does not store.
   */
  private static final int MAX_GAP = 16;

  private record Leaf(Dims place, String text) {}

  private OriginalValues() {}

  /** Returns the tree of a message as text. */
  static String text(ProtoMessage message) {
    if (message.bool("is_synthetic_call")) {
      return "{" + SYNTHETIC + "}";
    }
    List<Leaf> leaves =
        message.messages("elements").stream()
            .map(leaf -> new Leaf(leaf.dims("shape_index"), array(leaf, "original_array")))
            .toList();
    return "{" + tree(message, leaves, 0) + "}";
  }

  private static String tree(ProtoMessage message, List<Leaf> leaves, int depth) {
    if (leaves.size() == 1 && leaves.get(0).place.count() == depth) {
      return leaves.get(0).text;
    }
    List<List<Leaf>> elements = new ArrayList<>();
    for (Leaf leaf : leaves) {
      long index = leaf.place.count() > depth ? leaf.place.get(depth) : -1;
      if (index < Math.max(0, elements.size() - 1) || index > elements.size() + MAX_GAP) {
        throw message.refusal("elements", "got " + leaf.place + ", want the places of a tuple");
      }
      while (elements.size() <= index) {
        elements.add(new ArrayList<>());
      }
      elements.get((int) index).add(leaf);
    }
    return elements.stream()
        .map(element -> tree(message, element, depth + 1))
        .collect(Collectors.joining(", ", "(", ")"));
  }

  /** Returns an array of the original module, in braces; returns empty braces if there is none. */
  static String array(ProtoMessage from, String field) {
    return from.message(field)
        .map(array -> AttributeText.quoted(array.string("instruction_name")) + index(array))
        .orElse("")
        .transform(inside -> "{" + inside + "}");
  }

  private static String index(ProtoMessage array) {
    Dims index = array.dims("shape_index");
    return index.isEmpty()
        ? ""
        : index.stream().mapToObj(Long::toString).collect(Collectors.joining(",", " {", "}"));
  }

  // From text.

  /** Returns the message of a tree. */
  static ProtoBuilder message(String text) {
    ProtoBuilder message = ProtoBuilder.of("OriginalValueProto");
    String tree = inside(text, "{", "}");
    if (tree.equals(SYNTHETIC)) {
      return message.put("is_synthetic_call", true);
    }
    putTree(message, tree, Dims.of());
    return message;
  }

  private static void putTree(ProtoBuilder message, String text, Dims place) {
    if (text.startsWith("(")) {
      List<String> elements = TextParts.split(inside(text, "(", ")"), ',');
      IntStream.range(0, elements.size())
          .forEach(i -> putTree(message, elements.get(i), place.inserted(place.count(), i)));
      return;
    }
    ProtoBuilder leaf = ProtoBuilder.of("OriginalValueElementProto").put("shape_index", place);
    putArray(leaf, "original_array", text);
    message.put("elements", leaf);
  }

  /** Writes an array given in braces; writes nothing for empty braces. */
  static void putArray(ProtoBuilder to, String field, String text) {
    String inside = inside(text, "{", "}");
    if (inside.isEmpty()) {
      return;
    }
    int end = TextParts.endOfString(inside);
    String index = end < 0 ? "" : inside.substring(end).strip();
    if (end < 0 || !(index.isEmpty() || index.startsWith("{"))) {
      throw refused(text);
    }
    byte[] name = TextParts.bytes(inside.substring(0, end));
    try {
      to.at(field)
          .put("instruction_name", new String(name, StandardCharsets.UTF_8))
          .put("shape_index", Braces.numbers(index));
    } catch (NumberFormatException noIndex) {
      throw refused(text);
    }
  }

  private static String inside(String text, String open, String close) {
    String stripped = text.strip();
    boolean closed = stripped.length() > 1 && stripped.startsWith(open) && stripped.endsWith(close);
    if (!closed) {
      throw refused(text);
    }
    return stripped.substring(1, stripped.length() - 1).strip();
  }

  private static HloException refused(String text) {
    return new HloException(
        "",
        "proto: origin got "
            + Ascii.truncate(text, 80, "…")
            + ", want a tree such as {({\"a\"}, {\"b\" {0}})}");
  }
}
