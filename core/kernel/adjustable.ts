/**
 * Bounds of a feature with any values: `Adjustable<typeof FACTS_LIMITS, 'trimMs'>`. Components take those that they
 * enforce as an option, so that tests and the simulation can pass others.
 */
export type Adjustable<L, K extends keyof L = keyof L> = {
  readonly [N in K]: L[N] extends number ? number : L[N];
};
