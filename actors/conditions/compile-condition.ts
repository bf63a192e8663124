import type { FieldFault } from '../../src/kernel/errors.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { CompiledCondition, Condition, Subject } from '../targeting.ts';
import { createConditionCost, type ConditionCost } from './condition-cost.ts';
import { below, createFaults, type Faults } from './faults.ts';
import { elementField, subjectField, type FieldLookup } from './fields.ts';
import { equal, OPERATORS } from './operators.ts';
import { isExhausted, withinBudget } from './steps.ts';
import { earliest, timeChange, type TimeChange } from './time-changes.ts';
import { isObject, type Predicate } from './values.ts';

/**
 * Compiles a condition of GrowthBook's SDK specification 0.8 (a MongoDB-like language) to closures: names, paths, operators
 * and operands are read once, here, and a question walks closures only. Without saved groups: there are segments for that.
 *
 * Beside the specification: an equality is strict and deep, as its text says (its JavaScript turns values into the type
 * asked for); arrays and objects are in no order; `$regex` is RE2's language.
 * @param conditions the definition, parsed
 * @param options `context`: the rule of a flag, which sees the request's context too; `properties`: the trigger of a
 * campaign, which sees the event's properties; `onOverBudget`: called when the condition exceeds its steps, and so is false
 * @returns the condition, or every fault up to `LIMITS.reportedFaults` with its JSON Pointer below the definition
 */
export function compileCondition(conditions: JsonObject, options: ConditionOptions = {}): CompiledCondition {
  const oversize = sizeFault(conditions);
  if (oversize !== undefined) return { kind: 'invalid', faults: [oversize] };
  const compilation: Compilation = { faults: createFaults(), changes: [], cost: createConditionCost() };
  const lookup: FieldLookup<Subject> = (name) => subjectField(name, options);
  const tests = compileTests(conditions, '', lookup, compilation);
  if (compilation.faults.list.length > 0) return { kind: 'invalid', faults: compilation.faults.list };
  const { excess } = compilation.cost;
  const changesAt = earliest(compilation.changes);
  const onOver = options.onOverBudget ?? (() => {});
  const condition: Condition = {
    matches: withinBudget(tests, compilation.cost, onOver),
    // Going through the counters was paid for, unless nothing was left.
    changesAt:
      compilation.cost.counts === 0
        ? changesAt
        : (player, nowMs) => (isExhausted() ? undefined : changesAt(player, nowMs)),
  };
  return { kind: 'compiled', condition, excess };
}

export interface ConditionOptions {
  context?: boolean;
  properties?: boolean;
  onOverBudget?: (() => void) | undefined;
}

interface Compilation {
  faults: Faults;
  /** When what was compiled so far may turn by time alone. */
  changes: TimeChange[];
  cost: ConditionCost;
}

type Test<Source> = (source: Source) => boolean;

/** Conditions by the name of a field, and `$and`, `$or`, `$nor`, `$not` of such. All must hold; none is true. */
function compileGroup<Source>(
  group: JsonObject,
  path: string,
  lookup: FieldLookup<Source>,
  compilation: Compilation,
): Test<Source> {
  return every(compileTests(group, path, lookup, compilation));
}

function compileTests<Source>(
  group: JsonObject,
  path: string,
  lookup: FieldLookup<Source>,
  compilation: Compilation,
): Test<Source>[] {
  const one = (operand: Json, at: string): Test<Source> => {
    if (isObject(operand)) return compileGroup(operand, at, lookup, compilation);
    compilation.faults.add(at, 'must be a condition, which is an object');
    return () => false;
  };
  const list = (operand: Json, at: string): Test<Source>[] => {
    if (Array.isArray(operand)) return operand.map((item, place) => one(item, below(at, place)));
    compilation.faults.add(at, 'must be a list of conditions');
    return [];
  };
  return Object.entries(group).map(([name, operand]): Test<Source> => {
    const at = below(path, name);
    if (name.startsWith('$')) compilation.cost.addTest(null);
    switch (name) {
      case '$and':
        return every(list(operand, at));
      case '$or':
        return some(list(operand, at));
      case '$nor':
        return not(some(list(operand, at)));
      case '$not':
        return not(one(operand, at));
      default:
        return compileField(name, operand, at, lookup, compilation);
    }
  });
}

function compileField<Source>(
  name: string,
  operand: Json,
  path: string,
  lookup: FieldLookup<Source>,
  compilation: Compilation,
): Test<Source> {
  const field = name.startsWith('$') ? { fault: 'unknown operator, or not one that stands here' } : lookup(name);
  if ('fault' in field) {
    compilation.faults.add(path, field.fault);
    return () => false;
  }
  const { read, clock, missing, counts } = field;
  compilation.cost.addPath(name);
  if (counts === true) compilation.cost.addCount();
  const predicate = compileValue(operand, path, missing, compilation);
  const change = clock === undefined ? undefined : timeChange(clock, operand);
  if (change !== undefined) compilation.changes.push(change);
  return (source) => predicate(read(source));
}

/** A condition on one value: an object of operators, which must all hold, or what the value must equal. */
function compileValue(operand: Json, path: string, missing: number, compilation: Compilation): Predicate {
  const names = isObject(operand) ? Object.keys(operand) : [];
  const operators = names.filter((name) => name.startsWith('$'));
  if (!isObject(operand) || operators.length === 0) {
    compilation.cost.addTest(operand);
    return equal(operand);
  }
  if (operators.length < names.length) {
    compilation.faults.add(path, 'mixes operators with other names; to compare with an object use $eq');
  }
  const site = {
    missing,
    faults: compilation.faults,
    cost: compilation.cost,
    value: (inner: Json, at: string, innerMissing: number) => compileValue(inner, at, innerMissing, compilation),
    element: (inner: JsonObject, at: string) => compileGroup(inner, at, elementField, compilation),
  };
  return every(
    operators.map((name): Predicate => {
      const at = below(path, name);
      const operator = OPERATORS.get(name);
      compilation.cost.addTest(COMPARING.has(name) ? (operand[name] ?? null) : null);
      if (operator !== undefined) return operator(operand[name] ?? null, { ...site, path: at });
      compilation.faults.add(at, `unknown operator; there are ${[...OPERATORS.keys()].join(' ')}`);
      return () => false;
    }),
  );
}

/** Operators that compare a value with the whole of their operand; others look it up, or add their own cost. */
const COMPARING: ReadonlySet<string> = new Set(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$veq', '$vne', '$alli']);

/** Spelled out for the usual one and two, where a loop would cost as much as the tests. */
function every<Source>(tests: readonly Test<Source>[]): Test<Source> {
  const [first, second, third] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (third === undefined) return (source) => first(source) && second(source);
  return (source) => {
    for (const test of tests) if (!test(source)) return false;
    return true;
  };
}

/** Of no tests: true, as the specification has it. */
function some<Source>(tests: readonly Test<Source>[]): Test<Source> {
  if (tests.length === 0) return () => true;
  return (source) => {
    for (const test of tests) if (test(source)) return true;
    return false;
  };
}

function not<Source>(test: Test<Source>): Test<Source> {
  return (source) => !test(source);
}

/** A definition that is nested too deep or holds too many values, looked at before anything walks it in earnest. */
function sizeFault(conditions: JsonObject): FieldFault | undefined {
  let left: number = LIMITS.conditionValues;
  const visit = (value: Json, path: string, depth: number): FieldFault | undefined => {
    if (--left < 0) return { path: '', message: `must hold at most ${LIMITS.conditionValues} values` };
    if (typeof value !== 'object' || value === null) return undefined;
    if (depth === LIMITS.conditionDepth) {
      return { path, message: `must be nested at most ${LIMITS.conditionDepth} deep` };
    }
    for (const [name, inner] of Object.entries(value)) {
      const fault = visit(inner, below(path, name), depth + 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return visit(conditions, '', 0);
}
