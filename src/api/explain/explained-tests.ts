import { Type } from 'typebox';
import type { ExplainedTest } from '../../../actors/conditions/explain-condition.ts';
import { CONDITION_LIMITS } from '../../../actors/conditions/limits.ts';

/** The members of a condition with their results. */
export const ExplainedTests = Type.Array(
  Type.Object(
    {
      path: Type.String({ description: 'JSON Pointer into the condition.' }),
      name: Type.String({ description: 'The field, or `$and`, `$or`, `$nor` or `$not`.' }),
      holds: Type.Boolean({ description: 'Whether this member holds.' }),
      value: Type.Optional(
        Type.Unknown({
          description:
            'Value of the field, null if it is missing. Left out for `$and` and the like, and if it has more than ' +
            `${CONDITION_LIMITS.explainedValueLength} characters.`,
        }),
      ),
    },
    { description: 'A member of the condition.' },
  ),
  { description: `Each member of the condition, nested ones too; at most ${CONDITION_LIMITS.explainedTests}.` },
);

export function testsJson(tests: readonly ExplainedTest[]) {
  return tests.map(({ path, name, holds, value }) => ({
    path,
    name,
    holds,
    ...(value === undefined ? {} : { value }),
  }));
}
