package org.hlo4j.pjrt.child;

import com.google.common.base.Throwables;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;

/** How an error travels from one process to the other: with its class and all that it knows. */
final class Failure {
  private static final int MAX_FRAMES = 12;

  /** The classes that an exception is made of. */
  private static final ObjectInputFilter FILTER =
      ObjectInputFilter.Config.createFilter(
          "org.hlo4j.**;com.google.common.collect.*;java.lang.*;java.util.*;!*");

  private Failure() {}

  /** Writes an error; one that is no {@link HloException} becomes such, with its frames. */
  static void write(MessageWriter out, Throwable problem) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream objects = new ObjectOutputStream(bytes)) {
      objects.writeObject(refusal(problem));
    }
    out.bytes(bytes.toByteArray());
  }

  private static HloException refusal(Throwable problem) {
    if (problem instanceof HloException refusal) {
      return refusal;
    }
    String frames =
        Throwables.getStackTraceAsString(problem)
            .lines()
            .skip(1)
            .limit(MAX_FRAMES)
            .map(String::strip)
            .collect(Collectors.joining("\n"));
    boolean isLimit = problem instanceof VirtualMachineError;
    return new HloException(
            isLimit ? HloException.Kind.LIMIT : HloException.Kind.UNSUPPORTED,
            "child threw " + problem)
        .with("stack", frames);
  }

  /** Reads an error. */
  static HloException read(MessageReader in) throws IOException {
    try (ObjectInputStream objects = new ObjectInputStream(new ByteArrayInputStream(in.bytes()))) {
      objects.setObjectInputFilter(FILTER);
      return (HloException) objects.readObject();
    } catch (ClassNotFoundException | ClassCastException unknown) {
      throw new IOException("got an error that is none: " + unknown);
    }
  }
}
