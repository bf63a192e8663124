import type { FlagDocument, FlagRule } from '../../../../core/vocabulary/documents/documents.ts';
import type { Json } from '../../../../core/kernel/text/json.ts';

/* What rules serve and by which bucket, as documented: a reading of its own, by trying every range of buckets. */

type Weights = readonly { key: string; weight: number }[];

/** What a rule, or the default, gives: weights of variants, or one thing. */
export type Given = { weights: Weights; salt: string; by: string } | { value: Json; variantKey: string | null };

export function givenBy(flag: FlagDocument, rule: FlagRule | undefined): Given {
  const serve = rule === undefined ? flag.defaultServe : rule.serve;
  const [salt, by] = placeOf(flag, rule);
  if (serve !== undefined && 'value' in serve) return { value: serve.value, variantKey: null };
  if (serve !== undefined && 'weights' in serve) return { weights: serve.weights, salt, by };
  if (serve !== undefined) {
    return { value: flag.variants.find(({ key }) => key === serve.variant)?.value ?? null, variantKey: serve.variant };
  }
  if (rule === undefined || !rule.value) return { value: flag.defaultValue, variantKey: null };
  return flag.flagType === 'boolean' ? { value: true, variantKey: null } : { weights: flag.variants, salt, by };
}

/** The salt of a rule, and what players are put into buckets by. */
export function placeOf(flag: FlagDocument, rule?: FlagRule): [salt: string, by: string] {
  return [rule?.salt ?? flag.salt, rule?.bucketBy ?? flag.bucketBy ?? 'player'];
}

/** Identifies what is drawn; undefined: nothing is. */
export function drawOf(flag: FlagDocument, given: Given): string | undefined {
  if (!('weights' in given)) return undefined;
  const { weights, salt, by } = given;
  const total = weights.reduce((all, { weight }) => all + weight, 0);
  const parts = weights
    .filter(({ weight }) => weight > 0)
    .map(({ key, weight }) => [key, weight / total, flag.variants.find((one) => one.key === key)?.value]);
  return parts.length < 2 ? undefined : JSON.stringify([salt, by, parts]);
}

/** Whether a rule needs a bucket of the player. */
export function needsPlace(flag: FlagDocument, rule: FlagRule): boolean {
  return rule.percentage < 100 || drawOf(flag, givenBy(flag, rule)) !== undefined;
}

/** A range of buckets of each salt and key: the same rules include all of it. */
export interface Cell {
  share: number;
  at: ReadonlyMap<string, number>;
}

export function cellsOf(flags: readonly FlagDocument[]): Cell[] {
  const ends = new Map<string, Set<number>>();
  for (const flag of flags) {
    for (const rule of flag.rules) {
      const place = placeOf(flag, rule).join();
      ends.set(place, (ends.get(place) ?? new Set([10_000])).add(Math.round(rule.percentage * 100)));
    }
  }
  let cells: Cell[] = [{ share: 1, at: new Map() }];
  for (const [place, found] of ends) {
    const sorted = [...found].filter((end) => end > 0).sort((a, b) => a - b);
    cells = cells.flatMap(({ share, at }) =>
      sorted.map((end, index) => {
        const from = sorted[index - 1] ?? 0;
        return { share: (share * (end - from)) / 10_000, at: new Map(at).set(place, from) };
      }),
    );
  }
  return cells;
}

/** The first rule that includes the players of a cell. @param isOpen whether a rule is for them */
export function ruleIn(flag: FlagDocument, { at }: Cell, isOpen: (rule: FlagRule) => boolean): FlagRule | undefined {
  return flag.rules
    .toSorted((one, other) => one.priority - other.priority)
    .find((rule) => isOpen(rule) && (at.get(placeOf(flag, rule).join()) ?? 0) < Math.round(rule.percentage * 100));
}
