/** What a computation computes. */
module org.hlo4j.interpreter {
  requires transitive org.hlo4j.hlo;
  requires static com.google.errorprone.annotations;
  requires jdk.management;

  exports org.hlo4j.interpreter;
  exports org.hlo4j.interpreter.check;
  exports org.hlo4j.interpreter.check.diff;
  exports org.hlo4j.interpreter.check.generate;
  exports org.hlo4j.interpreter.check.shrink;
}
