/** Bounds of a difference in words. */
export const DIFFERENCE_LIMITS = {
  /** Lines of a difference: people read no more, and a page has 50 differences of about 200 characters a line. */
  lines: 20,
  /** Characters of a value. Longer ones are cut. */
  valueChars: 80,
  /** Items of a list that are named. */
  items: 10,
  /** Objects in objects that are compared field by field; deeper ones are shown whole. */
  depth: 6,
} as const;
