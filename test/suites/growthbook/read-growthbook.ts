import { aFlag, aRule } from '../../../actors/flags/evaluate/testing-flag.ts';
import type { FlagDocument, FlagRule, FlagVariant } from '../../../core/vocabulary/documents/documents.ts';
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
  filters?: Json;
  namespace?: Json;
  meta?: { passthrough?: boolean }[];
  parentConditions?: { id: string; condition: { value?: Json }; gate?: boolean }[];
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
  return linesOf<Published>(new URL('cases.jsonl', import.meta.url)).map(([name, setting, key, { value }]) => ({
    name,
    flags: flagsOf(setting, key),
    context: setting.attributes ?? {},
    nowMs: 1,
    expected: value,
    // A flag with an unmet prerequisite has no value there.
    resultOf: (evaluation) =>
      evaluation.reason === 'flag_disabled' ? null : (JSON.parse(evaluation.value) satisfies Json),
  }));
}

function flagsOf(setting: Setting, key: string): FlagDocument[] | string {
  const features = setting.features ?? {};
  if (features[key] === undefined) return 'no such flag';
  if (setting.forcedVariations !== undefined) return 'variations forced by the caller';
  const made: FlagDocument[] = [];
  for (const each of [key, ...Object.keys(features).filter((other) => other !== key)]) {
    const flag = flagOf(each, features[each] ?? {}, setting, new Set(Object.keys(features)));
    if (typeof flag === 'string') return flag;
    made.push(flag);
  }
  const isCycle = made.some((flag) => flag.prerequisites.some((need) => need.flagKey === key));
  return isCycle ? 'a cycle of prerequisites, which is refused' : made;
}

function flagOf(
  key: string,
  { defaultValue = null, rules = [] }: Feature,
  setting: Setting,
  known: ReadonlySet<string>,
) {
  const variants: FlagVariant[] = [];
  const made: FlagRule[] = [];
  const prerequisites: FlagDocument['prerequisites'] = [];
  for (const [place, rule] of rules.entries()) {
    const fault = faultOf(rule);
    if (fault !== undefined) return fault;
    for (const { id, condition, gate } of rule.parentConditions ?? []) {
      if (gate !== true) return 'a prerequisite of one rule';
      if (isObject(condition.value ?? null)) return 'a prerequisite by an operator';
      if (!known.has(id)) return 'a prerequisite that does not exist, which is refused';
      if (prerequisites.some(({ flagKey }) => flagKey === id)) return 'two prerequisites on one flag';
      prerequisites.push({ flagKey: id, value: condition.value ?? null });
    }
    // A gate, or a rule that does nothing.
    if (rule.force === undefined && rule.variations === undefined) continue;
    const common = {
      ...(rule.condition === undefined ? {} : { conditions: inContext(rule.condition, setting) }),
      salt: rule.seed ?? rule.key ?? key,
      bucketBy: `attribute:${rule.hashAttribute ?? 'id'}`,
    } as const;
    if (rule.force !== undefined) {
      const { range, coverage = 1, force } = rule;
      const share = range === undefined ? coverage : range[1];
      const isWhole = range === undefined && rule.coverage === undefined;
      const { bucketBy: _by, salt: _salt, ...plain } = common;
      made.push(aRule({ ...(isWhole ? plain : common), percentage: share * 100, serve: { value: force } }));
      continue;
    }
    const values = rule.variations ?? [];
    const weights = rule.ranges?.map(([from, to]) => to - from) ?? rule.weights ?? values.map(() => 1 / values.length);
    const keys = values.map((value, index) => {
      variants.push({ key: `${place}-${index}`, value, weight: 0 });
      return { key: `${place}-${index}`, weight: weights[index] ?? 0 };
    });
    made.push(aRule({ ...common, percentage: (rule.coverage ?? 1) * 100, serve: { weights: keys } }));
  }
  // A flag has a variant with a weight here, although no rule serves it.
  const some = [...variants, { key: 'none', value: null, weight: 1 }];
  return aFlag({ key, flagType: 'json', defaultValue, variants: some, rules: made, prerequisites, salt: key });
}

function faultOf({ filters, namespace, meta, range, ranges, hashVersion = 1, coverage }: Rule): string | undefined {
  if (filters !== undefined || namespace !== undefined) return 'a namespace or filter: a second hash of one rule';
  if (meta?.some(({ passthrough }) => passthrough === true) === true) return 'a variation that passes to the next rule';
  if (range !== undefined && range[0] > 0) return 'a range that does not begin at 0';
  if (ranges?.some(([from], place) => from !== (ranges[place - 1]?.[1] ?? 0)) === true) return 'ranges with gaps';
  return hashVersion > 2 && coverage !== undefined ? 'a version of the hash that does not exist' : undefined;
}

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
