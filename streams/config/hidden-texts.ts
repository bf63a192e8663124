/** What the API and the audit show instead of a secret. */
export const HIDDEN = '[hidden]';

/** The same names without their values. */
export function hiddenValues(named: object): Record<string, string> {
  return Object.fromEntries(Object.keys(named).map((name) => [name, HIDDEN]));
}

/** Scheme and host of a URL: receivers such as chats identify a caller by a secret in the path or the query. */
export function hiddenPath(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return HIDDEN;
  const isBare = parsed.pathname === '/' && parsed.search === '' && parsed.hash === '';
  return isBare ? `${parsed.protocol}//${parsed.host}/` : `${parsed.protocol}//${parsed.host}/${HIDDEN}`;
}
