import type { AnswerOf } from '../frame/api.ts';
import { number } from '../parts/lists/values.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.results;

type Counts = Pick<
  AnswerOf<'GET /v1/flags/flags/{key}/results'>,
  'excluded_players' | 'left_out_earlier' | 'mismatched_players' | 'ineligible_players'
>;

/** A sentence for each kind of exposed players that are not compared. Those left out earlier are among the excluded. */
export function notComparedTexts(counts: Counts): string[] {
  const { excluded_players: excluded, left_out_earlier: earlier, ineligible_players: ineligible } = counts;
  const found: readonly [players: number, text: (count: string) => string][] = [
    [excluded - earlier, texts.excluded],
    [earlier, texts.leftOutEarlier],
    [ineligible, texts.ineligible],
    [counts.mismatched_players, texts.mismatched],
  ];
  return found.filter(([players]) => players > 0).map(([players, text]) => text(number(players)));
}
