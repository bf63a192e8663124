/** Characters that move a terminal's cursor, change its state, break lines, or reverse the order of text. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text from outside for a terminal: what would act on it is spelled out, and long text is cut. */
export function printable(text: string, maxLength = 500): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return cut.toWellFormed().replaceAll(CONTROL, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
