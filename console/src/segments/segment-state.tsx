import { Anchor, Button, Card, Group, Progress, Text, Title } from '@mantine/core';
import type { InfiniteData } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type AnswerOf, call } from '../frame/api.ts';
import type { Column } from '../parts/lists/data-table.tsx';
import { patch, useOptimistic } from '../parts/optimistic.ts';
import { number } from '../parts/lists/values.tsx';
import { PlayerPages, timeColumn, whoColumns } from '../parts/players/player-pages.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import type { Segment } from './edited-segment.ts';

const texts = TEXTS.segment;

/** What uses a segment. */
export function UsedBy({ of: { used_by: users } }: { of: Segment }) {
  const { scope } = usePlace();
  const base = `/${scope.game}/${scope.environment}`;
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        {texts.usedBy}
      </Title>
      {Object.values(users).flat().length === 0 ? <Text c="dimmed">{texts.notUsed}</Text> : null}
      <Group gap="sm">
        {users.flags.map((key) => (
          <Anchor key={key} component={Link} href={`${base}/flags/${encodeURIComponent(key)}`} underline="always">
            {TEXTS.nav.flags}: {key}
          </Anchor>
        ))}
        {users.experiments.map((key) => (
          <Anchor key={key} component={Link} href={`${base}/experiments/${encodeURIComponent(key)}`} underline="always">
            {TEXTS.nav.experiments}: {key}
          </Anchor>
        ))}
        {users.campaigns.map((key) => (
          <Anchor key={key} component={Link} href={`${base}/campaigns?q=${encodeURIComponent(key)}`} underline="always">
            {TEXTS.nav.campaigns}: {key}
          </Anchor>
        ))}
        {users.segments.map((key) => (
          <Anchor key={key} component={Link} href={`${base}/segments?q=${encodeURIComponent(key)}`} underline="always">
            {TEXTS.nav.segments}: {key}
          </Anchor>
        ))}
      </Group>
    </Card>
  );
}

/** How far all players are evaluated after the last change. */
export function Evaluation({ of: { evaluation } }: { of: Segment }) {
  const { status, players_evaluated: done, players_total: total } = evaluation;
  const isRunning = status === 'running';
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        {texts.evaluation}
      </Title>
      <Text role="status">
        {isRunning ? texts.evaluating(number(done), number(total)) : texts.evaluated(number(total))}
      </Text>
      {isRunning ? (
        <Progress value={total === 0 ? 0 : (100 * done) / total} mt={6} aria-label={texts.evaluation} />
      ) : null}
    </Card>
  );
}

type MembersPage = AnswerOf<'GET /v1/segments/segments/{id}/members'>;
type Member = MembersPage['players'][number];

const COLUMNS: readonly Column<Member>[] = [
  ...whoColumns<Member>(texts.columns),
  timeColumn('entered', texts.columns.entered, ({ entered_at: at }) => at),
];

/** Takes a player out of the list of a static segment. The row goes at once, and comes back if the service refuses. */
function RemoveMember({ id, member }: { id: string; member: Member }) {
  const { scope } = usePlace();
  const remove = useOptimistic({
    send: () =>
      call(scope, 'DELETE /v1/segments/segments/{id}/members/{player_id}', {
        path: { id, player_id: member.player_id },
      }),
    patches: () => [patch<Pages>(['members', scope.game, scope.environment, id], (held) => without(held, member))],
    // Members are read again every few seconds; at once they would still have the player.
    renews: [],
    named: () => texts.removeMember(member.external_id),
  });
  return (
    <Button size="compact-xs" variant="default" disabled={remove.isPending} onClick={() => remove.mutate(undefined)}>
      {texts.removeMember(member.external_id)}
    </Button>
  );
}

type Pages = InfiniteData<MembersPage>;

function without({ pages, pageParams }: Pages, member: Member): Pages {
  const isOther = ({ player_id: id }: Member): boolean => id !== member.player_id;
  return { pageParams, pages: pages.map((page) => ({ ...page, players: page.players.filter(isOther) })) };
}

/** The players in a segment. */
export function Members({ id, isList, refetchMs }: { id: string; isList: boolean; refetchMs: number }) {
  const { scope, mayEdit } = usePlace();
  const columns: readonly Column<Member>[] =
    isList && mayEdit
      ? [...COLUMNS, { id: 'remove', label: TEXTS.remove, cell: (member) => <RemoveMember id={id} member={member} /> }]
      : COLUMNS;
  return (
    <PlayerPages
      title={texts.members}
      none={texts.noMembers}
      queryKey={['members', scope.game, scope.environment, id]}
      refetchMs={refetchMs}
      load={(query, signal) => call(scope, 'GET /v1/segments/segments/{id}/members', { path: { id }, query, signal })}
      rowsOf={({ players }: MembersPage) => players}
      columns={columns}
    />
  );
}
