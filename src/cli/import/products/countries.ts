import { deviceText } from '../../../api/game/device-text.ts';

/* Some products name countries in English. Players' countries are codes of ISO 3166, so that both are one. */

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Names that differ from those of Unicode, which `Intl` has. */
const OTHER_NAMES: readonly (readonly [name: string, code: string])[] = [
  ['turkey', 'TR'],
  ['czech republic', 'CZ'],
  ['macedonia', 'MK'],
  ['swaziland', 'SZ'],
  ['hong kong', 'HK'],
  ['macau', 'MO'],
  ['macao', 'MO'],
  ['burma', 'MM'],
  ['myanmar', 'MM'],
  ['palestine', 'PS'],
  ['russian federation', 'RU'],
  ['korea, republic of', 'KR'],
  ['viet nam', 'VN'],
  ['bosnia and herzegovina', 'BA'],
  ['trinidad and tobago', 'TT'],
  ['ivory coast', 'CI'],
];

let codes: Map<string, string> | undefined;

function read(): Map<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const found = new Map<string, string>();
  for (const first of LETTERS) {
    for (const second of LETTERS) {
      const code = first + second;
      // A code that was replaced (DD) has the name of its successor (DE).
      const name = new Intl.Locale(`und-${code}`).region === code ? names.of(code)?.toLowerCase() : undefined;
      if (name !== undefined) found.set(name, code);
    }
  }
  for (const [name, code] of OTHER_NAMES) found.set(name, code);
  return found;
}

/** The code of a country that a line names in English; other names stay as they are. */
export function countryCode(value: unknown): string | undefined {
  const text = deviceText(value);
  if (text === undefined || text.length === 2) return text;
  codes ??= read();
  return codes.get(text.trim().toLowerCase()) ?? (text.startsWith('(') ? undefined : text);
}
