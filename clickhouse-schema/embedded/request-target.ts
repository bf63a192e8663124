/** A request's target as this interface reads it. */
export interface RequestTarget {
  /** As sent, without decoding. */
  path: string;
  search: URLSearchParams;
}

/** Splits a request target into path and parameters. Takes any text: unlike `new URL`, it cannot throw. */
export function parseTarget(target: string): RequestTarget {
  const fragment = target.indexOf('#');
  const whole = fragment === -1 ? target : target.slice(0, fragment);
  const question = whole.indexOf('?');
  if (question === -1) return { path: whole, search: new URLSearchParams() };
  return { path: whole.slice(0, question), search: new URLSearchParams(whole.slice(question + 1)) };
}
