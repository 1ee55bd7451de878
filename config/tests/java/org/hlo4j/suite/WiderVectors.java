package org.hlo4j.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips a run with narrow vectors on a processor that has no wider ones: it would repeat the run
 * before. The system property {@code hlo4j.test.wider} is the flag of the processor for wider
 * vectors, as Linux lists it; tests run if there is no such list.
 */
public final class WiderVectors implements ExecutionCondition {
  private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    String flag = System.getProperty("hlo4j.test.wider", "");
    return has(flag)
        ? ConditionEvaluationResult.enabled("vectors are narrower than elsewhere")
        : ConditionEvaluationResult.disabled("no " + flag + ": vectors are as wide as before");
  }

  private static boolean has(String flag) {
    try {
      return !Files.isReadable(PROCESSORS) || Files.readString(PROCESSORS).contains(flag);
    } catch (IOException unknown) {
      return true;
    }
  }
}
