/** What became of the entities taken. */
export interface Swept {
  /** Entities looked at, the first of those taken. */
  count: number;
  /** Players among them that were evaluated, by tenant. */
  tenants: ReadonlyMap<string, SweptTenant>;
  /** Segments whose condition exceeded its budget, once for each player. */
  overBudget: readonly string[];
  /** Players whose membership, or next look, changed. */
  changed: number;
  tookMs: number;
}

export interface SweptTenant {
  players: number;
  /** Steps that their conditions took. */
  steps: number;
  /** The last one of them. */
  last: string;
}
