import { Type } from 'typebox';
import { integerOrNull, nullable, numberOrNull } from '../../input/fields.ts';
import type { ShownPlayers } from './compared-players.ts';

/* The fields of results that say which players are compared. */

/** What the results say of the players that are compared. */
export const COMPARED = {
  reason: Type.Union(
    [
      Type.Literal('nothing_drawn', {
        description:
          'Chance decided for none of the exposed players: no rule that was for them has a percentage between 0 and ' +
          '100, or only one variant has a weight.',
      }),
      Type.Null({ description: 'There are results.' }),
    ],
    { description: 'Why there is nothing to compare; null if there is.' },
  ),
  percentage: numberOrNull(
    'Boolean flag: the results are those of the players of whose kind this percentage gets `true`. null: none, or ' +
      'another flag.',
  ),
  percentages: Type.Array(
    Type.Object(
      {
        percentage: Type.Number({ description: 'Percentage of players of a kind who get `true`.' }),
        players: Type.Integer({ description: 'Number of players who count, exposed with this percentage first.' }),
      },
      { description: 'Players with the same chance of `true`.' },
    ),
    {
      description:
        'Boolean flag: the percentages that players had at their first exposure in the period. Players with different ' +
        'percentages are never mixed: select another one by `percentage`. Empty for other flags.',
    },
  ),
  split: integerOrNull(
    'Flag with variants: the results are those of the players of this split. null: none, or a boolean flag.',
  ),
  splits: Type.Array(
    Type.Object(
      {
        split: Type.Integer({
          description: "Number of the split, the `stratum` of tables: 10,000 is the flag's own weights.",
        }),
        weights: nullable(
          Type.Array(
            Type.Object(
              {
                variant_key: Type.String({ description: 'Key of the variant.' }),
                weight: numberOrNull('Its weight.'),
              },
              { description: 'The weight of a variant.' },
            ),
            { description: 'The weights. null: a rule of an earlier version had them.' },
          ),
        ),
        players: Type.Integer({ description: 'Number of players who count, who got their first variant by it.' }),
      },
      { description: 'Players with the same chance of each variant.' },
    ),
    {
      description:
        'Flag with variants: the splits by which players got their first variant in the period. Rules may have ' +
        'weights of their own. Different splits are never mixed: select another one by `split`. Empty for a boolean flag.',
    },
  ),
};

export function comparedJson({ reason, percentage, percentages, split, splits }: ShownPlayers) {
  const shown = splits.map(({ split: one, weights, players }) => ({
    split: one,
    weights: weights?.map(({ variantKey: variant_key, weight }) => ({ variant_key, weight })) ?? null,
    players,
  }));
  return { reason, percentage, percentages, split, splits: shown };
}

export const COMPARED_EXAMPLE = {
  reason: null,
  percentage: null,
  percentages: [],
  split: 10_000,
  splits: [
    {
      split: 10_000,
      weights: [
        { variant_key: 'control', weight: 50 },
        { variant_key: 'wide', weight: 50 },
      ],
      players: 2000,
    },
  ],
};
