import { expect, it } from 'vitest';
import { notComparedTexts } from './left-out.ts';

it('says of each kind of players why they are not compared, and counts each player for one reason', () => {
  const counts = { excluded_players: 47, left_out_earlier: 40, ineligible_players: 3, mismatched_players: 5 };
  expect(notComparedTexts(counts)).toEqual([
    '7 players are left out: they got two variants.',
    '40 players are left out: they took part before this period, when an edit gave players other variants.',
    '3 exposed players do not take part: nothing was drawn for them, so the flag gives them one value only.',
    '5 players reported a variant other than the one served.',
  ]);
  const edited = { ...counts, excluded_players: 40, mismatched_players: 0, ineligible_players: 0 };
  expect(notComparedTexts(edited)).toHaveLength(1);
});
