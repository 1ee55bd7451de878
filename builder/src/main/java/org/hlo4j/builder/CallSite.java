package org.hlo4j.builder;

import java.util.Optional;
import org.hlo4j.hlo.SourceLine;

/**
 * The line of the user's program that calls hlo4j: the first stack frame outside its packages. Code
 * typed into jshell has no line here: it is in no file, and the numbers of its classes and lines
 * are not those by which jshell names its snippets; jshell's own stack traces give the position.
 */
final class CallSite {
  private static final String OWN_PACKAGE = "org.hlo4j.builder";

  private static final String JSHELL_CLASS = "REPL.$JShell$";

  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private CallSite() {}

  static Optional<SourceLine> find() {
    return WALKER.walk(frames ->
        frames
            .filter(frame -> isOfUser(frame.getDeclaringClass().getPackageName()))
            .findFirst()
            .filter(frame -> !frame.getClassName().startsWith(JSHELL_CLASS))
            .filter(frame -> frame.getFileName() != null && frame.getLineNumber() > 0)
            .map(frame -> new SourceLine(frame.getFileName(), frame.getLineNumber())));
  }

  /**
   * Frames of the JDK occur between hlo4j and the user's program where a lambda is run, such as in
   * a stream.
   */
  private static boolean isOfUser(String packageName) {
    boolean isOwn = packageName.equals(OWN_PACKAGE) || packageName.startsWith(OWN_PACKAGE + ".");
    return !isOwn && !packageName.startsWith("java.");
  }
}
