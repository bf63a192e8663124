import { Anchor, Card, Group, SimpleGrid, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../frame/api.ts';
import { useAttention } from '../operations/attention.ts';
import { Kpis } from '../overview/kpis.tsx';
import { Attention, Lag, Service } from '../overview/service.tsx';
import { Loaded, Page } from '../parts/states.tsx';
import { number, Time } from '../parts/lists/values.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.overview;
const REFRESH_MS = 10_000;

/** How the game and the service are doing. */
export function Overview() {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const base = `/${game}/${environment}`;
  const { ready, freshness, concerns } = useAttention(REFRESH_MS);
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
        flags: countText(flags.flags.length, flags.next_cursor),
        segments: countText(segments.segments.length, segments.next_cursor),
        campaigns: countText(campaigns.campaigns.length, campaigns.next_cursor),
        webhooks: countText(webhooks.webhooks.length, webhooks.next_cursor),
      };
    },
  });
  return (
    <Page title={texts.title} intro={texts.intro}>
      <section aria-label={texts.attention} aria-live="polite">
        {concerns === undefined ? (
          <Skeleton height={22} aria-busy="true" />
        ) : (
          <Attention concerns={concerns} base={base} />
        )}
      </section>
      <Kpis />
      <Card withBorder component="section" aria-labelledby="game">
        <Title order={2} size="h5" id="game">
          {texts.game}
        </Title>
        <Loaded query={freshness} rows={1}>
          {({ game: newest }) =>
            newest === null ? (
              <Text>{texts.noClickhouse}</Text>
            ) : newest.newest_event_at === null ? (
              <Text>
                {texts.firstEvent}{' '}
                <Anchor component={Link} href={`${base}/start`} underline="always">
                  {texts.toStart}
                </Anchor>
              </Text>
            ) : (
              <Text>
                {texts.lastEvent} <Time at={newest.newest_event_at} />
                {newest.silent ? ` ${texts.silent}` : ''}
              </Text>
            )
          }
        </Loaded>
        <SimpleGrid cols={{ base: 2, md: 4 }} spacing="xs" mt="xs">
          <Loaded query={counts} rows={1}>
            {(found) =>
              (['flags', 'segments', 'campaigns', 'webhooks'] as const).map((kind) => (
                <Group key={kind} gap={6}>
                  <Text fw={700}>{found[kind]}</Text>
                  <Anchor component={Link} href={`${base}/${kind}`} underline="always">
                    {TEXTS.nav[kind]}
                  </Anchor>
                </Group>
              ))
            }
          </Loaded>
        </SimpleGrid>
      </Card>
      <Loaded query={freshness} rows={3}>
        {(found) => <Lag freshness={found} />}
      </Loaded>
      <Loaded query={ready} rows={4}>
        {({ details = [] }) => <Service checks={details} />}
      </Loaded>
    </Page>
  );
}

/** The number of a page, which further ones may follow. */
function countText(count: number, next: string | null): string {
  return next === null ? number(count) : `${number(count)}+`;
}
