/**
 * Bounds of conditions: their size, their regular expressions, and the steps that evaluating them may take.
 * One step takes about 10 ns. `meterSteps` makes 30 ms the worst time of one command or query.
 */
export const CONDITION_LIMITS = {
  /** Longest window, in UTC days. The events themselves may be kept longer. */
  computedDays: 90,
  /** Steps of evaluating one filter on one event, and of the plain tests of a new filter. */
  filterSteps: 500,
  filterPlainSteps: 200,
  /** JSON of a filter, in characters. Those of 64 properties are a fifth of a record, and their ledger's state. */
  filterChars: 4_096,

  /** Nesting of a condition. Three levels of logic over an element's fields need 10. */
  conditionDepth: 16,
  /** Values in a condition, on all levels together. A list of all countries fits, and its evaluation stays cheap. */
  conditionValues: 1_000,

  /** A regular expression in a condition, in characters. */
  regexLength: 256,
  /** Its approximate length with counted repetitions expanded. Compiling takes 5 µs a character: 20 ms. */
  regexSpelledOut: 4_000,
  /**
   * The same for all regular expressions of one new definition. In warm code a character takes 1 µs: 16 ms. Without it,
   * 50 rules of 18 expressions each took 820 ms. A Unicode class counts as 100 characters.
   */
  regexTotal: 16_000,
  /** Instructions of a compiled regular expression. Instructions times characters is the worst cost of a match. */
  regexProgram: 500,
  /** Text that a regular expression is matched against, in characters. A longer text does not match. */
  regexTextLength: 1_024,

  /**
   * Steps of one command or query (3,000,000), of one player's evaluation in it (all segments, flags and campaigns),
   * and of one condition in that. An ordinary condition takes 10 to 50 steps, a short regular expression some hundreds.
   */
  meterSteps: 3_000_000,
  playerSteps: 1_000_000,
  conditionSteps: 500_000,
  /** Steps of a meter that are reserved for plain tests: 500 segments of 100 tests each. */
  plainSteps: 1_000_000,
  /** A new condition is accepted by its worst cost on texts of this many characters and lists of this many elements. */
  validatedTextLength: 100,
  validatedListLength: 10,

  /** The salt of `$bucket`, in characters. It is hashed once, when the condition is compiled. */
  bucketSalt: 64,
  /**
   * The text of a device or attribute that is hashed, in characters. 50 rules of 2,000 flags, each with a salt of its
   * own, hash 26 million characters: about 25 ms.
   */
  bucketingText: 256,

  /** Attributes, in characters of JSON, above which the parsed form is cached. Parsing takes 5 ns a character. */
  largeAttributesLength: 4_096,
  /** Versions whose sortable form is cached, and characters of the longest. */
  rememberedVersions: 1_024,
  rememberedVersionLength: 64,

  /** Members of a condition whose results one explanation shows, and characters of a value that it shows. */
  explainedTests: 200,
  explainedValueLength: 1_000,
} as const;
