package org.hlo4j.pjrt;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;

/**
 * What a PJRT plugin refused, or how it failed. The first line of the message names the function of
 * the C interface, the code, and the first line of what the plugin says; the rest of that is a fact
 * {@code detail}.
 */
public final class PjrtException extends HloException {
  private static final long serialVersionUID = 1L;

  /** The codes of errors, those of {@code absl::StatusCode}, by their numbers from 1 on. */
  public enum Code {
    /** The call was cancelled. */
    CANCELLED,
    /** The plugin does not say why. A program that XLA cannot parse has this code. */
    UNKNOWN,
    /** An argument is wrong, whatever the state of the system. */
    INVALID_ARGUMENT,
    /** It took too long. */
    DEADLINE_EXCEEDED,
    /** There is no such thing, as a custom call's target. */
    NOT_FOUND,
    /** There is such a thing already. */
    ALREADY_EXISTS,
    /** The caller may not do this. */
    PERMISSION_DENIED,
    /** There is not enough memory on the device, or of another resource. */
    RESOURCE_EXHAUSTED,
    /** The system is not in the state for this, as where a buffer was deleted. */
    FAILED_PRECONDITION,
    /** The call was given up in the middle. */
    ABORTED,
    /** A number is beyond its range. */
    OUT_OF_RANGE,
    /** The plugin does not do this. */
    UNIMPLEMENTED,
    /** A condition that XLA counts on does not hold. */
    INTERNAL,
    /** It cannot be done at the moment. */
    UNAVAILABLE,
    /** Data was lost or is broken. */
    DATA_LOSS,
    /** It is not known who calls. */
    UNAUTHENTICATED;

    /**
     * Returns the code of a number; one that is none of absl's is {@link #UNKNOWN}.
     *
     * @param number the number that a plugin gives
     * @return the code
     */
    public static Code of(int number) {
      return number >= 1 && number <= values().length ? values()[number - 1] : UNKNOWN;
    }

    private Kind kind() {
      return switch (this) {
        case UNIMPLEMENTED, NOT_FOUND -> Kind.UNSUPPORTED;
        case RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED -> Kind.LIMIT;
        default -> Kind.ARGUMENT;
      };
    }
  }

  private final Code code;

  /**
   * Creates the exception of an error that a plugin gave.
   *
   * @param code the code
   * @param call the function that gave it, such as {@code PJRT_Client_Compile}
   * @param message what the plugin says, of one or many lines
   */
  public PjrtException(Code code, String call, String message) {
    this(code, described(code, call, message));
  }

  private PjrtException(Code code, HloException all) {
    super(all);
    this.code = code;
  }

  private static HloException described(Code code, String call, String message) {
    String[] lines = message.strip().split("\n", -1);
    HloException error = new HloException(code.kind(), call + ": " + code + ": " + lines[0]);
    String rest = Arrays.stream(lines).skip(1).collect(Collectors.joining("\n")).strip();
    return rest.isEmpty() ? error : error.with("detail", rest);
  }

  @Override
  protected HloException sameType(HloException changed) {
    return new PjrtException(code, changed);
  }

  /**
   * Returns what kind of error it is, by the plugin's own account.
   *
   * @return the code
   */
  public Code code() {
    return code;
  }
}
