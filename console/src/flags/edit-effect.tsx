import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EDIT_EFFECTS } from '../../../core/vocabulary/edit-effects.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { call, type Scope } from '../frame/api.ts';
import { number } from '../parts/lists/values.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.flag.effect;

interface EditEffectProps {
  scope: Scope;
  flagKey: string;
  /** The fields to save. */
  body: JsonObject;
}

/** What an edit would do to the experiment of the flag, before it is saved. */
export function EditEffect({ scope, flagKey, body }: EditEffectProps) {
  const { data, error } = useQuery({
    queryKey: ['flag edit', scope.game, scope.environment, flagKey, body],
    queryFn: ({ signal }) =>
      call(scope, 'POST /v1/flags/flags/{key}/preview', { path: { key: flagKey }, body, signal }),
    staleTime: 5_000,
  });
  if (error !== null) return <Text c="red">{texts.failed}</Text>;
  if (data === undefined) return <Text c="dimmed">{texts.asking}</Text>;
  const { edit_effect: effect, period, left_out_players: players } = data;
  if (effect === 'none') return null;
  if (effect !== 'reassigns') return <Text role="status">{texts.of(EDIT_EFFECTS[effect])}</Text>;
  return (
    <Alert color="orange" variant="outline" role="status" title={texts.reassigns(period)}>
      <Text size="sm">{EDIT_EFFECTS[effect]}</Text>
      <Text size="sm" fw={600}>
        {players === null ? texts.unknown : texts.leftOut(number(players))}
      </Text>
    </Alert>
  );
}
