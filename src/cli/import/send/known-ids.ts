/**
 * A Bloom filter over digests: what it does not have was never added. Its memory is fixed, so that of a very large
 * history more and more is looked up. With 10 million ids one of 7 million others is taken for known.
 */
export interface KnownIds {
  add(digest: Uint8Array): void;
  mayHave(digest: Uint8Array): boolean;
}

/** Bytes of a digest: MD5 is not for secrets, but no two ids of a game share one by chance. */
export const DIGEST_BYTES = 16;
const PROBES = 8;

/** @param bits a power of 2, at most 2^31 */
export function createKnownIds(bits: number): KnownIds {
  const words = new Uint32Array(bits / 32);
  const mask = bits - 1;

  function visit(digest: Uint8Array, onBit: (word: number, bit: number) => boolean): boolean {
    const view = new DataView(digest.buffer, digest.byteOffset, DIGEST_BYTES);
    const step = view.getUint32(4) | 1;
    let place = view.getUint32(0);
    for (let probe = 0; probe < PROBES; probe++) {
      const at = place & mask;
      if (!onBit(at >>> 5, 1 << (at & 31))) return false;
      place = (place + step) >>> 0;
    }
    return true;
  }

  return {
    add(digest) {
      visit(digest, (word, bit) => {
        words[word] = (words[word] ?? 0) | bit;
        return true;
      });
    },
    mayHave: (digest) => visit(digest, (word, bit) => ((words[word] ?? 0) & bit) !== 0),
  };
}
