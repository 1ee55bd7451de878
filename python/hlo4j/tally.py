"""What a check has counted, by verdict and by the names of the functions."""

import collections

# From the best to the worst. `failed` is a fault of hlo4j itself.
_ORDER = ("same", "rounded", "unspecified", "undecided", "wrong", "failed")
# Those of which nobody needs the names.
_GOOD = ("same", "rounded")
# Those that say nothing of the result.
_OPEN = ("undecided", "failed")
_MAX_NAMES = 20


class Tally:
  """Counts of a check. Those of several processes can be summed up."""

  def __init__(self):
    self.counts = collections.Counter()
    self.verdicts = collections.Counter()  # of runs: the worst of their outputs
    self.outputs = collections.Counter()
    self.fallbacks = collections.Counter()
    self.places = collections.Counter()  # by (verdict, function and outputs)
    self.names = collections.Counter()  # by (why it ran on JAX alone, function)

  def judged(self, verdict, name, outputs):
    """Counts the verdicts on a run and on its outputs.

    Args:
      verdict: the verdict on the run, by name.
      name: the name of the function.
      outputs: the verdicts on the outputs; empty if they are not known.
    """
    self.verdicts[verdict] += 1
    self.outputs.update(outputs or [verdict])
    for each in {verdict, *outputs}.difference(_GOOD):
      results = ", ".join(str(i) for i, other in enumerate(outputs) if other == each)
      self.places[each, name + (f" result {results}" if results else "")] += 1

  def left(self, reason, name):
    """Counts a run that was left to JAX."""
    self.fallbacks[reason] += 1
    self.names[reason, name] += 1

  def _decided(self):
    """Returns how many outputs have a verdict that says something of them."""
    return sum(count for verdict, count in self.outputs.items() if verdict not in _OPEN)

  def nothing(self):
    """Returns the sentence that nothing was checked and why, or None if something was."""
    is_evaluated = self.counts["runs"] and not self.verdicts  # which compares nothing
    if self._decided() or is_evaluated:
      return None
    lines = [line.removeprefix("hlo4j: ") for line in self.lines()]
    return "\n  ".join(["hlo4j: nothing was checked", *lines])

  def as_lists(self):
    """Returns all counts as lists, which other processes can read."""
    return {name: [[key, count] for key, count in counter.items()]
            for name, counter in vars(self).items()}

  def add(self, lists):
    """Adds the counts of another process."""
    for name, items in lists.items():
      counter = getattr(self, name)
      for key, count in items:
        counter[tuple(key) if isinstance(key, (list, tuple)) else key] += count

  def since(self, before):
    """Returns what was counted since `before`, a copy of an earlier state by as_lists."""
    earlier, later = Tally(), Tally()
    earlier.add(before)
    later.add(self.as_lists())
    for name, counter in vars(later).items():
      counter.subtract(getattr(earlier, name))
      setattr(later, name, +counter)
    return later

  def lines(self):
    """Returns the counts: all in the first line, then names."""
    first = [f"{self.counts['computations']} computations", f"{self.counts['runs']} runs on hlo4j"]
    first += [f"{self.verdicts[verdict]} {verdict}" for verdict in _ORDER
              if self.verdicts[verdict]]
    first += [f"{count} on JAX ({reason})" for reason, count in self.fallbacks.most_common()]
    lines = ["hlo4j: " + ", ".join(first)]
    every = sum(self.outputs.values())
    for verdict in _ORDER:
      if self.outputs[verdict] and verdict not in _GOOD:
        share = f"{self.outputs[verdict]} of {every} outputs {verdict}"
        lines.append(f"hlo4j: {share}: {_listed(self.places, verdict)}")
    for reason, _ in self.fallbacks.most_common():
      lines.append(f"hlo4j: on JAX ({reason}): {_listed(self.names, reason)}")
    return lines


def _listed(counter, first):
  found = [(name, count) for (key, name), count in counter.most_common() if key == first]
  texts = [name + (f" ({count} times)" if count > 1 else "") for name, count in found]
  more = len(texts) - _MAX_NAMES
  return "; ".join(texts[:_MAX_NAMES]) + (f"; and {more} more" if more > 0 else "")
