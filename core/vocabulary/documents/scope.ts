export type Environment = 'live' | 'test';

const BOTH: readonly Environment[] = ['live', 'test'];

/** The environments that an address means: `_` stands for both. */
export function environmentsOf(environment: Environment | '_'): readonly Environment[] {
  return environment === '_' ? BOTH : [environment];
}

/** The kind of the API key of a request. */
export type CallerKind = 'client' | 'server';

/** The tenant of an access: every id is looked up inside one game and environment only. */
export interface Scope {
  game: string;
  environment: Environment;
}

/** Whether two callers may be of the same kind. A caller of unknown kind (from an old record) matches both. */
export function mayBeSame(one: CallerKind | undefined, other: CallerKind | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}
