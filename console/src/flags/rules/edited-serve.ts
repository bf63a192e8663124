import type { JsonObject } from '../../../../core/kernel/text/json.ts';
import type { Flag } from '../../definitions.ts';

/* What a rule or the default serves, as a person edits it. */

export type Serve = NonNullable<Flag['default_serve']>;

export interface EditedServe {
  /** `usual`: nothing of its own. */
  kind: 'usual' | 'variant' | 'weights' | 'value';
  variant: string;
  /** By key of the variant. */
  weights: Readonly<Record<string, number>>;
  /** JSON, which need not be valid yet. */
  value: string;
}

export const USUAL: EditedServe = { kind: 'usual', variant: '', weights: {}, value: 'null' };

/** @param serve null: a merged body, in which the default serves nothing of its own */
export function editedServe(serve: Serve | null | undefined): EditedServe {
  if (serve === undefined || serve === null) return USUAL;
  if (serve.variant !== undefined) return { ...USUAL, kind: 'variant', variant: serve.variant };
  if (serve.weights === undefined) return { ...USUAL, kind: 'value', value: JSON.stringify(serve.value ?? null) };
  return {
    ...USUAL,
    kind: 'weights',
    weights: Object.fromEntries(serve.weights.map(({ key, weight }) => [key, weight])),
  };
}

/** For the service. @param json reads a text, which may be no JSON yet */
export function serveOf(
  { kind, variant, weights, value }: EditedServe,
  json: (text: string) => JsonObject[string],
): JsonObject | undefined {
  switch (kind) {
    case 'usual':
      return undefined;
    case 'variant':
      return { variant };
    case 'weights':
      return { weights: Object.entries(weights).map(([key, weight]) => ({ key, weight })) };
    case 'value':
      return { value: json(value) };
  }
}
