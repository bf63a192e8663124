import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { call } from '../api.ts';
import { Confirm } from '../parts/confirm.tsx';
import { JsonValue } from '../parts/diff.tsx';
import { parseJson } from '../parts/json-text.ts';
import { playerIdOf } from '../parts/player-lookup.ts';
import { Loaded } from '../parts/states.tsx';
import { usePlace } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import type { Flag } from './definitions.ts';
import { ValueField } from './value-field.tsx';

const texts = TEXTS.overrides;

/** The override of one player: looked up, set and removed. The player is in the address. */
export function OverrideForm({ flag }: { flag: Flag }) {
  const { scope } = usePlace();
  const [params, setParams] = useSearchParams();
  const player = params.get('player') ?? '';
  const [typed, setTyped] = useState(player);
  const query = useQuery({
    queryKey: ['override', scope.game, scope.environment, flag.key, player],
    queryFn: async ({ signal }) => {
      const id = await playerIdOf(scope, player);
      const body = { player_id: id, flag_keys: [flag.key] };
      const { flags } = await call(scope, 'POST /v1/flags/flags/explain', { body, signal });
      return { id, evaluation: flags[0] };
    },
    enabled: player !== '',
    staleTime: 0,
  });
  return (
    <Stack>
      <Text c="dimmed">{texts.intro}</Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setParams((before) => {
            before.set('player', typed.trim());
            return before;
          });
        }}
      >
        <Group align="flex-end">
          <TextInput label={texts.player} value={typed} onChange={(event) => setTyped(event.currentTarget.value)} />
          <Button type="submit" disabled={typed.trim() === ''}>
            {texts.look}
          </Button>
        </Group>
      </form>
      {player === '' ? null : (
        <Loaded query={query} rows={2}>
          {({ id, evaluation }) => (
            <PlayerOverride
              key={id}
              flag={flag}
              player={{ id, shown: player }}
              held={evaluation?.reason === 'player_override' ? evaluation.value : undefined}
              onDone={() => void query.refetch()}
            />
          )}
        </Loaded>
      )}
    </Stack>
  );
}

interface PlayerOverrideProps {
  flag: Flag;
  player: { id: string; shown: string };
  /** The value of the override; undefined: none. */
  held: unknown;
  onDone: () => void;
}

function PlayerOverride({ flag, player, held, onDone }: PlayerOverrideProps) {
  const { scope, mayEdit } = usePlace();
  const [variant, setVariant] = useState(flag.variants[0]?.key ?? '');
  const [value, setValue] = useState(flag.flag_type === 'boolean' ? 'true' : 'null');
  const [asking, setAsking] = useState<'set' | 'remove' | undefined>();
  const path = { key: flag.key, player_id: player.id };
  const change = useMutation({
    mutationFn: async (what: 'set' | 'remove') => {
      if (what === 'remove') {
        await call(scope, 'DELETE /v1/flags/flags/{key}/overrides/{player_id}', { path });
        return;
      }
      const parsed = parseJson(value);
      const body = variant === '' ? { value: parsed.kind === 'value' ? parsed.value : null } : { variant_key: variant };
      await call(scope, 'PUT /v1/flags/flags/{key}/overrides/{player_id}', { path, body });
    },
    onSuccess: () => {
      setAsking(undefined);
      onDone();
    },
  });
  return (
    <Stack>
      {held === undefined ? (
        <Text>{texts.hasNot}</Text>
      ) : (
        <Group gap="xs">
          <Text>{texts.has}</Text>
          <JsonValue value={held} />
        </Group>
      )}
      {mayEdit ? (
        <Group align="flex-end">
          {flag.variants.length === 0 ? (
            <ValueField label={texts.value} type={flag.flag_type} value={value} readOnly={false} onChange={setValue} />
          ) : (
            <NativeSelect
              size="xs"
              label={texts.variant}
              value={variant}
              data={flag.variants.map(({ key }) => key)}
              onChange={(event) => setVariant(event.currentTarget.value)}
            />
          )}
          <Button
            size="xs"
            disabled={variant === '' && parseJson(value).kind === 'fault'}
            onClick={() => setAsking('set')}
          >
            {texts.set}
          </Button>
          {held === undefined ? null : (
            <Button size="xs" variant="default" onClick={() => setAsking('remove')}>
              {texts.remove}
            </Button>
          )}
        </Group>
      ) : null}
      <Confirm
        opened={asking !== undefined}
        onClose={() => setAsking(undefined)}
        title={asking === 'remove' ? texts.removeTitle(player.shown) : texts.setTitle(player.shown)}
        action={asking === 'remove' ? texts.remove : texts.set}
        busy={change.isPending}
        error={change.error}
        onConfirm={() => {
          if (asking !== undefined) change.mutate(asking);
        }}
      />
    </Stack>
  );
}
