import { anExperiment } from '../../../actors/experiments/testing-experiment.ts';
import { aFlag, aRule } from '../../../actors/flags/evaluate/testing-flag.ts';
import type { FlagDocument, FlagRule, FlagVariant } from '../../../core/vocabulary/documents/documents.ts';
import type { ExperimentDocument, ExperimentLayer } from '../../../core/vocabulary/documents/experiments.ts';
import { isObject, type Json, type JsonObject } from '../../../core/kernel/text/json.ts';
import { type Case, linesOf } from '../suite.ts';

interface Rule {
  force?: Json;
  condition?: JsonObject;
  coverage?: number;
  hashVersion?: number;
  hashAttribute?: string;
  seed?: string;
  key?: string;
  range?: [number, number];
  ranges?: [number, number][];
  weights?: number[];
  variations?: Json[];
  contextualVariations?: Json[];
  filters?: Filter[];
  namespace?: [key: string, from: number, to: number];
  meta?: { passthrough?: boolean }[];
  parentConditions?: { id: string; condition: { value?: Json }; gate?: boolean }[];
}

/** A hash of its own that must be in one of the ranges. It replaces a namespace. */
interface Filter {
  seed: string;
  attribute?: string;
  ranges: [number, number][];
}

interface Feature {
  defaultValue?: Json;
  rules?: Rule[];
}

interface Setting {
  attributes?: JsonObject;
  features?: Record<string, Feature>;
  savedGroups?: Record<string, Json[]>;
  forcedVariations?: Json;
}

type Published = [name: string, setting: Setting, key: string, result: { value: Json; source: string }];

export function growthbookCases(): Case[] {
  const published = ['cases.jsonl', 'later-cases.jsonl'].flatMap((file) =>
    linesOf<Published>(new URL(file, import.meta.url)),
  );
  return published.map(([name, setting, key, { value }]) => {
    const found = definitionsOf(setting, key);
    return {
      name,
      ...(typeof found === 'string' ? { flags: found } : found),
      context: setting.attributes ?? {},
      nowMs: 1,
      expected: value,
      // A flag with an unmet prerequisite has no value there.
      resultOf: (evaluation) =>
        evaluation.reason === 'flag_disabled' ? null : (JSON.parse(evaluation.value) satisfies Json),
    };
  });
}

interface Made {
  flag: FlagDocument;
  experiment?: ExperimentDocument;
}

function definitionsOf(setting: Setting, key: string): Pick<Case, 'flags' | 'experiment'> | string {
  const features = setting.features ?? {};
  if (features[key] === undefined) return 'no such flag';
  if (setting.forcedVariations !== undefined) return 'variations forced by the caller';
  const made: Made[] = [];
  for (const each of [key, ...Object.keys(features).filter((other) => other !== key)]) {
    const one = madeOf(each, features[each] ?? {}, setting, new Set(Object.keys(features)));
    if (typeof one === 'string') return one;
    made.push(one);
  }
  const flags = made.map(({ flag }) => flag);
  const isCycle = flags.some((flag) => flag.prerequisites.some((need) => need.flagKey === key));
  if (isCycle) return 'a cycle of prerequisites, which is refused';
  return { flags, experiment: made[0]?.experiment };
}

function madeOf(
  key: string,
  { defaultValue = null, rules = [] }: Feature,
  setting: Setting,
  known: ReadonlySet<string>,
): Made | string {
  const variants: FlagVariant[] = [];
  const made: FlagRule[] = [];
  const prerequisites: FlagDocument['prerequisites'] = [];
  let experiment: ExperimentDocument | undefined;
  for (const [place, rule] of rules.entries()) {
    const fault = faultOf(rule, place);
    if (fault !== undefined) return fault;
    for (const { id, condition, gate } of rule.parentConditions ?? []) {
      if (gate !== true) return 'a prerequisite of one rule';
      if (isObject(condition.value ?? null)) return 'a prerequisite by an operator';
      if (!known.has(id)) return 'a prerequisite that does not exist, which is refused';
      if (prerequisites.some(({ flagKey }) => flagKey === id)) return 'two prerequisites on one flag';
      prerequisites.push({ flagKey: id, value: condition.value ?? null });
    }
    const conditions = rule.condition && inContext(rule.condition, setting);
    if (rule.force !== undefined) made.push(forced(rule, rule.force, key, conditions));
    // A gate, or a rule that does nothing.
    if (rule.force !== undefined || rule.variations === undefined) continue;
    if (isHoldout(rule)) {
      const [first] = sharesOf(rule, place);
      made.push(forced({ ...rule, coverage: first?.weight ?? 0 }, first?.value ?? null, key, conditions));
      continue;
    }
    const shares = sharesOf(rule, place);
    variants.push(...shares.map((one) => ({ ...one, weight: 0 })));
    const weights = shares.map(({ key: variant, weight }) => ({ key: variant, weight }));
    if (layerOf(rule) === undefined) {
      const { bucketBy, salt } = drawnBy(rule, key);
      const percentage = (rule.coverage ?? 1) * 100;
      made.push(aRule({ ...(conditions && { conditions }), salt, bucketBy, percentage, serve: { weights } }));
    } else experiment = experimentOf(rule, key, weights, conditions);
  }
  // A flag has a variant with a weight here, although no rule serves it.
  const some = [...variants, { key: 'none', value: null, weight: 1 }];
  const flag = aFlag({ key, flagType: 'json', defaultValue, variants: some, rules: made, prerequisites, salt: key });
  return { flag, ...(experiment && { experiment }) };
}

const drawnBy = ({ seed, key, hashAttribute = 'id' }: Rule, feature: string) =>
  ({ salt: seed ?? key ?? feature, bucketBy: `attribute:${hashAttribute}` }) as const;

/** A rule with one value. The share of a filter is a percentage by another salt. */
function forced(rule: Rule, value: Json, feature: string, conditions: JsonObject | undefined): FlagRule {
  const { range, coverage = 1, filters } = rule;
  const share = filters?.[0]?.ranges[0]?.[1] ?? (range === undefined ? coverage : range[1]);
  const isWhole = range === undefined && rule.coverage === undefined && filters === undefined;
  const { salt, bucketBy } = drawnBy(rule, feature);
  return aRule({
    ...(conditions && { conditions }),
    ...(isWhole ? {} : { salt: filters?.[0]?.seed ?? salt, bucketBy }),
    percentage: share * 100,
    serve: { value },
  });
}

function sharesOf({ variations = [], ranges, weights }: Rule, place: number): FlagVariant[] {
  const parts = ranges?.map(([from, to]) => to - from) ?? weights ?? variations.map(() => 1 / variations.length);
  return variations.map((value, index) => ({ key: `${place}-${index}`, value, weight: parts[index] ?? 0 }));
}

/** A share that gets the first value, while everyone else goes on to the next rule. */
const isHoldout = ({ variations = [], meta = [] }: Rule): boolean =>
  variations.length === 2 && meta[0]?.passthrough !== true && meta[1]?.passthrough === true;

/** The range of a layer that a filter or a namespace is. */
function layerOf({ filters, namespace }: Rule): ExperimentLayer | undefined {
  const [filter] = filters ?? [];
  const [from, to] = filter?.ranges[0] ?? namespace?.slice(1) ?? [];
  const key = filter?.seed ?? namespace?.[0];
  return key === undefined ? undefined : { key, from: Number(from) * 100, to: Number(to) * 100 };
}

function experimentOf(
  rule: Rule,
  flagKey: string,
  variants: ExperimentDocument['variants'],
  conditions: JsonObject | undefined,
): ExperimentDocument {
  const { coverage = 1, ranges } = rule;
  return anExperiment({
    flagKey,
    ...drawnBy(rule, flagKey),
    audience: { segmentId: null, ...(conditions && { conditions }) },
    // Ranges replace the coverage.
    traffic: ranges === undefined ? coverage * 100 : 100,
    variants,
    layer: layerOf(rule) ?? null,
    state: 'running',
    phases: [{ phase: 1, since: 0, variants }],
    startedAt: 0,
  });
}

function faultOf(rule: Rule, place: number): string | undefined {
  const { filters = [], namespace, meta, range, ranges, hashVersion = 1, hashAttribute = 'id', coverage } = rule;
  if (rule.contextualVariations !== undefined) return 'a bandit that learns from the context';
  if (filters.length > 0 || namespace !== undefined) {
    const isOne = filters.length < 2 && filters.every((one) => one.ranges.length === 1);
    const isSame = filters.every(({ attribute = 'id' }) => attribute === hashAttribute);
    if (!isOne || !isSame) return 'several filters of one rule';
    if (rule.variations !== undefined && place > 0) return 'a namespace behind another rule';
    if (rule.force !== undefined && !isPercentage(rule)) return 'a namespace or filter of a value that is forced';
  }
  if (meta?.some(({ passthrough }) => passthrough === true) === true && !isHoldout(rule)) {
    return 'a variation that passes to the next rule';
  }
  if (range !== undefined && range[0] > 0) return 'a range that does not begin at 0';
  if (ranges?.some(([from], index) => from !== (ranges[index - 1]?.[1] ?? 0)) === true) return 'ranges with gaps';
  return hashVersion > 2 && coverage !== undefined ? 'a version of the hash that does not exist' : undefined;
}

/** Whether a forced value has one hash: a filter from 0, without a coverage. */
const isPercentage = ({ filters, namespace, coverage, range }: Rule): boolean =>
  namespace === undefined && coverage === undefined && range === undefined && filters?.[0]?.ranges[0]?.[0] === 0;

/** The condition on fields of the context. */
function inContext(condition: JsonObject, setting: Setting): JsonObject {
  return Object.fromEntries(
    Object.entries(condition).map(([name, operand]) => [
      name.startsWith('$') ? name : `context.${name}`,
      isObject(operand) && typeof operand['$inGroup'] === 'string'
        ? { $in: setting.savedGroups?.[operand['$inGroup']] ?? [] }
        : operand,
    ]),
  );
}
