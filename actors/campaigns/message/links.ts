/* Links of messages: to pictures, into the game, to pages. */

/** Schemes that run or contain something themselves. */
const REFUSED: ReadonlySet<string> = new Set(['javascript', 'vbscript', 'data', 'blob', 'file']);
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const WORD = /^[a-z][a-z0-9_.-]*$/i;
const NOT_IN_LINKS = /[\s\p{Cc}<>"\\^`]/u;

/** Why a text is no link of a message; undefined: it is one. */
export function linkFault(text: string): string | undefined {
  const scheme = SCHEME.exec(text)?.[0];
  if (scheme === undefined) return 'must be a link with its scheme, such as https://example.com/shop or game://shop';
  const name = scheme.slice(0, -1).toLowerCase();
  if (REFUSED.has(name)) return `must not be a link with the scheme ${name}`;
  const open = text.indexOf('{{');
  const fixed = open === -1 ? text : text.slice(0, open);
  if (NOT_IN_LINKS.test(withoutPlaceholders(text))) return 'must be a link without spaces, quotes and angle brackets';
  if (open === -1) return fixed.length > scheme.length ? undefined : 'must say where the link leads';
  const behind = fixed.slice(scheme.length).replace(/^\/\//, '');
  // A player's value must not decide where a link leads.
  return /[/?#]/.test(behind)
    ? undefined
    : 'may have placeholders only after the host of the link, in its path or query';
}

/** Why a text is no action of a button; undefined: it is a link, or a word that the game understands. */
export function actionFault(text: string): string | undefined {
  if (WORD.test(text)) return undefined;
  return SCHEME.test(text) ? linkFault(text) : 'must be a link, or a word that the game understands, such as dismiss';
}

/** Whether the values in a text are encoded as parts of a link. */
export const isLink = (text: string): boolean => SCHEME.test(text);

function withoutPlaceholders(text: string): string {
  const [first = '', ...parts] = text.split('{{');
  return first + parts.map((part) => part.slice(part.indexOf('}}') + 2)).join('');
}
