package org.hlo4j.spark;

/** That a row does not suit the function. Has no stack trace: a table may have many. */
final class InvalidRow extends Exception {
  private static final long serialVersionUID = 1;

  InvalidRow(String message) {
    super(message, null, false, false);
  }
}
