/* Internet addresses and ranges of them, as text. */

/** The eight groups of 16 bits of an IPv6 address. IPv4 addresses are those that are mapped into IPv6. */
export type Address = readonly number[];

/** Addresses whose first bits are those of another one. */
export interface AddressRange {
  start: Address;
  bits: number;
}

const GROUPS = 8;
const GROUP_BITS = 16;
const MAPPED_BITS = 96;
const MAPPED = [0, 0, 0, 0, 0, 0xffff];
/** The longest text of an address: an IPv6 address with an IPv4 address at its end. */
const LONGEST = 45;

/** @returns undefined if the text is no address */
export function readAddress(text: string): Address | undefined {
  if (text.length > LONGEST) return undefined;
  if (!text.includes(':')) {
    const tail = readIpv4(text);
    return tail && [...MAPPED, ...tail];
  }
  const [head = '', rest, ...more] = text.split('::');
  if (more.length > 0) return undefined;
  const before = readGroups(head);
  if (rest === undefined) return before?.length === GROUPS ? before : undefined;
  const after = readGroups(rest);
  if (before === undefined || after === undefined || before.length + after.length >= GROUPS) return undefined;
  return [...before, ...Array.from({ length: GROUPS - before.length - after.length }, () => 0), ...after];
}

/** Reads an address, or a range such as `10.0.0.0/8` or `2001:db8::/32`. */
export function readRange(text: string): AddressRange | undefined {
  const slash = text.indexOf('/');
  const start = readAddress(slash < 0 ? text : text.slice(0, slash));
  if (start === undefined) return undefined;
  const isIpv4 = !text.includes(':');
  const most = isIpv4 ? GROUPS * GROUP_BITS - MAPPED_BITS : GROUPS * GROUP_BITS;
  const given = slash < 0 ? String(most) : text.slice(slash + 1);
  if (!/^(?:0|[1-9]\d{0,2})$/.test(given) || Number(given) > most) return undefined;
  return { start, bits: Number(given) + (isIpv4 ? MAPPED_BITS : 0) };
}

export function isIn(address: Address, { start, bits }: AddressRange): boolean {
  for (let group = 0, left = bits; left > 0; group += 1, left -= GROUP_BITS) {
    const mask = left >= GROUP_BITS ? 0xffff : (0xffff << (GROUP_BITS - left)) & 0xffff;
    if ((((address[group] ?? 0) ^ (start[group] ?? 0)) & mask) !== 0) return false;
  }
  return true;
}

/** Groups of an IPv6 address, of which the last may be an IPv4 address. */
function readGroups(text: string): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [place, part] of parts.entries()) {
    const tail = place === parts.length - 1 && part.includes('.') ? readIpv4(part) : undefined;
    if (tail !== undefined) groups.push(...tail);
    else if (/^[\da-fA-F]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups.length > GROUPS ? undefined : groups;
}

/** Leading zeros are refused: some systems read them as octal numbers. */
function readIpv4(text: string): number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) {
    return undefined;
  }
  const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number);
  return [a * 256 + b, c * 256 + d];
}
