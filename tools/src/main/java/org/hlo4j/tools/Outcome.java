package org.hlo4j.tools;

import com.google.gson.JsonObject;

/** The outcome of a test case. */
sealed interface Outcome {
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

  /** Returns one line about a case. */
  default String line(String name) {
    return switch (this) {
      case Passed passed -> "ok " + name;
      case Failed failed -> "FAIL " + name + " " + failed.what();
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
      case Unsupported unsupported -> {
        json.addProperty("outcome", "unsupported");
        json.addProperty("message", unsupported.reason());
      }
    }
    return json;
  }
}
