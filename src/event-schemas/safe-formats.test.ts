import { describe, expect, it } from 'vitest';
import { SAFE_FORMATS } from './safe-formats.ts';

/** Texts that each format takes, and texts that it refuses. */
const CASES: readonly [format: string, taken: readonly string[], refused: readonly string[]][] = [
  [
    'date',
    ['1955-03-01', '0001-01-01', '9999-12-31', '2024-02-29', '2350-06-30'],
    ['1955-13-01', '2023-02-29', '19550301', '1955-3-1', '1955-03-01T00:00:00Z', ' 1955-03-01', '٢٠٢٤-01-01', ''],
  ],
  [
    'date-time',
    [
      '1955-03-01T10:00:00Z',
      '2350-01-01T00:00:00+02:00',
      '2026-01-15t10:30:00z',
      '2026-01-15T10:30:00.1234567890123Z',
      '2016-12-31T23:59:60Z',
      '2016-12-31T15:59:60.5-08:00',
      '2017-01-01T05:29:60+05:30',
    ],
    [
      '1955-03-01',
      '2026-01-15T10:30:00',
      '2026-01-15 10:30:00Z',
      '20260115T103000Z',
      '2026-01-15T10:30Z',
      '2016-12-31T23:58:60Z',
      '2016-12-31T22:59:60Z',
      '2016-12-31T23:59:60-08:00',
      '2026-01-15T24:00:00Z',
      '2026-01-15T10:30:00+0100',
      '2026-01-15T10:30:00.Z',
      '2026-02-30T10:30:00Z',
      '2026-01-15T10:30:00+24:00',
    ],
  ],
  [
    'time',
    ['10:30:00Z', '10:30:00.5+01:00', '23:59:60Z', '01:29:60+01:30', '22:59:60-01:00'],
    ['10:30:00', '10:30Z', '24:00:00Z', '23:59:61Z', '23:58:60Z', '01:29:60+01:29', '10:30:00 Z', 'T10:30:00Z'],
  ],
  [
    'duration',
    ['P1D', 'PT36H', 'P4DT12H30M5S', 'P2W', 'P1Y2M3D', 'PT0S', 'P1M', 'PT1M'],
    ['P', 'PT', 'P1', '1D', 'P1D2H', 'P1YT', 'P2D1Y', 'P1Y2D', 'PT1H2S', 'P1W2D', 'P1.5D', 'P-1D', 'p1d', 'P١D'],
  ],
  [
    'email',
    ['a@example.com', 'a.b+c@example.com', '"a b"@example.com', '"a\\"b"@example.com', 'a@[127.0.0.1]', 'a@[IPv6:::1]'],
    ['a', '@example.com', '.a@example.com', 'a.@example.com', 'a..b@example.com', 'a b@example.com', 'a@[127.0.0.300]'],
  ],
  [
    'hostname',
    ['example.com', 'a', 'xn--nxasmq6b', 'a-b.c1', 'a'.repeat(63)],
    ['', '.', 'example.com.', '-a', 'a-', 'a_b', 'a'.repeat(64), 'ab--cd', `${'a.'.repeat(130)}a`, 'ä.com'],
  ],
  ['ipv4', ['192.168.0.1', '0.0.0.0'], ['256.0.0.1', '1.2.3', '01.2.3.4', '1.2.3.4/8', '１.2.3.4']],
  ['ipv6', ['::1', '2001:db8::', '::ffff:192.168.0.1'], ['12345::', '1::2::3', 'fe80::1%eth0', '::1/64', '1.2.3.4']],
  [
    'uri',
    [
      'https://example.com/x?y=[z'.replace('[', '%5B'),
      'urn:isbn:0451450523',
      'mailto:a@example.com',
      'tel:+1-816-555',
      'http://user:pw@example.com:8080/',
      'ldap://[2001:db8::7]/c=GB?objectClass?one',
      'http://a:/',
      'about:',
    ],
    [
      'example',
      '//example.com/x',
      '/x',
      'http://exa mple.com',
      'http://a/%zz',
      'http://a/{x}',
      'http://ä.com/',
      'http://a:b/',
      'http://[::1',
      'http://a/[b]',
      'http://[a]@b/',
      ':x',
      '1a:b',
      'http://a#b#c',
      'http://a\\b',
    ],
  ],
  [
    'uri-reference',
    ['/x', '//example.com', '#f', '', '?q', 'a/b:c', 'https://example.com'],
    ['a b', '\\\\x', '1:b', '%a', '#a#'],
  ],
  [
    'uuid',
    ['2EB8AA08-AA98-11EA-B4AA-73B441D16380', '00000000-0000-0000-0000-000000000000'],
    ['2eb8aa08aa9811eab4aa73b441d16380', 'x'],
  ],
  ['json-pointer', ['', '/', '/a~0b~1c', '/foo/0', '/ /é'], ['a', '#/a', '/~', '/~2', '/a~']],
];

describe.each(CASES)('the format %s', (format, taken, refused) => {
  const takes = (text: string): boolean | undefined => SAFE_FORMATS[format]?.(text);
  it.each(taken)('takes %j', (text) => expect(takes(text)).toBe(true));
  it.each(refused)('refuses %j', (text) => expect(takes(text)).toBe(false));
});
