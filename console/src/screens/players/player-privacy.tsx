import { Alert, Button, Card, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, ApiError, call, type Scope } from '../../frame/api.ts';
import { Confirm } from '../../parts/editors/confirm.tsx';
import { Facts } from '../../parts/lists/facts.tsx';
import { Fault } from '../../parts/states.tsx';
import { number, Time } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { exportPlayer } from './export-player.ts';

const texts = TEXTS.privacy;
type Player = AnswerOf<'GET /v1/players/players/{id}'>;
const POLL_MS = 1_000;

/** Export and erasure of a player. */
export function PlayerPrivacy({ player }: { player: Player }) {
  const { isAdmin } = usePlace();
  if (!isAdmin) return <Text>{texts.onlyAdmins}</Text>;
  return (
    <Stack>
      <Export player={player} />
      <Erase player={player} />
    </Stack>
  );
}

function Export({ player }: { player: Player }) {
  const { scope } = usePlace();
  const [rows, setRows] = useState(0);
  const run = useMutation({ mutationFn: () => exportPlayer(scope, player.id, player.external_id, setRows) });
  return (
    <Card withBorder>
      <Stack align="flex-start">
        <Title order={2} size="h5">
          {texts.exportTitle}
        </Title>
        <Text>{texts.exportHelp}</Text>
        <Button onClick={() => run.mutate()} loading={run.isPending}>
          {texts.export}
        </Button>
        <div role="status">
          {run.isPending ? texts.exporting(number(rows)) : null}
          {run.isSuccess ? texts.exported(number(rows)) : null}
        </div>
        {run.error === null ? null : <Fault error={run.error} />}
      </Stack>
    </Card>
  );
}

function Erase({ player }: { player: Player }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const erase = useMutation({
    mutationFn: () => call(scope, 'DELETE /v1/players/players/{id}', { path: { id: player.id } }),
    async onSuccess(receipt) {
      queries.setQueryData(receiptKey(scope, player.id), receipt);
      setAsking(false);
      await queries.invalidateQueries({ queryKey: ['player', scope.game, scope.environment, player.id] });
    },
  });
  return (
    <Card withBorder>
      <Stack align="flex-start">
        <Title order={2} size="h5">
          {texts.eraseTitle}
        </Title>
        <Text>{texts.eraseHelp}</Text>
        <Button color="red" onClick={() => setAsking(true)}>
          {texts.erase}
        </Button>
      </Stack>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={texts.confirm(player.external_id)}
        action={texts.erase}
        onConfirm={() => erase.mutate()}
        busy={erase.isPending}
        error={erase.error}
        disabled={typed !== player.external_id}
        isDangerous
      >
        <Text>{texts.eraseHelp}</Text>
        <Text className="mono">{player.external_id}</Text>
        <TextInput
          label={texts.type}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </Confirm>
    </Card>
  );
}

function receiptKey({ game, environment }: Scope, playerId: string): string[] {
  return ['receipt', game, environment, playerId];
}

/** The receipt of an erasure, until it is done. */
export function Receipt({ playerId }: { playerId: string }) {
  const { scope } = usePlace();
  const receipt = useQuery({
    queryKey: receiptKey(scope, playerId),
    queryFn: ({ signal }) => call(scope, 'GET /v1/players/players/{id}/erasure', { path: { id: playerId }, signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? POLL_MS : false),
  });
  const { data, error } = receipt;
  if (data === undefined) {
    if (error === null) return null;
    return error instanceof ApiError && error.status === 404 ? <Text>{texts.none}</Text> : <Fault error={error} />;
  }
  const isDone = data.status === 'done';
  return (
    <Alert color={isDone ? 'green' : 'yellow'} variant="outline" title={texts.receipt} role="status">
      <Text fw={600}>{isDone ? texts.done(number(data.rows_deleted ?? 0)) : texts.pending}</Text>
      <Facts
        items={[
          [
            TEXTS.player.playerId,
            <span key="id" className="mono">
              {data.player_id}
            </span>,
          ],
          [texts.erasedAt, <Time key="at" at={data.erased_at} />],
        ]}
      />
      <Text size="sm">{texts.retention(data.log_retention_days)}</Text>
    </Alert>
  );
}
