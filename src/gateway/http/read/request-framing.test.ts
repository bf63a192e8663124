import { assert, bigInt, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHeaders } from './request-headers.ts';

type Header = [name: string, value: string];

const read = (...headers: Header[]) =>
  readHeaders({
    forEach(each) {
      for (const [name, value] of headers) each(name, value);
    },
  }).framing;

describe('the framing of a request', () => {
  it('is plain with one length, one chunked coding, or neither', () => {
    expect(read(['host', 'x'])).toMatchObject({ fault: undefined, contentLength: 0, chunked: false });
    expect(read(['content-length', '0017'])).toMatchObject({ fault: undefined, contentLength: 17, chunked: false });
    expect(read(['transfer-encoding', 'Chunked'])).toMatchObject({ fault: undefined, contentLength: 0, chunked: true });
  });

  it.each<[string, Header[]]>([
    [
      'two lengths',
      [
        ['content-length', '5'],
        ['content-length', '50'],
      ],
    ],
    [
      'the same length twice',
      [
        ['content-length', '5'],
        ['content-length', '5'],
      ],
    ],
    [
      'an empty length before another',
      [
        ['content-length', ''],
        ['content-length', '50'],
      ],
    ],
    ['an empty length', [['content-length', '']]],
    [
      'a length and a coding',
      [
        ['content-length', '5'],
        ['transfer-encoding', 'chunked'],
      ],
    ],
    [
      'an empty coding and a length',
      [
        ['transfer-encoding', ''],
        ['content-length', '5'],
      ],
    ],
    [
      'an empty coding before another',
      [
        ['transfer-encoding', ''],
        ['transfer-encoding', 'chunked'],
      ],
    ],
    ['another coding', [['transfer-encoding', 'identity']]],
    ['a list of codings', [['transfer-encoding', 'gzip, chunked']]],
    ['an unknown coding', [['transfer-encoding', 'xchunked']]],
    [
      'two hosts',
      [
        ['host', 'a'],
        ['host', 'b'],
      ],
    ],
  ])('is refused with %s', (_name, headers) => {
    expect(read(...headers).fault).toBeDefined();
  });

  it.each(['+5', '-5', '5, 5', '5 5', '0x5', '5.0', '1e3', '٥', '9'.repeat(19), '9'.repeat(10_000)])(
    'is refused with the length %s',
    (length) => expect(read(['content-length', length]).fault).toBeDefined(),
  );

  it('accepts every number of up to 18 digits', () => {
    assert(
      property(bigInt(0n, 10n ** 18n - 1n), (length) => {
        const { fault, contentLength } = read(['content-length', String(length)]);
        expect(fault).toBeUndefined();
        expect(contentLength).toBe(Number(length));
      }),
    );
  });

  it('reads whether the client closes the connection', () => {
    expect(read(['connection', 'keep-alive']).closes).toBe(false);
    expect(read(['connection', 'close'])).toMatchObject({ closes: true, closesUnsaid: true });
    expect(read(['connection', 'TE, Close'])).toMatchObject({ closes: true, closesUnsaid: false });
    expect(read(['connection', 'te'], ['connection', 'close'])).toMatchObject({ closes: true, closesUnsaid: false });
  });
});
