package org.hlo4j.builder;

import java.util.Optional;
import org.hlo4j.hlo.SourceLine;

/**
 * The line of the user's program that is calling hlo4j: the first frame outside its packages. What
 * is typed into jshell is in no file, and neither the numbers of its classes nor those of their
 * lines are what jshell calls its snippets by: it has no line here, and jshell's own stack traces
 * say where.
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

  /** Java's own packages stand between us and the user where a lambda is run, as in a stream. */
  private static boolean isOfUser(String packageName) {
    boolean isOwn = packageName.equals(OWN_PACKAGE) || packageName.startsWith(OWN_PACKAGE + ".");
    return !isOwn && !packageName.startsWith("java.");
  }
}
