import { uuidv5 } from '../../../core/kernel/ids.ts';
import type { CommandBody, QueryBody, TrackEvents, TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import type { MergeTarget } from '../../../core/vocabulary/merge/merged.ts';

/*
 * Commands and queries of a merged player, for its account. Event ids and Idempotency-Keys stay as they are, because
 * the account remembers those of its guests.
 */

export function readdressed<Body extends CommandBody | QueryBody>(
  body: Body,
  { playerId, externalId }: Pick<MergeTarget, 'playerId' | 'externalId'>,
): Body {
  return {
    ...body,
    ...('playerId' in body ? { playerId } : {}),
    ...('externalId' in body ? { externalId } : {}),
    ...('events' in body ? { events: body.events.map((item) => readdressedItem(item, playerId)) } : {}),
  };
}

/** The items of a merged player, as a command of their own. */
export function readdressedItems(
  { idempotency, ledgerId }: TrackEvents,
  items: readonly TrackItem[],
  guestId: string,
  playerId: string,
): TrackEvents {
  const moved = items.map((item) => readdressedItem(item, playerId));
  if (idempotency === undefined) return { kind: 'TrackEvents', items: moved };
  if (ledgerId === undefined) return { kind: 'TrackEvents', items: moved, idempotency };
  // The ledger beside the account may have an answer under the key, to the account's own items of the batch.
  const key = uuidv5(KEYS_OF_PARTS, `${guestId}\n${idempotency.key}`);
  return { kind: 'TrackEvents', items: moved, idempotency: { ...idempotency, key }, ledgerId };
}

/** UUID namespace of the keys of parts. Never change it: repeats would count again. */
const KEYS_OF_PARTS = '8f0dd7b5-5d3f-4a43-9d55-0f8d6a9a4f10';

function readdressedItem(item: TrackItem, playerId: string): TrackItem {
  const { release } = item;
  if (release === undefined || release.guestId !== undefined) return { ...item, playerId };
  // Numbers of quarantined events are those of the player who was quarantined.
  return { ...item, playerId, release: { ...release, guestId: item.playerId } };
}
