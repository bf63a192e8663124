import { jsonText, type Json, type JsonText } from '../../../core/kernel/text/json.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { countryOf } from '../../player/attributes.ts';
import { fieldsOf } from './fields.ts';
import { goes, type Kept } from './kept.ts';

type Attributes = Pick<PlayerState, 'attributes' | 'country' | 'email' | 'deviceId' | 'device' | 'isTestPlayer'>;

/** The account's, and where it has none the guest's, as many as there is room for. */
export function unitedAttributes(account: PlayerState, guest: PlayerState): Attributes {
  const attributes = filled(account.attributes, guest.attributes);
  return {
    attributes,
    country: countryOf(attributes),
    email: account.email ?? guest.email,
    deviceId: account.deviceId ?? guest.deviceId,
    device: account.device ?? guest.device,
    isTestPlayer: account.isTestPlayer || guest.isTestPlayer,
  };
}

function filled(own: JsonText, others: JsonText): JsonText {
  const fields = new Map(fieldsOf(own));
  let text = own;
  for (const [name, value] of fieldsOf(others)) {
    if (fields.has(name) || fields.size >= TEXT_LIMITS.documentKeys) continue;
    const more = jsonText(Object.fromEntries([...fields, [name, value]]));
    if (Buffer.byteLength(more) > TEXT_LIMITS.documentBytes) continue;
    fields.set(name, value);
    text = more;
  }
  return text;
}

/** What changed since the merge stays. */
export function separatedAttributes(account: PlayerState, guest: PlayerState, kept: Kept): Attributes {
  const leaves = goes('attribute', guest, kept);
  const brought = new Map(fieldsOf(guest.attributes));
  const isBrought = (name: string, value: Json) => textOf(brought.get(name)) === textOf(value);
  const before = fieldsOf(account.attributes);
  const stay = before.filter(([name, value]) => !(leaves(name) && isBrought(name, value)));
  const attributes = stay.length === before.length ? account.attributes : jsonText(Object.fromEntries(stay));
  const leavesField = goes('field', guest, kept);
  return {
    attributes,
    country: countryOf(attributes),
    email: leavesField('email') && account.email === guest.email ? null : account.email,
    deviceId: leavesField('deviceId') && account.deviceId === guest.deviceId ? null : account.deviceId,
    device: leavesField('device') && textOf(account.device) === textOf(guest.device) ? null : account.device,
    isTestPlayer: account.isTestPlayer && !leavesField('isTestPlayer'),
  };
}

const textOf = (value: unknown): string => JSON.stringify([value]);
