/** The parts of a request target. */
export interface RequestTarget {
  /** Not decoded. */
  path: string;
  search: URLSearchParams;
}

/** Splits a request target into path and parameters. Accepts any text: unlike `new URL`, it never throws. */
export function parseTarget(target: string): RequestTarget {
  const fragment = target.indexOf('#');
  const whole = fragment === -1 ? target : target.slice(0, fragment);
  const question = whole.indexOf('?');
  if (question === -1) return { path: whole, search: new URLSearchParams() };
  return { path: whole.slice(0, question), search: new URLSearchParams(whole.slice(question + 1)) };
}
