package org.hlo4j.interpreter;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.primitives.Ints;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.serial.SerialForm;

/** The serial form of options: those that were set. */
final class OptionsForm extends SerialForm<EvaluatorOptions> {
  private static final long serialVersionUID = 1L;

  OptionsForm(EvaluatorOptions options) {
    super(options);
  }

  @Override
  protected String what() {
    return "options";
  }

  @Override
  protected void write(ObjectOutputStream out, EvaluatorOptions options) throws IOException {
    requireNone(options.transfers().isPresent(), "queues for transfers");
    requireNone(options.valueListener().isPresent(), "a value listener");
    requireNone(options.stepCounter().isPresent(), "a step counter");
    out.writeLong(options.maxSteps());
    writeOptional(out, options.givenMaxBytes());
    writeOptional(out, options.givenThreads().stream().asLongStream().findFirst());
    out.writeBoolean(options.deadline().isPresent());
    if (options.deadline().isPresent()) {
      out.writeLong(options.deadline().get().toSeconds());
      out.writeInt(options.deadline().get().toNanosPart());
    }
    out.writeLong(options.seed());
    out.writeLong(options.maxCodeBytes());
    out.writeBoolean(options.checksBounds());
    out.writeInt(options.customCalls().size());
    for (Map.Entry<String, CustomCallTarget> call : options.customCalls().entrySet()) {
      out.writeUTF(call.getKey());
      out.writeObject(serializable(call.getKey(), call.getValue()));
    }
  }

  private static void requireNone(boolean isThere, String what) throws NotSerializableException {
    if (isThere) {
      throw new NotSerializableException(
          "options: got " + what + ", which stays in its process, want none in what is sent");
    }
  }

  private static void writeOptional(ObjectOutputStream out, OptionalLong value) throws IOException {
    out.writeBoolean(value.isPresent());
    if (value.isPresent()) {
      out.writeLong(value.getAsLong());
    }
  }

  private static Serializable serializable(String target, CustomCallTarget function)
      throws NotSerializableException {
    if (function instanceof Serializable known) {
      return known;
    }
    throw new NotSerializableException(
        "options: got the function of custom call "
            + target
            + " of "
            + function.getClass().getName()
            + ", want one that is Serializable, such as (CustomCallTarget & Serializable) f");
  }

  @Override
  protected EvaluatorOptions read(ObjectInputStream in) throws IOException, ClassNotFoundException {
    EvaluatorOptions.Builder options = EvaluatorOptions.builder().maxSteps(in.readLong());
    if (in.readBoolean()) {
      options.maxBytes(in.readLong());
    }
    if (in.readBoolean()) {
      options.threads(Ints.saturatedCast(in.readLong()));
    }
    if (in.readBoolean()) {
      options.deadline(duration(in.readLong(), in.readInt()));
    }
    options.seed(in.readLong()).maxCodeBytes(in.readLong()).checkBounds(in.readBoolean());
    int calls = in.readInt();
    require(calls >= 0, "", "got %s custom calls, want at least 0", calls);
    for (int i = 0; i < calls; i++) {
      String target = in.readUTF();
      options.customCall(target, function(target, in.readObject()));
    }
    return options.build();
  }

  private static Duration duration(long seconds, int nanos) {
    try {
      return Duration.ofSeconds(seconds, nanos);
    } catch (ArithmeticException beyond) {
      throw new HloException("", "got a deadline of " + seconds + " s, want one that Java holds");
    }
  }

  private static CustomCallTarget function(String target, Object function) {
    if (function instanceof CustomCallTarget known) {
      return known;
    }
    throw new HloException(
        "", "got no function for the custom call " + target + ", want a CustomCallTarget");
  }
}
