/** One test of a source. */
export type Test<Source> = (source: Source) => boolean;

/** Special cases for zero to two tests, the usual counts, where a loop would cost as much as the tests. */
export function every<Source>(tests: readonly Test<Source>[]): Test<Source> {
  const [first, second, third] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (third === undefined) return (source) => first(source) && second(source);
  return (source) => {
    for (const test of tests) if (!test(source)) return false;
    return true;
  };
}

/** True for an empty list, as the specification says. */
export function some<Source>(tests: readonly Test<Source>[]): Test<Source> {
  if (tests.length === 0) return () => true;
  return (source) => {
    for (const test of tests) if (test(source)) return true;
    return false;
  };
}

export function not<Source>(test: Test<Source>): Test<Source> {
  return (source) => !test(source);
}
