/** What a computation computes. */
module org.hlo4j.interpreter {
  requires transitive org.hlo4j.hlo;

  exports org.hlo4j.interpreter;
}
