import type { Random } from '../sim/random.ts';

/**
 * The bytes of one connection: a request with one to four changes in its framing, target or header lines, or no HTTP at
 * all.
 * @param paths request targets that exist
 * @param key sent as X-API-Key
 */
export function fuzzedConnection(random: Random, paths: readonly string[], key: string): Buffer {
  if (random.chance(0.05)) return Buffer.from(Array.from({ length: random.int(1, 4_000) }, () => random.int(0, 255)));
  const body = random.pick(['', '{}', '{"player_id":1}', 'x'.repeat(random.int(1, 20_000))]);
  const lines = [
    `${random.pick(METHODS)} ${target(random, paths)} ${random.pick(VERSIONS)}`,
    'Host: localhost',
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    ...(body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  for (let i = random.int(1, 4); i > 0; i--) {
    const line = random.pick(LINES);
    if (random.chance(0.7)) lines.splice(random.int(1, lines.length), 0, line);
    else lines[random.int(0, lines.length - 1)] = line;
  }
  const end = random.pick(['\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', '\r\n\0']);
  const request = lines.join(end) + end + end + body;
  // The service must not answer a pipelined second request from the first one's body.
  const text = random.chance(0.2) ? request + request : request;
  const bytes = Buffer.from(text, 'latin1');
  if (random.chance(0.2)) bytes[random.int(0, Math.min(200, bytes.length - 1))] = random.int(0, 255);
  return random.chance(0.15) ? bytes.subarray(0, random.int(1, bytes.length)) : bytes;
}

const METHODS = [
  'GET',
  'POST',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PRI',
  'get',
  'G\tET',
  '',
];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/1.9', 'HTTP/', ''];

const LINES = [
  'Content-Length: 5',
  'Content-Length: 0',
  'Content-Length: -1',
  'Content-Length: +5',
  'Content-Length: 5, 6',
  'Content-Length: 99999999999999999999',
  'Content-Length: 0x10',
  'Content-Length:',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: chunked, gzip',
  'Transfer-Encoding : chunked',
  ' folded: line',
  'Host: other',
  'Host:',
  'Connection: close',
  'Connection: upgrade',
  'Upgrade: h2c',
  'Upgrade: websocket',
  'Expect: 100-continue',
  'Content-Encoding: gzip',
  'Range: bytes=0-',
  'no colon',
  ': no name',
  'na me: x',
  `X-Long: ${'a'.repeat(3_500)}`,
  `X-Longer: ${'a'.repeat(9_000)}`,
  `X-API-Key: ${' '.repeat(3_000)}x`,
  'X-NUL: a\0b',
  'X-High: \xff\xfe',
  'Origin: https://evil.example',
  'Sec-Fetch-Site: cross-site',
];

function target(random: Random, paths: readonly string[]): string {
  const path = random.pick(paths).replaceAll(/\{\w+\}/g, () => random.pick(SEGMENTS));
  switch (random.int(0, 6)) {
    case 0:
      return random.pick([
        '//',
        '*',
        '',
        '/',
        '///',
        'http://localhost/',
        'http://',
        '/%',
        '/%zz',
        '/..',
        '/../../etc/passwd',
        '?',
        '#',
        '/\\',
      ]);
    case 1:
      return `${path}?${random.pick(QUERIES)}`;
    case 2:
      return `${path}/${random.pick(SEGMENTS)}`;
    case 3:
      return `/${path}`;
    case 4:
      return path.toUpperCase();
    default:
      return path;
  }
}

const SEGMENTS = [
  'x',
  '%00',
  '%ff',
  '%2e%2e',
  '..',
  '00000000-0000-4000-8000-000000000000',
  'a'.repeat(1_000),
  '%F0%9F%92%A5',
  '{id}',
  ':id',
];
const QUERIES = [
  'limit=1e9',
  'limit=-1',
  'cursor=AAAA',
  `limit=${'9'.repeat(400)}`,
  'amount=NaN',
  'query=SELECT%201',
  'a[]=1&a[]=2',
  '&'.repeat(3_000),
  'a=1&'.repeat(800),
  '%00=%00',
  'from=2026-99-99',
  'token=x',
];
