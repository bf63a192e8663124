import type { Random } from '../sim/random.ts';

/** Header lines for one request. Their values are printable characters or tabs, except those from `raw-bytes.ts`. */
export function fuzzedHeaders(random: Random, key: string): Record<string, string> {
  const headers: Record<string, string> = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  for (let i = random.int(0, 3); i > 0; i--) {
    const name = random.pick(NAMES);
    headers[name] = valueOf(random, name, key);
  }
  return headers;
}

const NAMES = [
  'X-API-Key',
  'Authorization',
  'Content-Type',
  'Content-Encoding',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Accept',
  'Origin',
  'X-Forwarded-For',
  'X-Player-Token',
  'traceparent',
  'Cookie',
] as const;

/** Space in the HTTP library's header block, without the headers of every request. */
const LONG = 3_000;

function valueOf(random: Random, name: string, key: string): string {
  const filler = random
    .pick([' ', '\t', 'a', ';', ',', '"', '\\', '=', '%', '-', '0', '('])
    .repeat(random.int(1, LONG));
  const plain = random.pick(VALUES[name] ?? ['x']);
  switch (random.int(0, 5)) {
    case 0:
      return plain;
    case 1:
      return plain + filler;
    case 2:
      return plain + filler + 'x';
    case 3:
      return filler;
    case 4:
      return `${plain},${plain}`;
    default:
      return name === 'Authorization' ? `Bearer ${key}` : plain.toUpperCase();
  }
}

const VALUES: Readonly<Record<string, readonly string[]>> = {
  'X-API-Key': ['sk_live_', 'pk_live_x', 'nonsense'],
  Authorization: ['Bearer ', 'Bearer x', 'Basic eDp5', 'bearer'],
  'Content-Type': [
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'application/json;',
    'multipart/form-data; boundary=x',
  ],
  'Content-Encoding': ['gzip', 'identity', 'br', 'gzip, gzip', 'deflate'],
  'Idempotency-Key': ['k', '00000000-0000-4000-8000-000000000000'],
  'If-Match': ['"1"', '*', 'W/"1"', '"', '"1", "2"'],
  'If-None-Match': ['*', '"x"', '"'],
  'Last-Event-ID': ['0', '1-1', '-1', '99999999999999999999', 'x'],
  Accept: ['*/*', 'text/event-stream'],
  Origin: ['https://game.example', 'null', '*'],
  'X-Forwarded-For': ['198.51.100.1', '::1', 'unknown', '[::1]:1'],
  'X-Player-Token': ['a.b.c', 'eyJhbGciOiJub25lIn0.e30.', '...'],
  traceparent: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-x'],
  Cookie: ['a=b'],
};
