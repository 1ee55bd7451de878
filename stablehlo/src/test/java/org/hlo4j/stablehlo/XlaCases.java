package org.hlo4j.stablehlo;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The programs of a file of cases, and what XLA made of them; goldens.py records it. */
final class XlaCases {
  private XlaCases() {}

  /**
   * A case.
   *
   * @param name its name
   * @param program the program
   * @param byXla what XLA makes of it; an error if it refuses it
   * @param why why hlo4j makes something else of it; empty if it makes the same
   * @param byUs what hlo4j makes of it then
   */
  record Case(String name, String program, String byXla, String why, String byUs) {
    boolean isRefusedByXla() {
      return byXla.startsWith("error: ");
    }
  }

  static ImmutableList<Case> read(String file) {
    try {
      String text =
          Resources.toString(
              Resources.getResource(XlaCases.class, "xla/" + file), StandardCharsets.UTF_8);
      List<String> parts = Splitter.onPattern("(?m)^=== ").splitToList(text);
      return parts.stream().skip(1).map(XlaCases::of).collect(ImmutableList.toImmutableList());
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static Case of(String text) {
    List<String> parts = Splitter.onPattern("(?m)^--- ").splitToList(text);
    String[] head = parts.get(0).split("\n", 2);
    String byXla = parts.get(1).substring("XLA\n".length());
    if (parts.size() == 2) {
      return new Case(head[0], head[1], byXla, "", "");
    }
    String[] ours = parts.get(2).split("\n", 2);
    return new Case(head[0], head[1], byXla, ours[0].substring("hlo4j: ".length()), ours[1]);
  }
}
