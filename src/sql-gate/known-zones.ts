const COMMON: ReadonlySet<string> = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')]);
/** Letters, digits, `_`, `+` and `-` between slashes: neither an absolute path nor one with dots. */
const NAME = /^[A-Za-z][\w+/-]{0,63}$/;

/** Whether it is a canonical name of a zone. Costs nothing. */
export function isCommonZone(name: string): boolean {
  return COMMON.has(name);
}

/** Whether it is a zone of the IANA database, also by an older name as US/Pacific. Takes up to 0.1 ms. */
export function isZone(name: string): boolean {
  if (isCommonZone(name)) return true;
  if (!NAME.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
