package org.hlo4j.tools.input;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Stack;
import java.util.regex.Pattern;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * A preprocessor that lets an option take all words up to the next option, as when a shell expands
 * {@code *.npy}. The last of these words is the program if there is no other: {@code run --input
 * x.npy f.hlo}.
 */
final class MultiWordOption implements IParameterPreprocessor {
  /** Options, as opposed to {@code -}, the standard input, and numbers such as {@code -1}. */
  private static final Pattern OPTION = Pattern.compile("--.*|-[A-Za-z].*", Pattern.DOTALL);

  @Override
  @SuppressWarnings("JdkObsolete") // picocli's own type
  public boolean preprocess(
      Stack<String> words, CommandSpec spec, ArgSpec option, Map<String, Object> info) {
    List<String> own = new ArrayList<>();
    while (!words.isEmpty() && !isOption(words.peek())) {
      own.add(words.pop());
    }
    boolean isProgramLast =
        own.size() > 1
            && spec.positionalParameters().stream().allMatch(file -> file.getValue() == null)
            && !hasFreeWord(words, spec);
    for (int i = own.size() - 1; i >= 0; i--) {
      words.push(own.get(i));
      if (i > 0 && !(isProgramLast && i == own.size() - 1)) {
        words.push(((OptionSpec) option).longestName());
      }
    }
    return false;
  }

  private static boolean isOption(String word) {
    return OPTION.matcher(word).matches();
  }

  /** Returns whether there is a word that is neither an option nor the value of one. */
  @SuppressWarnings("JdkObsolete") // picocli's own type
  private static boolean hasFreeWord(Stack<String> words, CommandSpec spec) {
    Iterator<String> rest = List.copyOf(words).reversed().iterator();
    while (rest.hasNext()) {
      String word = rest.next();
      if (!isOption(word) || word.equals("--")) {
        return !word.equals("--") || rest.hasNext();
      }
      OptionSpec option = spec.findOption(word);
      if (option != null && option.arity().min() > 0 && rest.hasNext()) {
        rest.next();
      }
    }
    return false;
  }
}
