import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { ConditionCost } from './condition-cost.ts';
import { below, type Faults } from './faults.ts';
import { compileRegex, matchSteps } from './regex.ts';
import { spend } from './steps.ts';
import { isEqual, isObject, isScalar, numberOf, SHORT_TEXT, type Predicate, type Scalar } from './values.ts';
import { sortableVersion } from './version.ts';

/** Where an operator stands in a definition, and what it needs of the compiler for what stands inside it. */
export interface Site {
  path: string;
  faults: Faults;
  cost: ConditionCost;
  /** What a missing value counts as in an order. */
  missing: number;
  /** Compiles a condition on a value: operators, or what it must equal. */
  value(operand: Json, path: string, missing: number): Predicate;
  /** Compiles a condition on the fields of an array's element. */
  element(operand: JsonObject, path: string): Predicate;
}

/** Makes the predicate of one operand. A bad operand is noted in the site's faults. */
type Operator = (operand: Json, site: Site) => Predicate;

/**
 * The operators on a value (GrowthBook's SDK specification 0.8). A missing value is null: it equals null, is in no list,
 * and is 0 in an order.
 */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['$eq', (operand) => equal(operand)],
  ['$ne', (operand) => not(equal(operand))],
  [
    '$gt',
    ordered(
      (a, b) => a > b,
      (a, b) => a > b,
    ),
  ],
  [
    '$gte',
    ordered(
      (a, b) => a >= b,
      (a, b) => a >= b,
    ),
  ],
  [
    '$lt',
    ordered(
      (a, b) => a < b,
      (a, b) => a < b,
    ),
  ],
  [
    '$lte',
    ordered(
      (a, b) => a <= b,
      (a, b) => a <= b,
    ),
  ],
  ['$veq', version((a, b) => a === b)],
  ['$vne', version((a, b) => a !== b)],
  ['$vgt', version((a, b) => a > b)],
  ['$vgte', version((a, b) => a >= b)],
  ['$vlt', version((a, b) => a < b)],
  ['$vlte', version((a, b) => a <= b)],
  ['$in', within(same)],
  ['$nin', negated(within(same))],
  ['$ini', within(folded)],
  ['$nini', negated(within(folded))],
  ['$all', allOf((operand, site) => site.value(operand, site.path, 0))],
  [
    '$alli',
    allOf((operand, site) => (typeof operand === 'string' ? foldedEqual(operand) : site.value(operand, site.path, 0))),
  ],
  ['$exists', exists],
  ['$type', type],
  ['$size', size],
  ['$not', (operand, site) => not(site.value(operand, site.path, site.missing))],
  ['$elemMatch', elemMatch],
  ['$regex', regex(false)],
  ['$regexi', regex(true)],
  ['$notRegex', negated(regex(false))],
  ['$notRegexi', negated(regex(true))],
]);

const never: Predicate = () => false;

/** What a value must equal; text, numbers and the like without the walk through objects. */
export function equal(operand: Json): Predicate {
  return isScalar(operand) ? (value) => value === operand : (value) => isEqual(value, operand);
}

function not(predicate: Predicate): Predicate {
  return (value) => !predicate(value);
}

function negated(operator: Operator): Operator {
  return (operand, site) => not(operator(operand, site));
}

function bad(site: Site, message: string): Predicate {
  site.faults.add(site.path, message);
  return never;
}

/** Text is compared with text, in the order of UTF-16 code units; everything else as numbers. */
function ordered(numbers: (a: number, b: number) => boolean, texts: (a: string, b: string) => boolean): Operator {
  return (operand, site) => {
    const { missing } = site;
    if (typeof operand === 'number') {
      return (value) => numbers(typeof value === 'number' ? value : numberOf(value, missing), operand);
    }
    if (typeof operand !== 'string') return bad(site, 'must be a number or text');
    const number = Number(operand);
    return (value) => (typeof value === 'string' ? texts(value, operand) : numbers(numberOf(value, missing), number));
  };
}

function version(compare: (a: string, b: string) => boolean): Operator {
  return (operand, site) => {
    if (typeof operand !== 'string' && typeof operand !== 'number') return bad(site, 'must be a version as text');
    const expected = sortableVersion(operand);
    return (value) => {
      if (typeof value === 'string' && value.length > SHORT_TEXT && !spend(value.length * VERSION_STEPS)) return false;
      return compare(sortableVersion(value), expected);
    };
  };
}

/** A version of 8,000 characters and as many parts takes 1.8 ms. */
const VERSION_STEPS = 22;

/** In the list, or for an array: one of its elements is. */
function within(fold: (value: Scalar) => Scalar): Operator {
  return (operand, site) => {
    if (!Array.isArray(operand)) return bad(site, 'must be a list');
    const list = new Set<Scalar>();
    operand.forEach((item, place) => {
      if (isScalar(item)) list.add(fold(item));
      else site.faults.add(below(site.path, place), 'must be text, a number, a boolean or null');
    });
    const listed: Predicate = (value) => {
      if (typeof value === 'string' && value.length > SHORT_TEXT && !spend(value.length)) return false;
      return isScalar(value) && list.has(fold(value));
    };
    return (value) => {
      if (!Array.isArray(value)) return listed(value);
      return spend(value.length * LISTED_STEPS) && value.some(listed);
    };
  };
}

/** Looking an element up takes 26 ns, and 80 ns in lower case. */
const LISTED_STEPS = 8;

function same(value: Scalar): Scalar {
  return value;
}

function folded(value: Scalar): Scalar {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

function foldedEqual(operand: string): Predicate {
  const expected = operand.toLowerCase();
  return (value) => {
    if (typeof value !== 'string') return false;
    if (value.length > SHORT_TEXT && !spend(value.length)) return false;
    return value.toLowerCase() === expected;
  };
}

/** An array in which each listed condition holds for some element. */
function allOf(compile: Operator): Operator {
  return (operand, site) => {
    if (!Array.isArray(operand)) return bad(site, 'must be a list');
    const { made: wanted, steps } = site.cost.repeated(() =>
      operand.map((item, place) => compile(item, { ...site, path: below(site.path, place) })),
    );
    return (value) =>
      Array.isArray(value) && spend(value.length * steps) && wanted.every((predicate) => value.some(predicate));
  };
}

function exists(operand: Json, site: Site): Predicate {
  if (typeof operand !== 'boolean') return bad(site, 'must be true or false');
  return (value) => (value !== null) === operand;
}

function type(operand: Json, site: Site): Predicate {
  const test = typeof operand === 'string' ? TYPES.get(operand) : undefined;
  return test ?? bad(site, `must be one of ${[...TYPES.keys()].join(', ')}; what is missing is null`);
}

const TYPES: ReadonlyMap<string, Predicate> = new Map<string, Predicate>([
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => typeof value === 'number'],
  ['boolean', (value) => typeof value === 'boolean'],
  ['array', (value) => Array.isArray(value)],
  ['object', (value) => isObject(value)],
  ['null', (value) => value === null],
]);

function size(operand: Json, site: Site): Predicate {
  if (typeof operand !== 'number' && !isObject(operand)) return bad(site, 'must be a number or operators on one');
  const length = site.value(operand, site.path, 0);
  return (value) => Array.isArray(value) && length(value.length);
}

/** Some element of an array meets the operators on it, or a condition on its fields. */
function elemMatch(operand: Json, site: Site): Predicate {
  if (!isObject(operand)) return bad(site, 'must be operators or a condition on the fields of an element');
  const keys = Object.keys(operand);
  const onValue = keys.length > 0 && keys.every((key) => key.startsWith('$'));
  const { made: element, steps } = site.cost.repeated(() =>
    onValue ? site.value(operand, site.path, 0) : site.element(operand, site.path),
  );
  return (value) => Array.isArray(value) && spend(value.length * steps) && value.some(element);
}

/** Characters of a number's digits, at most. */
const NUMBER_LENGTH = 25;

function regex(ignoreCase: boolean): Operator {
  return (operand, site) => {
    if (typeof operand !== 'string') return bad(site, 'must be a regular expression as text');
    const compiled = compileRegex(operand, ignoreCase);
    if (compiled.kind === 'invalid') return bad(site, compiled.message);
    const { matches } = compiled;
    site.cost.addText((length) => matchSteps(compiled, length), site.path);
    return (value) => {
      if (typeof value === 'number') return spend(matchSteps(compiled, NUMBER_LENGTH)) && matches(value);
      if (typeof value !== 'string' || value.length > LIMITS.regexTextLength) return false;
      return spend(matchSteps(compiled, value.length)) && matches(value);
    };
  };
}
