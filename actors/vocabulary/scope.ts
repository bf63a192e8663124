export type Environment = 'live' | 'test';

/** The kind of the API key that a request came with. */
export type CallerKind = 'client' | 'server';

/** Who may see and change what: every id is looked up inside one game and environment only. */
export interface Scope {
  game: string;
  environment: Environment;
}

/** Whether two callers share what is remembered. A caller of unknown kind (recorded before kinds were) may be either. */
export function mayBeSame(one: CallerKind | undefined, other: CallerKind | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}
