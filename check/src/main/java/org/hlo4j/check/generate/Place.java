package org.hlo4j.check.generate;

import java.util.Arrays;
import java.util.List;

/** Where a computation of a program stands: which op calls it, and as what. */
enum Place {
  /** The entry of the module. */
  ENTRY(""),
  /** The condition of a loop. */
  CONDITION("while"),
  /** The body of a loop. */
  BODY("while"),
  /** A branch of a conditional. */
  BRANCH("conditional"),
  /** A called computation. */
  CALLED("call"),
  /** A fused computation, in which each instruction is used. */
  FUSED("fusion"),
  /** What the only op of an asynchronous computation calls. */
  ASYNCHRONOUS("async-start"),
  /** What a map applies to each element. */
  MAPPED("map"),
  /** The reducer of a reduction. */
  REDUCER("reduce"),
  /** The reducer of the elements under a window. */
  WINDOW("reduce-window"),
  /** What a scatter combines an element and an update with. */
  COMBINER("scatter"),
  /** What selects an element under a window. */
  SELECTOR("select-and-scatter"),
  /** What adds the source to the selected element. */
  SCATTERER("select-and-scatter"),
  /** The order of a sort. */
  COMPARATOR("sort"),
  /** A step of a scan. */
  STEP("scan"),
  /** The reducer of a collective. */
  DEVICES("all-reduce");

  private final String opcode;

  Place(String opcode) {
    this.opcode = opcode;
  }

  /** Returns the opcode of an instruction that calls such a computation; empty for the entry. */
  String opcode() {
    return opcode;
  }

  /** Returns the place of a computation that an instruction calls, by its number. */
  static Place of(String opcode, int number) {
    String plain = opcode.replaceAll("all-reduce-start|reduce-scatter", DEVICES.opcode);
    List<Place> places = Arrays.stream(values()).filter(each -> each.opcode.equals(plain)).toList();
    return places.isEmpty() ? CALLED : places.get(Math.min(number, places.size() - 1));
  }
}
