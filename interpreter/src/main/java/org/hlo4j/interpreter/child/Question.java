package org.hlo4j.interpreter.child;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Lists;
import com.google.common.collect.Maps;
import java.io.Serializable;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.interpreter.DeviceGrid;

/**
 * What a child is asked: it is written to the child, answered there, and the answer written back.
 *
 * @param <T> the answer
 */
@SuppressWarnings("ArrayRecordComponent") // written and read, never compared
sealed interface Question<T extends Serializable> extends Serializable {
  /** Finds the answer, in the child. */
  T answer(ChildMain child);

  /** Returns what is done, for the report of an end. */
  default String doing() {
    return switch (this) {
      case Start _ -> "starting";
      case Compile _ -> "compiling";
      case Bind _ -> "binding arguments of";
      case Run _, RunOnDevices _ -> "running";
      case Explain _ -> "explaining";
      case Release _ -> "releasing programs";
      case Other _ -> "being asked to";
      case End _ -> "ending";
    };
  }

  /** Makes the evaluator. */
  record Start(ImmutableMap<String, Object> options) implements Question<Boolean> {
    @Override
    public Boolean answer(ChildMain child) {
      return child.start(options);
    }
  }

  /** Compiles a module and keeps it by a number. */
  record Compile(int number, byte[] module) implements Question<Boolean> {
    @Override
    public Boolean answer(ChildMain child) {
      return child.keep(number, child.evaluator().compile(HloProtos.readModule(module)));
    }
  }

  /** Binds arguments of a program, and keeps what it becomes by a number. */
  record Bind(int number, int of, ImmutableMap<String, Packed> arguments)
      implements Question<Boolean> {
    @Override
    public Boolean answer(ChildMain child) {
      return child.keep(
          number, child.program(of).bind(Maps.transformValues(arguments, Packed::literal)));
    }
  }

  /** Runs a program. */
  record Run(int number, ImmutableList<Packed> arguments) implements Question<Packed> {
    @Override
    public Packed answer(ChildMain child) {
      Literal[] given = Packed.literals(arguments).toArray(Literal[]::new);
      return Packed.of(child.program(number).run(given));
    }
  }

  /** Runs a program on devices. */
  record RunOnDevices(
      int number, int replicas, int partitions, ImmutableList<ImmutableList<Packed>> arguments)
      implements Question<ImmutableList<Packed>> {
    @Override
    public ImmutableList<Packed> answer(ChildMain child) {
      HloModule module = child.program(number).module();
      DeviceGrid grid = new DeviceGrid(replicas, partitions);
      return Packed.all(
          child
              .evaluator()
              .runOnDevices(module, grid, Lists.transform(arguments, Packed::literals)));
    }
  }

  /** Asks for the plan of a program. */
  record Explain(int number) implements Question<String> {
    @Override
    public String answer(ChildMain child) {
      return child.program(number).explain();
    }
  }

  /** Lets go of programs. */
  record Release(ImmutableList<Integer> numbers) implements Question<Boolean> {
    @Override
    public Boolean answer(ChildMain child) {
      return child.release(numbers);
    }
  }

  /** Asks what only the system knows. */
  record Other(String question, byte[] data) implements Question<String> {
    @Override
    public String answer(ChildMain child) {
      return child.system().answer(question, data);
    }
  }

  /** Closes all that the child holds. */
  record End() implements Question<Boolean> {
    @Override
    public Boolean answer(ChildMain child) {
      return child.close();
    }
  }
}
