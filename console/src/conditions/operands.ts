/** How the value of an operator is edited. */
export type OperandForm = 'value' | 'number' | 'text' | 'list' | 'exists' | 'type' | 'json';

/** Every operator on a value, in the order of docs/conditions.md. */
export const OPERANDS = {
  $eq: 'value',
  $ne: 'value',
  $gt: 'value',
  $gte: 'value',
  $lt: 'value',
  $lte: 'value',
  $veq: 'text',
  $vne: 'text',
  $vgt: 'text',
  $vgte: 'text',
  $vlt: 'text',
  $vlte: 'text',
  $before: 'text',
  $after: 'text',
  $inCidr: 'list',
  $in: 'list',
  $nin: 'list',
  $ini: 'list',
  $nini: 'list',
  $all: 'list',
  $alli: 'list',
  $exists: 'exists',
  $type: 'type',
  $size: 'number',
  $not: 'json',
  $elemMatch: 'json',
  $regex: 'text',
  $regexi: 'text',
  $notRegex: 'text',
  $notRegexi: 'text',
} as const satisfies Readonly<Record<string, OperandForm>>;

export type Operator = keyof typeof OPERANDS;

export const OPERATORS: readonly Operator[] = Object.keys(OPERANDS).filter(isOperator);

export function isOperator(name: string): name is Operator {
  return Object.hasOwn(OPERANDS, name);
}

/** What `count` of a count of events may be compared with. */
export const COUNT_OPERATORS = ['$gte', '$lte', '$eq', '$ne', '$gt', '$lt'] as const satisfies readonly Operator[];

/** Operators that the filter of events refuses. */
export const NOT_IN_FILTERS: ReadonlySet<Operator> = new Set<Operator>([
  '$regex',
  '$regexi',
  '$notRegex',
  '$notRegexi',
  '$elemMatch',
  '$all',
  '$alli',
]);

export const TYPES = ['string', 'number', 'boolean', 'array', 'object', 'null'] as const;
