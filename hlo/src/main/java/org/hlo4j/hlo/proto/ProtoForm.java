package org.hlo4j.hlo.proto;

import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import org.hlo4j.hlo.HloException;

/**
 * The message type of a file, detected by its structure: a protocol buffer does not contain its
 * type.
 */
public enum ProtoForm {
  /** An HloModuleProto. */
  MODULE,
  /** An HloProto. */
  HLO,
  /** An HloSnapshot. */
  SNAPSHOT,
  /** None of them. */
  OTHER;

  /**
   * Returns the form of a file.
   *
   * @param bytes the whole file
   * @return the form
   */
  public static ProtoForm of(byte[] bytes) {
    requireNonNull(bytes, "bytes");
    if (bytes.length == 0) {
      return OTHER;
    }
    if (isModule("HloModuleProto", bytes)) {
      return MODULE;
    }
    if (isModule("HloProto", bytes, "hlo_module")) {
      return HLO;
    }
    return isModule("HloSnapshot", bytes, "hlo", "hlo_module") ? SNAPSHOT : OTHER;
  }

  /** Returns whether there is a module at the end of a path of messages. */
  private static boolean isModule(String type, byte[] bytes, String... path) {
    try {
      ProtoMessage message = ProtoMessage.of(type, bytes);
      for (String step : path) {
        if (message.count(step) != 1) {
          return false;
        }
        message = message.messageOrEmpty(step);
      }
      return message.count("computations") > 0
          && message.messages("computations").stream().allMatch(ProtoForm::isComputation);
    } catch (HloException otherMessage) {
      return false;
    }
  }

  private static boolean isComputation(ProtoMessage computation) {
    return computation.count("instructions") > 0 && !computation.string("name").isEmpty();
  }
}
