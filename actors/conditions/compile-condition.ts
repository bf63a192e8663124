import type { FieldFault } from '../../core/kernel/errors.ts';
import { below, isObject, type Json, type JsonObject } from '../../core/kernel/text/json.ts';
import { CONDITION_LIMITS } from './limits.ts';
import { VALIDATION_LIMITS } from '../../core/kernel/validation/limits.ts';
import type { Condition, Subject } from '../decision/targeting.ts';
import { createConditionCost, type ConditionCost } from './check/condition-cost.ts';
import { createFaults, type Faults } from './check/faults.ts';
import { nearMiss } from './check/near-misses.ts';
import { elementField, filterField, subjectField, type FieldLookup, type SubjectFields } from './fields.ts';
import { incompleteFaults } from './check/incomplete.ts';
import { lengthFault, sizeFault } from './check/size-faults.ts';
import { type ConditionExplanation, explainedBy, type Part } from './explain-condition.ts';
import { every, not, some, type Test } from './logic.ts';
import { MEMBER_NAMES, type MemberLookup, subjectMember } from './members.ts';
import { equal, OPERATORS } from './operators.ts';
import { isExhausted, isolated, withinBudget } from './steps.ts';
import { earliest, timeChange, type TimeChange } from './time-changes.ts';
import type { Predicate } from './values.ts';

/**
 * Paths are JSON pointers below the condition. `refusals`: why a new definition must not have the condition, although
 * it can be evaluated: it is unfinished, too expensive, or means something else than its author thinks.
 */
export type CompiledCondition =
  | {
      kind: 'compiled';
      condition: Condition;
      refusals: readonly FieldFault[];
      /** Whether it reads memberships or devices, which a state has only as a whole (`conditionsState`). */
      readsWhole: boolean;
      explain(subject: Subject): ConditionExplanation;
    }
  | { kind: 'invalid'; faults: FieldFault[] };

/**
 * Compiles a condition of GrowthBook's SDK specification 0.8 (a MongoDB-like language) to closures. Names, paths,
 * operators and operands are read once, here; evaluation only calls closures. Segments replace saved groups.
 *
 * Differences from GrowthBook's JavaScript: equality is strict and deep, as the specification says (the JavaScript
 * converts types); `$gt`, `$gte`, `$lt` and `$lte` are false for arrays and objects; `$regex` uses RE2 syntax.
 * `$inSegment` and `$bucket` (`members.ts`) are our own.
 * @param conditions the parsed definition
 * @param options `context`: allows `context.<path>`, for flag rules; `properties`: allows `properties.<path>`, for
 * campaign triggers; `lookup`: finds the definitions that it names, at every evaluation; `onOverBudget`: called when an
 * evaluation exceeds its steps; the condition is then false
 * @returns the condition, or its faults, at most `reportedFaults`, each with a JSON Pointer below the definition
 */
export function compileCondition(conditions: JsonObject, options: ConditionOptions = {}): CompiledCondition {
  const oversize = sizeFault(conditions);
  if (oversize !== undefined) return { kind: 'invalid', faults: [oversize] };
  const compilation: Compilation = { faults: createFaults(), changes: [], cost: createConditionCost() };
  const parts: Part<Subject>[] = [];
  const needs: Test<Subject>[] = [];
  const fields: Fields<Subject> = {
    parts,
    needs,
    find: (name, operand) => subjectField(name, operand, options),
    member: (name, operand) => subjectMember(name, operand, options.lookup),
  };
  const tests = compileTests(conditions, '', fields, compilation);
  if (compilation.faults.list.length > 0) return { kind: 'invalid', faults: compilation.faults.list };
  const { excess } = compilation.cost;
  const changesAt = earliest(compilation.changes);
  const onOver = options.onOverBudget ?? (() => {});
  const condition: Condition = {
    matches: withinBudget(tests, compilation.cost, onOver),
    // `matches` paid for this pass over the counters, unless the meter was exhausted.
    changesAt:
      compilation.cost.counts === 0
        ? changesAt
        : (player, nowMs) => (isExhausted() ? undefined : changesAt(player, nowMs)),
  };
  const costly = excess ?? nearMiss(conditions);
  const refusals = [...(costly === undefined ? [] : [costly]), ...incompleteFaults(conditions)];
  const explain = explainedBy(condition, parts);
  return {
    kind: 'compiled',
    condition,
    refusals: refusals.slice(0, VALIDATION_LIMITS.reportedFaults),
    readsWhole: needs.length > 0,
    explain,
  };
}

export interface ConditionOptions extends SubjectFields {
  onOverBudget?: (() => void) | undefined;
}

/** A filter of events, compiled. Its result depends on the event alone. */
export type CompiledFilter =
  | { kind: 'compiled'; matches: (properties: JsonObject) => boolean }
  | { kind: 'invalid'; faults: FieldFault[] };

/** Compiles a condition on the properties of an event. */
export function compileFilter(where: JsonObject): CompiledFilter {
  const oversize = sizeFault(where) ?? lengthFault(where);
  if (oversize !== undefined) return { kind: 'invalid', faults: [oversize] };
  const faults = createFaults();
  const test = filterTest(where, '', faults);
  if (faults.list.length > 0) return { kind: 'invalid', faults: faults.list };
  return { kind: 'compiled', matches: (properties) => isolated(CONDITION_LIMITS.filterSteps, () => test(properties)) };
}

/** A filter runs for every event of its name, so only cheap operators are allowed. */
function filterTest(where: JsonObject, path: string, faults: Faults): Test<JsonObject> {
  const cost = createConditionCost();
  const test = compileGroup(where, path, { find: filterField }, { faults, changes: [], cost });
  if (cost.isExpensive) {
    faults.add(path, 'uses a regular expression, $elemMatch, $all or $alli; a filter of events allows none of them');
  } else if (cost.plain > CONDITION_LIMITS.filterPlainSteps) {
    faults.add(
      path,
      `takes ${cost.plain} steps; the maximum for a filter of events is ${CONDITION_LIMITS.filterPlainSteps}`,
    );
  }
  return test;
}

interface Compilation {
  faults: Faults;
  /** The times at which the compiled fields may change without an event. */
  changes: TimeChange[];
  cost: ConditionCost;
}

interface Fields<Source> {
  find: FieldLookup<Source>;
  /** Finds the members that are no fields. Absent: there are none. */
  member?: MemberLookup<Source>;
  /** Receives what must be known of a source so that a negation of these members may hold. */
  needs?: Test<Source>[];
  /** Receives the members, for the explanation. */
  parts?: Part<Source>[];
}

/** Compiles an object of fields and logical operators. All members must hold; an empty object holds. */
function compileGroup<Source>(
  group: JsonObject,
  path: string,
  fields: Fields<Source>,
  compilation: Compilation,
): Test<Source> {
  return every(compileTests(group, path, fields, compilation));
}

function compileTests<Source>(
  group: JsonObject,
  path: string,
  fields: Fields<Source>,
  compilation: Compilation,
): Test<Source>[] {
  const compileOne = (operand: Json, at: string): Test<Source> => {
    if (isObject(operand)) return compileGroup(operand, at, fields, compilation);
    compilation.faults.add(at, 'must be a condition: an object of fields and operators');
    return () => false;
  };
  const compileList = (operand: Json, at: string): Test<Source>[] => {
    if (Array.isArray(operand)) return operand.map((item, index) => compileOne(item, below(at, index)));
    compilation.faults.add(at, 'must be an array of conditions');
    return [];
  };
  /** Incomplete input never widens an audience: it meets no member, and no negation of it. */
  const negated = (compile: () => Test<Source>): Test<Source> => {
    const { needs = [] } = fields;
    const before = needs.length;
    const test = compile();
    return every([...needs.slice(before), not(test)]);
  };
  const compileMember = (name: string, operand: Json, at: string): Compiled<Source> => {
    if (name.startsWith('$')) compilation.cost.addTest(null);
    switch (name) {
      case '$and':
        return { test: every(compileList(operand, at)) };
      case '$or':
        return { test: some(compileList(operand, at)) };
      case '$nor':
        return { test: negated(() => some(compileList(operand, at))) };
      case '$not':
        return { test: negated(() => compileOne(operand, at)) };
      default: {
        const member = fields.member?.(name, operand);
        if (member === undefined) return compileField(name, operand, at, fields.find, compilation);
        return compileSubjectMember(member, at, fields, compilation);
      }
    }
  };
  return Object.entries(group).map(([name, operand]): Test<Source> => {
    const part: Part<Source> = { path: below(path, name), name, test: () => false };
    if (fields.parts !== undefined && fields.parts.length < CONDITION_LIMITS.explainedTests) fields.parts.push(part);
    return Object.assign(part, compileMember(name, operand, part.path)).test;
  });
}

type Compiled<Source> = Pick<Part<Source>, 'test' | 'read'>;

function compileSubjectMember<Source>(
  member: NonNullable<ReturnType<MemberLookup<Source>>>,
  path: string,
  { needs }: Fields<Source>,
  { faults, cost }: Compilation,
): Compiled<Source> {
  if ('faults' in member) {
    for (const { at, fault } of member.faults) faults.add(at === undefined ? path : below(path, at), fault);
    return { test: () => false };
  }
  cost.addSteps(member.steps);
  if (member.isKnown !== undefined) needs?.push(member.isKnown);
  return { test: member.test, read: member.read };
}

function compileField<Source>(
  name: string,
  operand: Json,
  path: string,
  find: FieldLookup<Source>,
  compilation: Compilation,
): Compiled<Source> {
  const field = name.startsWith('$') ? { fault: NO_FIELD_OPERATOR } : find(name, operand);
  if ('fault' in field) {
    compilation.faults.add(field.at === undefined ? path : below(path, field.at), field.fault);
    return { test: () => false };
  }
  const { read, clock, missing, counts, compared, filter, meant } = field;
  compilation.cost.addPath(name);
  if (counts === true) compilation.cost.addCount();
  if (filter !== undefined) filterTest(filter.where, below(path, filter.name), compilation.faults);
  const predicate =
    compared === undefined
      ? compileValue(meant?.(operand) ?? operand, path, missing, compilation)
      : compileValue(compared.operand, below(path, compared.name), missing, compilation);
  const change = clock === undefined ? undefined : timeChange(clock, operand);
  if (change !== undefined) compilation.changes.push(change);
  return { read, test: (source) => predicate(read(source)) };
}

const NO_FIELD_OPERATOR =
  `must be $and, $or, $nor, $not, ${MEMBER_NAMES.join(', ')} (on players) or the name of a field; ` +
  'put other operators inside a field';

/** Compiles a condition on one value: an object of operators, which must all hold, or the value it must equal. */
function compileValue(operand: Json, path: string, missing: number, compilation: Compilation): Predicate {
  const names = isObject(operand) ? Object.keys(operand) : [];
  const operators = names.filter((name) => name.startsWith('$'));
  if (!isObject(operand) || operators.length === 0) {
    compilation.cost.addTest(operand);
    return equal(operand);
  }
  if (operators.length < names.length) {
    compilation.faults.add(path, 'mixes operators with other keys; to compare with an object, use $eq');
  }
  const site = {
    missing,
    faults: compilation.faults,
    cost: compilation.cost,
    value: (inner: Json, at: string, innerMissing: number) => compileValue(inner, at, innerMissing, compilation),
    element: (inner: JsonObject, at: string) => compileGroup(inner, at, { find: elementField }, compilation),
  };
  return every(
    operators.map((name): Predicate => {
      const at = below(path, name);
      const operator = OPERATORS.get(name);
      compilation.cost.addTest(COMPARING.has(name) ? (operand[name] ?? null) : null);
      if (operator !== undefined) return operator(operand[name] ?? null, { ...site, path: at });
      compilation.faults.add(at, `is an unknown operator; use one of ${[...OPERATORS.keys()].join(', ')}`);
      return () => false;
    }),
  );
}

/** Operators whose cost grows with their operand. The others use a hash look-up or add their own cost. */
const COMPARING: ReadonlySet<string> = new Set([
  '$inCidr',
  '$before',
  '$after',
  '$eq',
  '$ne',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$veq',
  '$vne',
  '$alli',
]);
