export const CURRENCY_RULE = 'must be the ISO 4217 code of a currency, such as `EUR`';

const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** The ISO 4217 code that a text means, whatever its case; `undefined`: there is none. */
export function currencyOf(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  return CODES.has(code) ? code : undefined;
}
