import type { AnswerOf } from '../frame/api.ts';

/* What an audit entry is about. */

export type Entry = AnswerOf<'GET /v1/audit'>['entries'][number];

/** The fields by which people know things whose key is an id. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  user: ['email'],
  webhook: ['name', 'url'],
  segment: ['key'],
  campaign: ['name'],
  saved_query: ['name'],
  annotation: ['at', 'text'],
};

/** The thing as people know it, from what the entry holds; undefined: only its key is known. */
export function nameOf({ kind, before, after }: Entry): string | undefined {
  const [first = '', second = ''] = (NAMES[kind] ?? []).map((field) => {
    const value = after?.[field] ?? before?.[field];
    return typeof value === 'string' ? value : '';
  });
  if (first === '') return second === '' ? undefined : second;
  return second === '' ? first : `${first} (${second})`;
}

/** The screen of the thing, below the game. Its key is data, so it is encoded. */
export function screenOf({ kind, key, action, player_id }: Entry): string | undefined {
  const id = encodeURIComponent(key);
  if (action === 'deleted' || action === 'erased') return undefined;
  switch (kind) {
    case 'flag':
      return `flags/${id}`;
    case 'segment':
      return `segments/${id}`;
    case 'campaign':
      return `campaigns/${id}`;
    case 'webhook':
      return `webhooks/${id}`;
    case 'player':
      return `players/${encodeURIComponent(player_id ?? key)}`;
    case 'event_schema':
      return `schemas/of/${id}`;
    case 'quarantine':
      return 'schemas/quarantine';
    case 'approval':
      return 'approvals';
    case 'key':
      return 'keys';
    case 'game':
      return 'settings';
    case 'user':
      return 'users';
    default:
      return undefined;
  }
}
