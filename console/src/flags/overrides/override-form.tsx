import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { call } from '../../frame/api.ts';
import { Confirm } from '../../parts/editors/confirm.tsx';
import { JsonValue } from '../../parts/drafts/diff.tsx';
import { parseJson } from '../../parts/editors/json-text.ts';
import { patch, useOptimistic } from '../../parts/optimistic.ts';
import { playerIdOf } from '../../parts/players/player-lookup.ts';
import { Loaded } from '../../parts/states.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import type { Flag } from '../../definitions.ts';
import { ValueField } from '../rules/value-field.tsx';

const texts = TEXTS.overrides;

/** What was found of a player. */
interface Looked {
  id: string;
  held: { value: unknown } | undefined;
}

/** The override of one player: looked up, set and removed. The player is in the address. */
export function OverrideForm({ flag }: { flag: Flag }) {
  const { scope } = usePlace();
  const [params, setParams] = useSearchParams();
  const player = params.get('player') ?? '';
  const [typed, setTyped] = useState({ of: player, text: player });
  // The list of overrides changes the address too.
  const text = typed.of === player ? typed.text : player;
  const queryKey = ['override', scope.game, scope.environment, flag.key, player];
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Looked> => {
      const id = await playerIdOf(scope, player);
      const body = { player_id: id, flag_keys: [flag.key] };
      const { flags } = await call(scope, 'POST /v1/flags/flags/explain', { body, signal });
      const [found] = flags;
      return { id, held: found?.reason === 'player_override' ? { value: found.value } : undefined };
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
            before.set('player', text.trim());
            return before;
          });
        }}
      >
        <Group align="flex-end">
          <TextInput
            label={texts.player}
            value={text}
            onChange={(event) => setTyped({ of: player, text: event.currentTarget.value })}
          />
          <Button type="submit" disabled={text.trim() === ''}>
            {texts.look}
          </Button>
        </Group>
      </form>
      {player === '' ? null : (
        <Loaded query={query} rows={2}>
          {({ id, held }) => (
            <PlayerOverride key={id} flag={flag} player={{ id, shown: player }} held={held} queryKey={queryKey} />
          )}
        </Loaded>
      )}
    </Stack>
  );
}

type Change = 'set' | 'remove';

interface PlayerOverrideProps {
  flag: Flag;
  player: { id: string; shown: string };
  /** The override; undefined: none. */
  held: Looked['held'];
  /** Of the query that looks it up. */
  queryKey: readonly string[];
}

function PlayerOverride({ flag, player, held, queryKey }: PlayerOverrideProps) {
  const { scope, mayEdit } = usePlace();
  const [variant, setVariant] = useState(flag.variants[0]?.key ?? '');
  const [value, setValue] = useState(flag.flag_type === 'boolean' ? 'true' : 'null');
  const [asking, setAsking] = useState<Change | undefined>();
  const path = { key: flag.key, player_id: player.id };
  const titleOf = (what: Change): string =>
    what === 'remove' ? texts.removeTitle(player.shown) : texts.setTitle(player.shown);
  const parsed = parseJson(value);
  const own = parsed.kind === 'value' ? parsed.value : null;
  const change = useOptimistic({
    send: async (what: Change) => {
      if (what === 'remove') {
        await call(scope, 'DELETE /v1/flags/flags/{key}/overrides/{player_id}', { path });
        return;
      }
      const body = variant === '' ? { value: own } : { variant_key: variant };
      await call(scope, 'PUT /v1/flags/flags/{key}/overrides/{player_id}', { path, body });
    },
    patches: (what) => {
      const chosen = variant === '' ? own : flag.variants.find(({ key }) => key === variant)?.value;
      return [patch<Looked>(queryKey, ({ id }) => ({ id, held: what === 'remove' ? undefined : { value: chosen } }))];
    },
    renews: [queryKey],
    named: titleOf,
    onShown: () => setAsking(undefined),
  });
  return (
    <Stack>
      {held === undefined ? (
        <Text>{texts.hasNot}</Text>
      ) : (
        <Group gap="xs">
          <Text>{texts.has}</Text>
          <JsonValue value={held.value} />
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
            disabled={change.isPending || (variant === '' && parsed.kind === 'fault')}
            onClick={() => setAsking('set')}
          >
            {texts.set}
          </Button>
          {held === undefined ? null : (
            <Button size="xs" variant="default" disabled={change.isPending} onClick={() => setAsking('remove')}>
              {texts.remove}
            </Button>
          )}
        </Group>
      ) : null}
      <Confirm
        opened={asking !== undefined}
        onClose={() => setAsking(undefined)}
        title={titleOf(asking ?? 'set')}
        action={asking === 'remove' ? texts.remove : texts.set}
        onConfirm={() => {
          if (asking !== undefined) change.mutate(asking);
        }}
      >
        <Text fw={600}>{TEXTS.playerCount.override}</Text>
      </Confirm>
    </Stack>
  );
}
