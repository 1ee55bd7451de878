package org.hlo4j.hlo.proto;

import com.google.common.collect.ImmutableList;

/** The lines of a proto's text. */
final class ProtoLines {
  private ProtoLines() {}

  static ImmutableList<String> of(String text) {
    return text.lines().map(String::strip).collect(ImmutableList.toImmutableList());
  }
}
