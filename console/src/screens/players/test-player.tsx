import { Badge } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type AnswerOf, call } from '../../frame/api.ts';
import { ConfirmButton } from '../../parts/editors/confirm-button.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.testPlayer;
type Player = AnswerOf<'GET /v1/players/players/{id}'>;

export function TestPlayerBadge() {
  return (
    <Badge color="yellow" variant="light" tt="none">
      {texts.badge}
    </Badge>
  );
}

/** Marks a player as a test player, or unmarks it; editors may. */
export function TestPlayerSwitch({ player }: { player: Player }) {
  const { scope, mayEdit } = usePlace();
  const { game, environment } = scope;
  const queries = useQueryClient();
  const isMarked = player.is_test_player;
  const turn = useMutation({
    mutationFn: () =>
      call(scope, 'PATCH /v1/players/players/{id}', { path: { id: player.id }, body: { is_test_player: !isMarked } }),
    async onSuccess(changed) {
      queries.setQueryData(['player', game, environment, player.id], (before: Player | undefined) => ({
        ...before,
        ...changed,
      }));
      await queries.invalidateQueries({ queryKey: ['players', game, environment] });
    },
  });
  if (!mayEdit) return null;
  return (
    <ConfirmButton
      action={isMarked ? texts.unmark : texts.mark}
      title={TEXTS.player.title(player.external_id)}
      busy={turn.isPending}
      error={turn.error}
      onConfirm={(close) => turn.mutate(undefined, { onSuccess: close })}
      onClose={() => turn.reset()}
    >
      {isMarked ? texts.unmarkHelp : texts.markHelp}
    </ConfirmButton>
  );
}
