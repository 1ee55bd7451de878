package org.hlo4j.builder;

import java.lang.StackWalker.StackFrame;
import java.util.Optional;
import java.util.regex.Pattern;
import org.hlo4j.hlo.SourceLine;

/**
 * The line of the user's program that calls hlo4j: the first stack frame outside its packages. Code
 * that was typed into jshell, or into a notebook that works by it, is in no file, and its lines are
 * those of a class that jshell has written around it. Its place is that class, and the method if it
 * was defined there, as in {@code $JShell$12.layer}; classes without a file's name have the like.
 */
final class CallSite {
  private static final String OWN_PACKAGE = "org.hlo4j.builder";

  private static final String JSHELL_CLASS = "REPL.$JShell$";

  /** The method that jshell writes around statements, and lambdas: what the user did not name. */
  private static final Pattern UNNAMED = Pattern.compile("do_it\\$|<clinit>|lambda\\$|\\$\\d+$");

  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private CallSite() {}

  static Optional<SourceLine> find() {
    return WALKER.walk(frames ->
        frames
            .filter(frame -> isOfUser(frame.getDeclaringClass().getPackageName()))
            .findFirst()
            .map(CallSite::place));
  }

  private static SourceLine place(StackFrame frame) {
    String file = frame.getFileName();
    boolean isOfJshell = frame.getClassName().startsWith(JSHELL_CLASS);
    if (file != null && frame.getLineNumber() > 0 && !isOfJshell) {
      return new SourceLine(file, frame.getLineNumber());
    }
    String name =
        isOfJshell ? frame.getClassName().substring("REPL.".length()) : frame.getClassName();
    String method = UNNAMED.matcher(frame.getMethodName()).replaceAll("");
    return new SourceLine(method.isEmpty() ? name : name + "." + method, 0);
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
