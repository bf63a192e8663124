import type { decodeCommit } from '../../../../core/codec/codec.ts';

/*
 * The columns of `events` that do not come as the caller sent them, by the field of the fact that they follow from.
 * Written from docs/analytics.md. A field of the fact without an entry does not compile.
 */

/** How a column is read, so that both sides have one form: times are epoch milliseconds, money is text. */
export type Reading = 'plain' | 'time' | 'text' | 'bool';

type Fact = ReturnType<typeof decodeCommit>['facts'][number];
type Tracked = Extract<Fact, { kind: 'EventTracked' }>;
/** What identifies the event and its caller's values, and what is for the service alone. */
type Others =
  | 'eventId'
  | 'game'
  | 'environment'
  | 'entityId'
  | 'externalId'
  | 'eventName'
  | 'sessionId'
  | 'properties'
  | 'timestamp'
  | 'at'
  | 'kind'
  | 'remember'
  | 'release'
  | 'forgets'
  | 'computed';
type Said = Omit<Tracked, Others>;

/** A tracked event, or an imported one, which says less. */
export interface SaidOfEvent extends Partial<Omit<Said, 'by'>> {
  eventName: string;
  by?: string;
}

interface EventColumn {
  name: string;
  reading: Reading;
  cell: (event: SaidOfEvent) => string | number;
}

const COLUMNS: { readonly [Field in keyof Required<Said>]: readonly EventColumn[] } = {
  lifecycleStage: [{ name: 'lifecycle_stage', reading: 'plain', cell: ({ lifecycleStage = '' }) => lifecycleStage }],
  isPayer: [{ name: 'is_payer', reading: 'bool', cell: ({ isPayer = false }) => (isPayer ? 1 : 0) }],
  country: [{ name: 'country', reading: 'plain', cell: ({ country = '' }) => country }],
  platform: [{ name: 'platform', reading: 'plain', cell: ({ platform = '' }) => platform }],
  appVersion: [{ name: 'app_version', reading: 'plain', cell: ({ appVersion = '' }) => appVersion }],
  build: [{ name: 'build', reading: 'plain', cell: ({ build = '' }) => build }],
  schemaFault: [{ name: 'schema_fault', reading: 'plain', cell: ({ schemaFault = '' }) => schemaFault }],
  by: [
    { name: 'source', reading: 'plain', cell: sourceOf },
    { name: 'key_kind', reading: 'plain', cell: ({ by }) => keyKindOf(by) },
  ],
};

const ALL = Object.values(COLUMNS).flat();

export const SAID_READINGS: Readonly<Record<string, Reading>> = Object.fromEntries(
  ALL.map(({ name, reading }) => [name, reading]),
);

export function saidCells(event: SaidOfEvent): (string | number)[] {
  return ALL.map(({ cell }) => cell(event));
}

/** The events that the service makes itself. Callers may use these names too. */
const MADE_BY_SERVICE: readonly string[] = ['purchase', 'session_recorded'];

function sourceOf({ by, eventName }: SaidOfEvent): string {
  if (by === 'service' || by === 'import') return by;
  return by === undefined && MADE_BY_SERVICE.includes(eventName) ? '' : 'caller';
}

export function keyKindOf(by: string | undefined): string {
  return by === 'client' || by === 'server' ? by : '';
}
