/** What people write on a definition for each other. Each is absent if it is empty. */
export interface Labels {
  /** Who answers for it: a person or a team. */
  owner?: string;
  /** In lower case, each once. */
  tags?: readonly string[];
  note?: string;
}

/** What owns a definition beside the console and the API, such as files in a repository. */
export interface ManagedBy {
  /** Its name, such as `github.com/acme/games`. */
  by: string;
  /** The version that it wrote last. A later one was made elsewhere. */
  version: number;
}

/** A version, its revision in CONFIG, and when it was made. */
export interface Effective {
  version: number;
  revision: number;
  /** Epoch milliseconds. */
  at: number;
}

/** A definition, of which a change may concern people only. */
export interface Labelled extends Labels {
  version: number;
  createdAt: number;
  /** Absent: it never changed. */
  updatedAt?: number;
  /** The version that last changed anything for players, if later ones only changed texts for people. */
  effective?: Effective;
  managedBy?: ManagedBy;
}

/** The version that last changed anything for players. */
export function effectiveVersion({ effective, version }: Labelled): number {
  return effective?.version ?? version;
}

/** When it last changed for players, epoch milliseconds. */
export function effectiveAt({ effective, updatedAt, createdAt }: Labelled): number {
  return effective?.at ?? updatedAt ?? createdAt;
}

/** The revision in CONFIG that last changed anything for players. */
export function effectiveRevision({ document, revision }: { document: object; revision: number }): number {
  return 'effective' in document && isEffective(document.effective) ? document.effective.revision : revision;
}

function isEffective(value: unknown): value is Effective {
  return typeof value === 'object' && value !== null && 'revision' in value && typeof value.revision === 'number';
}

/** Fields that concern people only, and those that every change sets. */
const NOT_FOR_PLAYERS: ReadonlySet<string> = new Set([
  'name',
  'description',
  'owner',
  'tags',
  'note',
  'managedBy',
  'endsAt',
  'hypothesis',
  'primary',
  'guardrails',
  'plan',
  'version',
  'updatedAt',
  'effective',
  'editEffect',
  'writes',
]);

/**
 * The next version of a definition. It names the version that stays in effect if it only changes texts for people: then
 * no player is evaluated again, and servers keep the definitions that they have.
 */
export function withEffective<D extends Labelled>(held: { document: D; revision: number }, next: D): D {
  const document: D = { ...next };
  delete document.effective;
  if (!isForPeople(held.document, next)) return document;
  const { version, createdAt, updatedAt: at = createdAt } = held.document;
  const { effective = { version, revision: held.revision, at } } = held.document;
  return { ...document, effective };
}

/** Whether a change concerns people only, and no player. */
export const isForPeople = (held: object, next: object): boolean => forPlayers(held) === forPlayers(next);

/** In other order the same is taken for a change, which only costs work. */
function forPlayers(document: object): string {
  const fields = Object.entries(document).filter(([name, value]) => !NOT_FOR_PLAYERS.has(name) && value !== undefined);
  return JSON.stringify(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
