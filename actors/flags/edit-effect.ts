import { isDeepStrictEqual } from 'node:util';
import type { FlagDocument, FlagRule } from '../../core/vocabulary/documents/documents.ts';
import type { EditEffect } from '../../core/vocabulary/edit-effects.ts';
import { bucketingOf } from './draw/bucketing.ts';
import { BUCKETS } from '../conditions/buckets/hash.ts';
import { defaultOffer, drawId, isDrawn, type Offer } from './draw/offers.ts';
import { type DividingRule, dividingRules, isTrue, weightsOffer } from './draw/strata.ts';

/*
 * What an edit does to the players who take part in a flag's experiment: those whose answer is drawn.
 *
 * Invariants
 * 1. Only an edit that reassigns begins a period. Switches and prerequisites do not matter for it, so that it is found
 *    whether or not the flag is switched off for the edit.
 * 2. An edit that reassigns any player is found. With too many different rules, every edit of them reassigns.
 *
 * A kind of players is what rules ask of them. A cell is a range of buckets of each bucketing: the players of a kind in
 * a cell get the same of every rule.
 */

/** The kinds of players that are tried, 2 to this power: 1,024 times 100 rules take some milliseconds. */
const MOST_TERMS = 10;
/** Kinds times cells that are tried: 50 rules for each take 50 ms. Percentages of many bucketings multiply. */
const MOST_CELLS = 100_000;

export function effectOf(previous: FlagDocument, next: FlagDocument): EditEffect {
  if (usesWeights(previous) && usesWeights(next) && weightsOf(previous) !== weightsOf(next)) return 'reassigns';
  const [before, after] = [formOf(previous), formOf(next)];
  const terms = [
    ...new Set(
      [before, after]
        .flatMap(({ rules, byDefault, needs }) => [...rules, byDefault, { terms: needs }])
        .flatMap((each) => each.terms),
    ),
  ];
  const cells = cellsOf([before, after]);
  if (terms.length > MOST_TERMS || 2 ** terms.length * cells.length > MOST_CELLS) return untried(before, after);
  let joins = false;
  let leaves = false;
  for (let kind = 0; kind < 2 ** terms.length; kind += 1) {
    const held = new Set(terms.filter((_, place) => (kind & (1 << place)) !== 0));
    const [was, is] = [drawsOf(before, held, cells), drawsOf(after, held, cells)];
    if (was.some((draw, place) => draw !== undefined && is[place] !== undefined && draw !== is[place])) {
      return 'reassigns';
    }
    const [took, takes] = [isServed(before, held), isServed(after, held)];
    joins ||= takes && is.some((draw, place) => draw !== undefined && !(took && was[place] !== undefined));
    leaves ||= took && was.some((draw, place) => draw !== undefined && !(takes && is[place] !== undefined));
  }
  if (joins) return leaves ? 'moves' : 'widens';
  return leaves ? 'narrows' : 'none';
}

/** The effect as far as it is known without trying: players may join and leave. */
function untried(before: Form, after: Form): EditEffect {
  const rulesOf = ({ rules, byDefault }: Form) => [rules, byDefault];
  if (isDeepStrictEqual(rulesOf(before), rulesOf(after))) return 'moves';
  const draws = [before, after].flatMap(({ rules, byDefault }) => [...rules, byDefault].map(({ draw }) => draw));
  const isOneDraw = new Set(draws.filter((draw) => draw !== undefined)).size <= 1;
  return !before.isBoolean && isOneDraw ? 'moves' : 'reassigns';
}

/** Whether the weights of the flag matter, even if no player gets them now: players may return with earlier ones. */
function usesWeights({ rules }: FlagDocument): boolean {
  return rules.length === 0 || rules.some(({ value, serve }) => value && serve === undefined);
}

function weightsOf(flag: FlagDocument): string | undefined {
  const offer = weightsOffer(flag);
  return offer?.kind === 'drawn' ? drawText(offer) : undefined;
}

/** What is drawn, with the values that players get; undefined: nothing is. */
function drawnOf(offer: Offer | undefined): string | undefined {
  return isDrawn(offer) ? drawText(offer) : undefined;
}

function drawText(offer: Extract<Offer, { kind: 'drawn' }>): string {
  return JSON.stringify([drawId(offer), offer.parts.map(({ value }) => value)]);
}

/** A rule as far as it decides who gets what. A term is something that it asks of a player. */
interface FormRule extends DividingRule {
  draw: string | undefined;
  terms: readonly string[];
}

/** A flag as far as it decides who takes part. */
interface Form {
  isBoolean: boolean;
  isOn: boolean;
  /** What the flag needs of others, as terms. */
  needs: readonly string[];
  /** In the order of their evaluation. */
  rules: readonly FormRule[];
  /** What players get whom no rule includes. The terms are those of its draw. */
  byDefault: Pick<FormRule, 'isTrue' | 'draw' | 'terms'>;
}

function formOf(flag: FlagDocument): Form {
  const offer = defaultOffer(flag);
  const { by } = bucketingOf(flag);
  return {
    isBoolean: flag.flagType === 'boolean',
    isOn: flag.enabled && flag.archivedAt === null,
    needs: flag.prerequisites.map((need) => JSON.stringify(need)),
    rules: dividingRules(flag).map(({ rule, offer: own, buckets, group, by: key, isTrue: serves }) => {
      const needsKey = key !== 'player' && (buckets < BUCKETS || isDrawn(own));
      const terms = [...termsOf(rule), ...(needsKey ? [keyTerm(key)] : [])];
      return { buckets, group, by: key, isTrue: serves, draw: drawnOf(own), terms };
    }),
    byDefault: {
      isTrue: isTrue(offer),
      draw: drawnOf(offer),
      terms: isDrawn(offer) && by !== 'player' ? [keyTerm(by)] : [],
    },
  };
}

function termsOf({ segmentId, conditions, startAt, endAt }: FlagRule): string[] {
  return [
    ...(segmentId === null ? [] : [`segment ${segmentId}`]),
    ...(conditions === undefined ? [] : [`conditions ${JSON.stringify(conditions)}`]),
    ...(startAt === null ? [] : [`from ${startAt}`]),
    ...(endAt === null ? [] : [`until ${endAt}`]),
  ];
}

function keyTerm(by: string): string {
  return `key ${by}`;
}

/** The first bucket of a cell in each group of rules. */
type Cell = ReadonlyMap<string, number>;

/** Cells in which no percentage of any rule ends. A rule for all buckets needs none. At most one more than is tried. */
function cellsOf(forms: readonly Form[]): readonly Cell[] {
  const edges = new Map<string, Set<number>>();
  for (const { buckets, group } of forms.flatMap(({ rules }) => rules)) {
    if (buckets === 0 || buckets === BUCKETS) continue;
    const own = edges.get(group) ?? new Set([0]);
    edges.set(group, own.add(buckets));
  }
  let cells: Cell[] = [new Map()];
  for (const [group, starts] of edges) {
    if (cells.length * starts.size > MOST_CELLS) return Array.from({ length: MOST_CELLS + 1 }, () => new Map());
    cells = cells.flatMap((cell) => [...starts].map((start) => new Map(cell).set(group, start)));
  }
  return cells;
}

function isServed({ isOn, needs }: Form, held: ReadonlySet<string>): boolean {
  return isOn && needs.every((need) => held.has(need));
}

/**
 * What is drawn for the players of a kind in each cell; undefined: nothing. Of a boolean flag the value is drawn, if
 * cells differ in it.
 * @param held the terms that hold for the kind
 */
function drawsOf(form: Form, held: ReadonlySet<string>, cells: readonly Cell[]): readonly (string | undefined)[] {
  const { isBoolean, rules, byDefault } = form;
  const open = rules.filter(({ buckets, terms }) => buckets > 0 && terms.every((term) => held.has(term)));
  const given = cells.map((cell) => {
    const one = open.find(({ buckets, group }) => buckets === BUCKETS || (cell.get(group) ?? 0) < buckets);
    if (isBoolean) return String((one ?? byDefault).isTrue);
    if (one !== undefined) return one.draw;
    return byDefault.terms.every((term) => held.has(term)) ? byDefault.draw : undefined;
  });
  return isBoolean && new Set(given).size === 1 ? given.map(() => undefined) : given;
}
