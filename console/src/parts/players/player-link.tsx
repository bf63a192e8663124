import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { usePlace } from '../../frame/session.tsx';

/** The id of a player, which leads to the player's screen. */
export function PlayerLink({ id }: { id: string }) {
  const { scope } = usePlace();
  return (
    <Anchor
      component={Link}
      href={`/${scope.game}/${scope.environment}/players/${id}`}
      className="mono"
      underline="always"
    >
      {id}
    </Anchor>
  );
}
