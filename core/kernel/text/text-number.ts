/**
 * A hash of a text as an integer of 53 bits, from two lanes of 32 bits that multiply and mix each UTF-16 unit. Depends
 * on nothing, so that programs outside the service get the same. Not for secrets: collisions can be made on purpose.
 */
export function numberOfText(text: string): number {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let place = 0; place < text.length; place++) {
    const unit = text.charCodeAt(place);
    high = Math.imul(high ^ unit, 0xcc9e2d51);
    high ^= high >>> 15;
    low = Math.imul(low ^ unit, 0x1b873593);
    low ^= low >>> 13;
  }
  high = Math.imul(high ^ text.length, 0xc2b2ae35);
  low = Math.imul(low ^ high, 0x27d4eb2f);
  high ^= low >>> 16;
  return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0);
}
