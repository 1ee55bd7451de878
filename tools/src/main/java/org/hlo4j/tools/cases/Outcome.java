package org.hlo4j.tools.cases;

import com.google.common.base.Ascii;
import com.google.gson.JsonObject;
import org.hlo4j.check.compare.Comparison.Verdict;

/** The outcome of a test case. */
public sealed interface Outcome {
  /** All results are as expected. */
  record Passed() implements Outcome {}

  /**
   * A result differs from the expected one or is missing.
   *
   * @param what the worst element, or the reason for the missing result
   */
  record Failed(String what) implements Outcome {}

  /**
   * The program uses something that is not supported.
   *
   * @param reason the unsupported part
   */
  record Unsupported(String reason) implements Outcome {}

  /**
   * A result differs from the expected one where no rule says which is right: roundings or a
   * specification leave it open.
   *
   * @param verdict whether it is unspecified or undecided
   * @param what the first such element
   */
  record NotJudged(Verdict verdict, String what) implements Outcome {}

  /** Returns one line about a case. */
  default String line(String name) {
    return switch (this) {
      case Passed passed -> "ok " + name;
      case Failed failed -> "FAIL " + name + " " + failed.what();
      case NotJudged not ->
          Ascii.toUpperCase(not.verdict().toString()) + " " + name + " " + not.what();
      case Unsupported unsupported -> "UNSUPPORTED " + name + " " + unsupported.reason();
    };
  }

  /** Returns the outcome as JSON. */
  default JsonObject json(String name) {
    JsonObject json = new JsonObject();
    json.addProperty("name", name);
    switch (this) {
      case Passed passed -> json.addProperty("outcome", "passed");
      case Failed failed -> {
        json.addProperty("outcome", "failed");
        json.addProperty("message", failed.what());
      }
      case NotJudged not -> {
        json.addProperty("outcome", not.verdict().toString());
        json.addProperty("message", not.what());
      }
      case Unsupported unsupported -> {
        json.addProperty("outcome", "unsupported");
        json.addProperty("message", unsupported.reason());
      }
    }
    return json;
  }
}
