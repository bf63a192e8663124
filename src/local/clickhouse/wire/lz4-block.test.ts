import { describe, expect, it } from 'vitest';
import { compressBlock, decompressBlock } from './lz4-block.ts';

const TEXT =
  'abcdefgh'.repeat(9) +
  'the quick brown fox '.repeat(7) +
  Array.from({ length: 60 }, (_, i) => String.fromCodePoint(97 + ((i * i) % 26))).join('');
/** The block of the reference implementation. */
const REFERENCE =
  '8f616263646566676808002dff0574686520717569636b2062726f776e20666f7820140065ff0b6162656a717a6b786d6477726f6e6f7277646d786b7a716a65621a000a506a717a6b78';

describe('a block of LZ4', () => {
  it('of the reference implementation is read', () => {
    expect(decompressBlock(Buffer.from(REFERENCE, 'hex'), TEXT.length)?.toString()).toBe(TEXT);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['one byte', Buffer.from('a')],
    ['fewer bytes than a copy needs', Buffer.from('aaaaaaaaaaaa')],
    ['one byte over and over', Buffer.alloc(100_000, 'a')],
    ['words', Buffer.from(TEXT)],
    ['repeats farther apart than a copy reaches', Buffer.concat([Buffer.from(TEXT), noise(70_000), Buffer.from(TEXT)])],
    ['noise', noise(5000)],
  ])('of %s is as before after compression and decompression', (_, data) => {
    const packed = compressBlock(data);
    expect(packed.length).toBeLessThanOrEqual(data.length + data.length / 255 + 16);
    expect(decompressBlock(packed, data.length)?.equals(data)).toBe(true);
  });

  it('that is damaged in any byte is refused or has the right size', () => {
    const packed = compressBlock(Buffer.from(TEXT));
    for (let at = 0; at < packed.length; at++) {
      for (const byte of [0, 1, 15, 16, 127, 240, 255]) {
        const damaged = Buffer.from(packed);
        damaged[at] = byte;
        expect(decompressBlock(damaged, TEXT.length)?.length ?? TEXT.length).toBe(TEXT.length);
      }
    }
    expect(decompressBlock(packed, TEXT.length - 1)).toBeUndefined();
    expect(decompressBlock(packed.subarray(0, -1), TEXT.length)).toBeUndefined();
  });
});

function noise(size: number): Buffer {
  let state = 12_345;
  return Buffer.from(
    Array.from({ length: size }, () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) >>> 16),
  );
}
