import { Badge, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ApiError, call } from '../../api.ts';
import { useAddressField } from '../../parts/address.ts';
import { Empty, Fault, Loaded, Page } from '../../parts/states.tsx';
import { Copy } from '../../parts/values.tsx';
import { usePlace } from '../../session.tsx';
import { TEXTS } from '../../texts.ts';
import { PlayerCampaigns } from './player-campaigns.tsx';
import { PlayerFlags } from './player-flags.tsx';
import { PlayerPrivacy, Receipt } from './player-privacy.tsx';
import { PlayerSummary } from './player-summary.tsx';
import { PlayerTimeline } from './player-timeline.tsx';

const texts = TEXTS.player;
const TABS = ['summary', 'flags', 'timeline', 'campaigns', 'privacy'] as const;
const REFRESH_MS = 15_000;

/** One player: state, flags, history, campaigns, export and erasure. */
export function PlayerScreen({ params }: { params: Readonly<Record<string, string | undefined>> }) {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const id = (params['id'] ?? '').toLowerCase();
  const [wantedTab, setTab] = useAddressField('tab');
  const tab = TABS.find((each) => each === wantedTab) ?? 'summary';
  const player = useQuery({
    queryKey: ['player', game, environment, id],
    queryFn: ({ signal }) => call(scope, 'GET /v1/players/players/{id}', { path: { id }, signal }),
    refetchInterval: REFRESH_MS,
  });
  if (player.error instanceof ApiError && player.error.status === 404) return <Gone id={id} />;
  const title = player.data === undefined ? texts.title(id.slice(0, 8)) : texts.title(player.data.external_id);
  return (
    <Page
      title={title}
      intro={
        player.data === undefined ? (
          id
        ) : (
          <Badge variant="outline" color="gray" tt="none">
            {player.data.lifecycle_stage}
          </Badge>
        )
      }
      actions={
        <>
          <Copy text={id} label={texts.copyId} />
          <Copy text={globalThis.location.href} label={texts.copyAddress} />
        </>
      }
    >
      <Tabs
        value={tab}
        onChange={(next) => setTab(next === 'summary' || next === null ? '' : next)}
        keepMounted={false}
      >
        <Tabs.List>
          {TABS.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {texts.tabs[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="summary" pt="md">
          <Loaded query={player} rows={10}>
            {(data) => <PlayerSummary player={data} />}
          </Loaded>
        </Tabs.Panel>
        <Tabs.Panel value="flags" pt="md">
          <PlayerFlags playerId={id} />
        </Tabs.Panel>
        <Tabs.Panel value="timeline" pt="md">
          <PlayerTimeline playerId={id} />
        </Tabs.Panel>
        <Tabs.Panel value="campaigns" pt="md">
          <PlayerCampaigns playerId={id} />
        </Tabs.Panel>
        <Tabs.Panel value="privacy" pt="md">
          <Loaded query={player} rows={4}>
            {(data) => <PlayerPrivacy player={data} />}
          </Loaded>
        </Tabs.Panel>
      </Tabs>
      {player.error !== null && player.data !== undefined ? <Fault error={player.error} /> : null}
    </Page>
  );
}

/** What remains of a player that was erased, or never existed. */
function Gone({ id }: { id: string }) {
  return (
    <Page title={texts.title(id.slice(0, 8))} intro={id}>
      <Empty title={texts.missing}>{texts.missingHelp}</Empty>
      <Receipt playerId={id} />
    </Page>
  );
}
