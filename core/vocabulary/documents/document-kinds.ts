interface KindEntry {
  /** People write it by version, and once per Idempotency-Key (`src/api/definitions`). */
  definition?: true;
  /** Whether each of its versions is kept (`definition_changes`). Absent: as `definition` says. */
  history?: boolean;
  /** It decides what players get: owners compile it, and a change may need a second person. */
  targeting?: true;
  /**
   * Paths to strings that are secret, where `*` is every key of an object. Each is encrypted in the bucket, bound to
   * its document and path; the audit hides the field in which it is.
   */
  secrets?: readonly string[];
}

/** The kinds of documents in the CONFIG bucket. `Documents` has the type of each. */
const KINDS = {
  game: { history: true },
  // Not kept: a table may have 500 kB, and the audit says when it changed.
  exchange_rates: {},
  key: {},
  // Headers may hold credentials for the receiver.
  webhook: { definition: true, secrets: ['secret', 'previousSecret.secret', 'headers.*'] },
  segment: { definition: true, targeting: true },
  flag: { definition: true, targeting: true },
  experiment: { definition: true, targeting: true },
  campaign: { definition: true, targeting: true },
  event_schema: { definition: true },
  property: { definition: true, targeting: true },
  saved_query: { definition: true },
  annotation: { definition: true },
  player_tokens: { secrets: ['secret', 'previous.secret'] },
  // The key of the service account that reads purchases.
  stores: { secrets: ['google.privateKey'] },
  deployment: {},
  // A hash, which a copy of the broker's disk would let others guess at.
  user: { secrets: ['password'] },
  proposal: {},
  // Who changes a definition later, and when; the changes themselves are in its history.
  schedule: { definition: true, history: false },
} as const satisfies Record<string, KindEntry>;

export type DocumentKind = keyof typeof KINDS;
export type DefinitionKind = KindsWith<'definition'>;
export type TargetingKind = KindsWith<'targeting'>;

type KindsWith<Mark extends keyof KindEntry> = {
  [K in DocumentKind]: (typeof KINDS)[K] extends Record<Mark, true> ? K : never;
}[DocumentKind];

const DOCUMENT_KINDS: Readonly<Record<DocumentKind, KindEntry>> = KINDS;
export const TARGETING_KINDS: readonly TargetingKind[] = Object.keys(KINDS).filter((kind) => isTargeting(kind));

export function isDocumentKind(name: string): name is DocumentKind {
  return Object.hasOwn(KINDS, name);
}

export function isTargeting(name: string): name is TargetingKind {
  return isDocumentKind(name) && DOCUMENT_KINDS[name].targeting === true;
}

/**
 * Whether a document decides what flags serve; `undefined`: it was deleted. The settings of a game do once it has, or
 * had, a holdout.
 */
export function decidesFlags(kind: DocumentKind, document: object | undefined): boolean {
  if (kind === 'game') return document !== undefined && 'holdout' in document;
  return kind === 'flag' || kind === 'experiment' || kind === 'segment';
}

export function hasHistory(kind: DocumentKind): boolean {
  const { definition = false, history = definition } = DOCUMENT_KINDS[kind];
  return history;
}

export function secretsOf(kind: DocumentKind): readonly string[] {
  return DOCUMENT_KINDS[kind].secrets ?? [];
}
