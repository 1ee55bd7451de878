package org.hlo4j.pjrt.child;

/** What a child can be asked, and the two kinds of answers. */
enum Question {
  /** The name of the system's class, and its options by name. */
  START,
  /** A number, and a module that is to be compiled and kept under it: nothing. */
  COMPILE,
  /** A number, that of a program, and arguments by name: nothing. */
  BIND,
  /** The number of a program, and arguments: the result. */
  RUN,
  /** The number of a program, replicas, partitions, and the arguments of each device: results. */
  RUN_ON_DEVICES,
  /** The number of a program: its plan. */
  EXPLAIN,
  /** Numbers of programs that are not needed any more: nothing. */
  RELEASE,
  /** A question of the system's own, and what it is about: a text. */
  ANSWER,
  /** That there is no further question: nothing. The child closes what it holds and ends. */
  END;

  /** The kind of a message with what was asked for. */
  static final int DONE = 0;

  /** The kind of a message with an error. */
  static final int FAILED = 1;

  /** What is being done, for the report of an end. */
  String doing() {
    return switch (this) {
      case START -> "starting";
      case COMPILE -> "compiling";
      case BIND -> "binding arguments of";
      case RUN, RUN_ON_DEVICES -> "running";
      case EXPLAIN -> "explaining";
      case RELEASE -> "releasing";
      case ANSWER -> "being asked to";
      case END -> "ending";
    };
  }
}
