package org.hlo4j.hlo.proto;

import java.util.Arrays;
import org.hlo4j.hlo.proto.MessageType.Wire;

/** A scanner of the wire format: finds the fields of a message, and reads numbers. */
final class WireScanner {
  private final ProtoMessage message;
  private final byte[] bytes;
  private final int end;
  private int at;
  private int limit;
  private int[] found = new int[24];
  private int count;

  WireScanner(ProtoMessage message, byte[] bytes, int start, int end) {
    this.message = message;
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  /**
   * Returns for each field in file order: number and wire type, and where its value begins and
   * ends.
   */
  int[] found() {
    return found;
  }

  int count() {
    return count;
  }

  boolean hasMore() {
    return at < end;
  }

  /** Finds all fields. */
  void scan() {
    while (at < end) {
      int place = at;
      long tag = varint();
      if (tag >>> 3 == 0 || tag >>> 32 != 0) {
        throw message.refusal(
            place, "got the tag " + tag + ", want a field number and a wire type");
      }
      int from = from((int) tag);
      int to = to(place, (int) tag, from);
      add((int) tag, from, to);
      at = to;
    }
    found = Arrays.copyOf(found, 3 * count);
  }

  /** Returns where a value begins: after its length, if it has one. */
  private int from(int tag) {
    if ((tag & 7) != Wire.DELIMITED.code()) {
      return at;
    }
    int place = at;
    long length = varint();
    if (length < 0 || length > end - at) {
      throw message.refusal(
          place, "got a length of " + length + ", want at most " + (end - at) + " bytes");
    }
    limit = at + (int) length;
    return at;
  }

  private int to(int place, int tag, int from) {
    int to =
        switch (tag & 7) {
          case 0 -> {
            varint();
            yield at;
          }
          case 1 -> from + 8;
          case 2 -> limit;
          case 3 -> endOfGroup(tag >>> 3);
          case 5 -> from + 4;
          default ->
              throw message.refusal(place, "got wire type " + (tag & 7) + ", want 0, 1, 2 or 5");
        };
    if (to > end || to < from) {
      throw message.refusal(place, "field " + (tag >>> 3) + " got cut short");
    }
    return to;
  }

  private int endOfGroup(int group) {
    throw message.refusal(at, "field " + group + " got a group, which XLA does not write");
  }

  private void add(int tag, int from, int to) {
    if (3 * count + 3 > found.length) {
      found = Arrays.copyOf(found, 2 * found.length);
    }
    found[3 * count] = tag;
    found[3 * count + 1] = from;
    found[3 * count + 2] = to;
    count++;
  }

  long varint() {
    long value = 0;
    int place = at;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at >= end) {
        throw message.refusal(place, "got cut short, want a number");
      }
      byte next = bytes[at++];
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw message.refusal(place, "got a number of more than 10 bytes");
  }
}
