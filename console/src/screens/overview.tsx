import { Anchor, Badge, Card, SimpleGrid, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../api.ts';
import { Loaded, Page } from '../parts/states.tsx';
import { number, Time } from '../parts/values.tsx';
import { usePlace } from '../session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.overview;
const REFRESH_MS = 10_000;

/** How the game and the service are doing. */
export function Overview() {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const base = `/${game}/${environment}`;
  const ready = useQuery({
    queryKey: ['readyz'],
    queryFn: ({ signal }) => call(undefined, 'GET /readyz', { query: { verbose: 'true' }, signal }),
    refetchInterval: REFRESH_MS,
  });
  const latest = useQuery({
    queryKey: ['latest', game, environment],
    queryFn: ({ signal }) => call(scope, 'GET /v1/events/events', { query: { limit: 1 }, signal }),
    refetchInterval: REFRESH_MS,
  });
  const counts = useQuery({
    queryKey: ['counts', game, environment],
    queryFn: async ({ signal }) => {
      const query = { limit: 500 };
      const [flags, segments, campaigns, webhooks] = await Promise.all([
        call(scope, 'GET /v1/flags/flags', { query, signal }),
        call(scope, 'GET /v1/segments/segments', { query, signal }),
        call(scope, 'GET /v1/campaigns/campaigns', { query, signal }),
        call(scope, 'GET /v1/integrations/webhooks', { query, signal }),
      ]);
      return {
        flags: flags.flags.length,
        segments: segments.segments.length,
        campaigns: campaigns.campaigns.length,
        webhooks: webhooks.webhooks.length,
      };
    },
  });
  return (
    <Page title={texts.title} intro={texts.intro}>
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Loaded query={counts} rows={1}>
          {(found) =>
            (['flags', 'segments', 'campaigns', 'webhooks'] as const).map((kind) => (
              <Card key={kind} withBorder component={Link} href={`${base}/${kind}`}>
                <Text c="dimmed" size="sm">
                  {TEXTS.nav[kind]}
                </Text>
                <Text size="xl" fw={700}>
                  {number(found[kind])}
                </Text>
              </Card>
            ))
          }
        </Loaded>
      </SimpleGrid>
      <Card withBorder>
        <Title order={2} size="h5">
          {texts.lastEvent}
        </Title>
        <Loaded query={latest} rows={1}>
          {({ events: [event] }) =>
            event === undefined ? (
              <Text>
                {texts.firstEvent}{' '}
                <Anchor component={Link} href={`${base}/start`} underline="always">
                  {texts.toStart}
                </Anchor>
              </Text>
            ) : (
              <Text>
                <b>{event.event_name}</b>, <Time at={event.received_at} />
              </Text>
            )
          }
        </Loaded>
      </Card>
      <Card withBorder>
        <Title order={2} size="h5" mb="xs">
          {texts.health}
        </Title>
        <Loaded query={ready} rows={4}>
          {({ details = [] }) => (
            <div className="table-scroll">
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{texts.check}</Table.Th>
                    <Table.Th>{texts.state}</Table.Th>
                    <Table.Th>{texts.found}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {details.map(({ name, ok, info }) => (
                    <Table.Tr key={name}>
                      <Table.Td>{name}</Table.Td>
                      <Table.Td>
                        <Badge variant="outline" color={ok ? 'green' : 'red'} tt="none">
                          {ok ? texts.ok : texts.attention}
                        </Badge>
                      </Table.Td>
                      <Table.Td className="mono">{info === undefined ? '' : JSON.stringify(info)}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </div>
          )}
        </Loaded>
      </Card>
    </Page>
  );
}
