import { Anchor, Badge, Card, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type AnswerOf, call } from '../../frame/api.ts';
import { Facts } from '../../parts/lists/facts.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Json, money, number, Time } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { ScrollRegion } from '../../parts/scroll-region.tsx';

const texts = TEXTS.player;
type Player = AnswerOf<'GET /v1/players/players/{id}'>;

/** State, attributes, segments and churn risk of a player. */
export function PlayerSummary({ player }: { player: Player }) {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const path = { id: player.id };
  const lifecycle = useQuery({
    queryKey: ['lifecycle', game, environment, player.id],
    queryFn: ({ signal }) => call(scope, 'GET /v1/players/players/{id}/lifecycle', { path, signal }),
  });
  const { data } = lifecycle;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Card withBorder>
        <Facts
          items={[
            [
              texts.externalId,
              <span key="external" className="mono">
                {player.external_id}
              </span>,
            ],
            [
              texts.playerId,
              <span key="id" className="mono">
                {player.id}
              </span>,
            ],
            [texts.device, player.device_id],
            [texts.email, player.email ?? null],
            [texts.stage, player.lifecycle_stage],
            [texts.stageSince, data === undefined ? '…' : <Time key="since" at={data.lifecycle_changed_at} />],
            [texts.sessions, number(player.session_count)],
            [texts.playtime, data === undefined ? '…' : texts.hours((data.total_playtime_seconds / 3_600).toFixed(1))],
            [texts.revenue, money(player.total_revenue)],
            [texts.payer, player.is_payer ? TEXTS.yes : TEXTS.no],
            [texts.testPlayer, player.is_test_player ? TEXTS.yes : TEXTS.no],
            [texts.firstSeen, <Time key="first" at={player.first_seen_at} />],
            [texts.lastSeen, <Time key="last" at={player.last_seen_at} />],
          ]}
        />
      </Card>
      <Stack>
        <Segments playerId={player.id} />
        <Churn playerId={player.id} />
      </Stack>
      <Card withBorder>
        <Title order={2} size="h5" mb="xs">
          {texts.attributes}
        </Title>
        <Json value={player.attributes} label={texts.attributes} />
      </Card>
      <Card withBorder>
        <Title order={2} size="h5" mb="xs">
          {texts.computed}
        </Title>
        {player.computed === undefined ? (
          <Text c="dimmed">{texts.noComputed}</Text>
        ) : (
          <Json value={player.computed} label={texts.computed} />
        )}
      </Card>
    </SimpleGrid>
  );
}

function Segments({ playerId }: { playerId: string }) {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const segments = useQuery({
    queryKey: ['player-segments', game, environment, playerId],
    queryFn: ({ signal }) => call(scope, 'GET /v1/players/players/{id}/segments', { path: { id: playerId }, signal }),
  });
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        {texts.segments}
      </Title>
      <Loaded query={segments} rows={3}>
        {({ segments: found }) =>
          found.length === 0 ? (
            <Text c="dimmed">{texts.noSegments}</Text>
          ) : (
            <ScrollRegion label={texts.segments}>
              <Table verticalSpacing={4} aria-label={texts.segments}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{texts.segmentColumns.key}</Table.Th>
                    <Table.Th>{texts.segmentColumns.since}</Table.Th>
                    <Table.Th>{texts.segmentColumns.kind}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {found.map((one) => (
                    <Table.Tr key={one.segment_id}>
                      <Table.Td>
                        <Anchor component={Link} href={`/${game}/${environment}/segments/${one.segment_id}`}>
                          {one.segment_key}
                        </Anchor>{' '}
                        {one.name === null ? (
                          <Badge variant="outline" color="gray" tt="none">
                            {texts.deletedSegment}
                          </Badge>
                        ) : null}
                      </Table.Td>
                      <Table.Td>
                        <Time at={one.since} />
                      </Table.Td>
                      <Table.Td>{one.static ? texts.byList : texts.byCondition}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </ScrollRegion>
          )
        }
      </Loaded>
    </Card>
  );
}

const LEVEL_COLORS: Readonly<Record<string, string>> = { low: 'green', medium: 'yellow', high: 'red' };

function Churn({ playerId }: { playerId: string }) {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const churn = useQuery({
    queryKey: ['churn', game, environment, playerId],
    queryFn: ({ signal }) => call(scope, 'GET /v1/players/players/{id}/churn-risk', { path: { id: playerId }, signal }),
  });
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        {texts.churn}
      </Title>
      <Loaded query={churn} rows={3}>
        {({ risk_level: level, risk_score: score, confidence, factors }) => (
          <Stack gap="xs">
            <Text size="sm">
              <Badge variant="outline" color={LEVEL_COLORS[level] ?? 'gray'} tt="none" mr="xs">
                {level}
              </Badge>
              {texts.churnScore(score.toFixed(2), confidence.toFixed(2))}
            </Text>
            <ScrollRegion label={texts.churn}>
              <Table verticalSpacing={4} aria-label={texts.churn}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{texts.churnFactor}</Table.Th>
                    <Table.Th ta="right">{texts.churnShare}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {factors.map((one) => (
                    <Table.Tr key={one.factor}>
                      <Table.Td>{one.description}</Table.Td>
                      <Table.Td ta="right">{one.contribution.toFixed(2)}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </ScrollRegion>
            <Text size="xs" c="dimmed">
              {texts.churnHelp}
            </Text>
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}
