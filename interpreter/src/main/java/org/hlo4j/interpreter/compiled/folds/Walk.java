package org.hlo4j.interpreter.compiled.folds;

/**
 * Positions of an array, in row-major order of some of its dimensions.
 *
 * @param sizes how many steps in each of them, outermost first
 * @param strides how far a step goes
 */
record Walk(int[] sizes, int[] strides) {
  /** How many positions. */
  int count() {
    int count = 1;
    for (int size : sizes) {
      count *= size;
    }
    return count;
  }

  /** The position of a number. */
  int at(int number) {
    int last = sizes.length - 1;
    if (last < 0) {
      return 0;
    } else if (last == 0) {
      return number * strides[0];
    }
    int position = 0;
    for (int rest = number, k = last; k >= 0; k--) {
      position += rest % sizes[k] * strides[k];
      rest /= sizes[k];
    }
    return position;
  }
}
