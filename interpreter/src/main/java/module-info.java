/** What a computation computes. */
@SuppressWarnings("module") // modules that are compiled later
module org.hlo4j.interpreter {
  requires transitive org.hlo4j.hlo;
  requires static com.google.errorprone.annotations;
  requires jdk.management;

  exports org.hlo4j.interpreter;
  // processes of evaluators, and of the systems that are compared
  exports org.hlo4j.interpreter.child to
      org.hlo4j.check,
      org.hlo4j.pjrt;
  exports org.hlo4j.interpreter.engine to
      org.hlo4j.check,
      org.hlo4j.pjrt;
  exports org.hlo4j.interpreter.math to
      org.hlo4j.check;
  exports org.hlo4j.interpreter.reference to
      org.hlo4j.check;
  exports org.hlo4j.interpreter.reference.linalg to
      org.hlo4j.check;
}
