import { Type, type Static, type TSchema } from 'typebox';
import {
  FILTER_OPERATORS,
  FILTER_OPERATOR_NAMES,
  type FilterOperator,
} from '../../../../core/vocabulary/metrics/operators.ts';
import { QUESTION_LIMITS } from '../../../../clickhouse-schema/queries/questions/limits.ts';
import { API_LIMITS } from '../../limits.ts';

/* The conditions of an analytics query. Which fields a query takes is checked in filters.ts. */

export const field = (description: string) =>
  Type.String({ minLength: 1, maxLength: 'attribute:'.length + API_LIMITS.propertyPathLength, description });

const text = (description: string) =>
  Type.String({ minLength: 1, maxLength: QUESTION_LIMITS.questionValueLength, description });

/** The schema of what each kind of operator takes. */
const TAKEN = {
  texts: (description: string) =>
    Type.Array(
      Type.String({
        maxLength: QUESTION_LIMITS.questionValueLength,
        description: 'A value as text; empty: rows without one.',
      }),
      { minItems: 1, maxItems: QUESTION_LIMITS.questionValues, description },
    ),
  value: (description: string) =>
    Type.Union(
      [text('A text.'), Type.Number({ description: 'A number.' }), Type.Boolean({ description: 'A boolean.' })],
      {
        description,
      },
    ),
  number: (description: string) => Type.Number({ description }),
  text,
  true: (description: string) => Type.Unsafe<true>({ type: 'boolean', const: true, description }),
} as const satisfies Record<(typeof FILTER_OPERATORS)[FilterOperator]['takes'], (description: string) => TSchema>;

type Taken = {
  [O in FilterOperator]?: Static<ReturnType<(typeof TAKEN)[(typeof FILTER_OPERATORS)[O]['takes']]>>;
};

/** A condition of a valid body. */
export type Condition = { field: string } & Taken;

const operators: Record<string, TSchema> = {};
for (const name of FILTER_OPERATOR_NAMES) {
  const { takes, words } = FILTER_OPERATORS[name];
  operators[name] = Type.Optional(TAKEN[takes](words));
}

const condition = Type.Object(
  { field: field('The field, as for `by`.'), ...operators },
  {
    additionalProperties: false,
    minProperties: 2,
    description: 'A condition on one field: one operator or several, which must all hold.',
  },
);

export const Where = Type.Array(Type.Unsafe<Condition>(condition), {
  maxItems: QUESTION_LIMITS.questionFilters,
  description: 'Conditions that must all hold.',
});
