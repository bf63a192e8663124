import { Anchor, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../../frame/api.ts';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { Facts } from '../lists/facts.tsx';
import { Copy } from '../lists/values.tsx';

const texts = TEXTS.playerIdentity;
const FRESH_MS = 60_000;
const SHORT = 8;

/** The beginning of a player's id, for lists; the whole id is its title. */
export function ShortPlayerId({ id }: { id: string }) {
  return (
    <span className="mono" title={id}>
      {id.slice(0, SHORT)}…
    </span>
  );
}

/** The player of an event: the game's own id, which events do not contain, and the service's id to copy. */
export function PlayerIdentity({ id }: { id: string }) {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const player = useQuery({
    queryKey: ['player', game, environment, id],
    queryFn: ({ signal }) => call(scope, 'GET /v1/players/players/{id}', { path: { id }, signal }),
    staleTime: FRESH_MS,
    retry: false,
  });
  const external = player.data?.external_id ?? (player.isPending ? '…' : texts.unknown);
  return (
    <>
      <Facts
        items={[
          [texts.external, <span className="mono">{external}</span>],
          [
            texts.id,
            <Group gap="xs">
              <span className="mono">{id}</span>
              <Copy text={id} label={texts.copy} />
            </Group>,
          ],
        ]}
      />
      <Anchor component={Link} href={`/${game}/${environment}/players/${id}`} underline="always">
        {texts.open}
      </Anchor>
    </>
  );
}
