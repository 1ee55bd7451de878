/** Truth subjects and conformance runners, for the tests of hlo4j and of its users. */
@SuppressWarnings({
  "requires-automatic",
  "requires-transitive-automatic"
}) // Truth has no module-info yet
module org.hlo4j.testing {
  requires transitive org.hlo4j.hlo;
  requires transitive org.junit.jupiter.api;
  requires transitive truth;
  requires com.google.gson;

  exports org.hlo4j.testing;
}
