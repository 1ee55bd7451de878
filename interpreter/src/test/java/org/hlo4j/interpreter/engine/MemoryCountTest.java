package org.hlo4j.interpreter.engine;

import static com.google.common.truth.Truth.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.deadlines.LargeOp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * What a kernel allocates is counted: the bytes that the threads of a run allocate exceed those
 * that it reserves by a small constant. With {@code -Dhlo4j.test.memory=true}, the rows of more ops
 * and kernels are run, and the numbers are printed.
 */
@Isolated
final class MemoryCountTest {
  /**
   * Blocks and objects of the threads, whose size does not depend on that of the arrays, and
   * generated code.
   */
  private static final long SLACK = 6 << 20;

  private static final int THREADS = 2;
  private static final int RUNS = 2;
  private static final ThreadMXBean BEAN = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void kernelsCountWhatTheyAllocate() throws IOException {
    assertThat(uncounted("memory.rows")).isEmpty();
  }

  @Test
  @EnabledIfSystemProperty(named = "hlo4j.test.memory", matches = "true")
  void table() throws IOException {
    assertThat(uncounted("memory.large.rows")).isEmpty();
  }

  private static List<String> uncounted(String rows) throws IOException {
    List<String> found = new ArrayList<>();
    for (LargeOp op : LargeOp.all(rows)) {
      EvaluatorOptions options = EvaluatorOptions.builder().threads(THREADS).build();
      Literal[] arguments = LargeOp.arguments(op.module());
      Program program = (Program) Interpreter.compiled(options).compile(op.module());
      for (int run = 0; run < RUNS; run++) {
        long uncounted = uncounted(program, options, arguments);
        if (uncounted > SLACK + op.elements()) {
          found.add(op.text() + ": " + uncounted + " bytes in run " + run);
        }
      }
    }
    return found;
  }

  /** Returns how many bytes the threads allocate in a run that it does not reserve. */
  private static long uncounted(Program program, EvaluatorOptions options, Literal[] arguments) {
    ResourceLimits limits = new ResourceLimits(options, true);
    long before = allocated();
    Literal result = Run.onDevice(Device.single(), program, limits, arguments, Set::of, null);
    long uncounted = allocated() - before - limits.bytesReserved();
    if (Boolean.getBoolean("hlo4j.test.memory")) {
      System.out.printf(
          "%12d counted %12d not, %s%n",
          limits.bytesReserved(),
          uncounted,
          program.module().entry().root().toString().replaceAll("metadata=.*", ""));
    }
    assertThat(result).isNotNull();
    return uncounted;
  }

  /** Returns the bytes that this thread and the workers have allocated. */
  private static long allocated() {
    return Arrays.stream(BEAN.getThreadInfo(BEAN.getAllThreadIds()))
        .filter(Objects::nonNull)
        .filter(thread ->
            thread.getThreadId() == Thread.currentThread().threadId()
                || thread.getThreadName().startsWith("hlo4j-worker"))
        .mapToLong(thread -> BEAN.getThreadAllocatedBytes(thread.getThreadId()))
        .sum();
  }
}
