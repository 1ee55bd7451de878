package org.hlo4j.tools;

import com.google.gson.JsonObject;

/** What became of a test case. */
sealed interface Outcome {
  /** All results are as they should be. */
  record Passed() implements Outcome {}

  /**
   * A result is not as it should be, or there is none.
   *
   * @param what the worst element, or why there is no result
   */
  record Failed(String what) implements Outcome {}

  /**
   * The program uses something that is not there.
   *
   * @param reason what
   */
  record Unsupported(String reason) implements Outcome {}

  /** One line about a case. */
  default String line(String name) {
    return switch (this) {
      case Passed passed -> "ok " + name;
      case Failed failed -> "FAIL " + name + " " + failed.what();
      case Unsupported unsupported -> "UNSUPPORTED " + name + " " + unsupported.reason();
    };
  }

  /** The same for programs. */
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
