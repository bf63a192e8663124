/** The outcome of the entities that a commit took. */
export interface Swept {
  /** Number of entities done, from the first taken one on. */
  count: number;
  /** Players among them that were evaluated, by tenant. */
  tenants: ReadonlyMap<string, SweptTenant>;
  /** Segments whose condition exceeded its budget, once for each player. */
  overBudget: readonly string[];
  /** Players whose memberships or next evaluation time changed. */
  changed: number;
  tookMs: number;
}

export interface SweptTenant {
  players: number;
  /** Steps that their conditions took. */
  steps: number;
  /** Id of the last player evaluated. */
  last: string;
}
