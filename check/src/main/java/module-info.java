/** Second opinions: compares results, locates and shrinks what differs, generates programs. */
@SuppressWarnings("module") // modules that are compiled later
module org.hlo4j.check {
  requires transitive org.hlo4j.interpreter;
  requires static com.google.errorprone.annotations;

  exports org.hlo4j.check;
  // what the options of commands name
  exports org.hlo4j.check.command to
      org.hlo4j.tools;
  exports org.hlo4j.check.compare;
  exports org.hlo4j.check.diff;
  exports org.hlo4j.check.external;
  exports org.hlo4j.check.generate;
  exports org.hlo4j.check.locate;
  exports org.hlo4j.check.shrink;
}
