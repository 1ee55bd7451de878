package org.hlo4j.hlo.proto;

import com.google.common.collect.ImmutableSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.ir.UnknownFields;
import org.hlo4j.hlo.proto.MessageType.Field;

/**
 * The fields of a message that hlo4j would not write: those that are unknown, or known but not
 * interpreted, at any depth. They are kept with the module and are written again.
 */
final class Residue {
  /** The messages that XLA writes even if they are empty. */
  private static final ImmutableSet<String> SAY_NOTHING_EMPTY =
      ImmutableSet.of(
          "metadata", "frontend_attributes", "statistics_viz", "precision_config", "program_shape");

  private Residue() {}

  /**
   * Returns the fields that a message has and its rewritten form has not.
   *
   * @param original the message as it was read
   * @param written the same message as hlo4j writes it
   * @param without the fields to ignore
   */
  static UnknownFields of(ProtoMessage original, ProtoBuilder written, Set<String> without) {
    ProtoMessage again = ProtoMessage.of(written.type(), written.toBytes());
    ProtoBuilder rest = ProtoBuilder.of(original.type());
    collect(original, again, without, rest);
    return UnknownFields.of(rest.toBytes());
  }

  /** Returns whether anything was added to the residue. */
  private static boolean collect(
      ProtoMessage original, ProtoMessage written, Set<String> without, ProtoBuilder rest) {
    boolean any = false;
    Set<Integer> seen = new HashSet<>();
    for (int i = 0; i < original.entryCount(); i++) {
      Optional<Field> field = original.type().field(original.number(i));
      if (field.isEmpty()) {
        rest.addRaw(original.number(i), original.wireCode(i), original.raw(i));
        any = true;
      } else if (!without.contains(field.get().name()) && seen.add(original.number(i))) {
        any |= collect(original, i, written, field.get(), rest);
      }
    }
    return any;
  }

  private static boolean collect(
      ProtoMessage original, int entry, ProtoMessage written, Field field, ProtoBuilder rest) {
    boolean both = written.has(field.name());
    if (field.isMessage() && both) {
      return collectNested(original, written, field, rest);
    }
    boolean empty =
        field.isMessage()
            && !field.repeated()
            && SAY_NOTHING_EMPTY.contains(field.name())
            && original.messageOrEmpty(field.name()).entryCount() == 0;
    if (both || empty || saysZero(original, entry, field)) {
      return false;
    }
    for (int i = entry; i < original.entryCount(); i++) {
      if (original.number(i) == field.number()) {
        rest.addRaw(field.number(), original.wireCode(i), original.raw(i));
      }
    }
    return true;
  }

  /** Returns whether an entry is a 0, which may be absent. */
  private static boolean saysZero(ProtoMessage original, int entry, Field field) {
    boolean varint = original.wireCode(entry) == MessageType.Wire.VARINT.code();
    return varint && !field.repeated() && original.integer(field.name()) == 0;
  }

  /** Compares a repeated message field element by element, if the counts are equal. */
  private static boolean collectNested(
      ProtoMessage original, ProtoMessage written, Field field, ProtoBuilder rest) {
    List<ProtoMessage> left = messages(original, field);
    List<ProtoMessage> right = messages(written, field);
    if (left.size() != right.size()) {
      return false;
    }
    ProtoBuilder parts = ProtoBuilder.of(original.type());
    boolean any = false;
    for (int i = 0; i < left.size(); i++) {
      ProtoBuilder part = ProtoBuilder.of(field.message());
      any |= collect(left.get(i), right.get(i), ImmutableSet.of(), part);
      parts.put(field.name(), part);
    }
    if (any) {
      rest.putAll(parts);
    }
    return any;
  }

  private static List<ProtoMessage> messages(ProtoMessage message, Field field) {
    return field.repeated()
        ? message.messages(field.name())
        : message.message(field.name()).map(List::of).orElse(List.of());
  }

  /** Returns a message with the residue of the original inserted. */
  static ProtoBuilder restore(ProtoBuilder written, UnknownFields rest) {
    if (rest.isEmpty()) {
      return written;
    }
    ProtoMessage left = ProtoMessage.of(written.type(), written.toBytes());
    return merge(left, ProtoMessage.of(written.type(), rest.toBytes()));
  }

  private static ProtoBuilder merge(ProtoMessage written, ProtoMessage rest) {
    ProtoBuilder merged = ProtoBuilder.of(written.type());
    Set<Integer> seen = new HashSet<>();
    for (int i = 0; i < written.entryCount(); i++) {
      Optional<Field> field = written.type().field(written.number(i));
      boolean nested = field.isPresent() && field.get().isMessage() && rest.has(field.get().name());
      if (!nested) {
        merged.addRaw(written.number(i), written.wireCode(i), written.raw(i));
      } else if (seen.add(written.number(i))) {
        mergeNested(merged, written, rest, field.get());
      }
    }
    for (int i = 0; i < rest.entryCount(); i++) {
      Optional<Field> field = rest.type().field(rest.number(i));
      if (field.isEmpty() || !written.has(field.get().name())) {
        merged.addRaw(rest.number(i), rest.wireCode(i), rest.raw(i));
      }
    }
    return merged;
  }

  private static void mergeNested(
      ProtoBuilder merged, ProtoMessage written, ProtoMessage rest, Field field) {
    List<ProtoMessage> left = messages(written, field);
    List<ProtoMessage> right = messages(rest, field);
    for (int i = 0; i < left.size(); i++) {
      merged.put(
          field.name(),
          left.size() == right.size()
              ? merge(left.get(i), right.get(i))
              : merge(left.get(i), ProtoMessage.of(field.message(), new byte[0])));
    }
  }
}
