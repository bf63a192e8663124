/** A double represents every integer of this many digits exactly. */
const MOST_DIGITS = 15;

/**
 * Parses the version in an If-Match header: bare (`3`), an entity tag (`"3"`, `W/"3"`), or `*` for any version.
 * Takes time linear in the text. @returns undefined for any other text
 */
export function parseVersionTag(text: string): number | 'any' | undefined {
  if (text === '*') return 'any';
  const tag = text.startsWith('W/') ? text.slice(2) : text;
  const isQuoted = tag.length > 2 && tag.startsWith('"') && tag.endsWith('"');
  const digits = isQuoted ? tag.slice(1, -1) : tag;
  return digits !== '' && digits.length <= MOST_DIGITS && isDigits(digits) ? Number(digits) : undefined;
}

function isDigits(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}
