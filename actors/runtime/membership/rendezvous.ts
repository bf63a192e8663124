/** Rendezvous hashing: the members by their hash of (member, partition), highest first. */
export function ranked(members: readonly string[], partition: number): string[] {
  const scores = new Map(members.map((member) => [member, spread(`${member}/${partition}`)]));
  const scoreOf = (member: string): number => scores.get(member) ?? 0;
  return [...members].sort((a, b) => scoreOf(b) - scoreOf(a) || (a < b ? -1 : 1));
}

/** FNV-1a with the final avalanche of MurmurHash3, so that similar names get unrelated scores. 32 bits, unsigned. */
export function spread(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
