import { Badge, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, ApiError, call } from '../../frame/api.ts';
import { useTab } from '../../parts/address.ts';
import { ScreenTabs } from '../../parts/screen-tabs.tsx';
import { Fault, Loaded, Page } from '../../parts/states.tsx';
import { BackTo, isMissing, NotThere } from '../../parts/not-there.tsx';
import { Copy } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { PlayerCampaigns } from './player-campaigns.tsx';
import { PlayerFlags } from './player-flags.tsx';
import { PlayerPrivacy, Receipt } from './player-privacy.tsx';
import { PlayerPurchases } from './purchases/player-purchases.tsx';
import { PlayerSummary } from './player-summary.tsx';
import { PlayerTimeline } from './player-timeline.tsx';
import { TestPlayerBadge, TestPlayerSwitch } from './test-player.tsx';

const texts = TEXTS.player;
const TABS = ['summary', 'purchases', 'flags', 'timeline', 'campaigns', 'privacy'] as const;
const REFRESH_MS = 15_000;

type Player = AnswerOf<'GET /v1/players/players/{id}'>;

/** One player: state, flags, history, campaigns, export and erasure. */
export function PlayerScreen({ params }: { params: Readonly<Record<string, string | undefined>> }) {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const id = (params['id'] ?? '').toLowerCase();
  const [tab, setTab] = useTab(TABS);
  const player = useQuery({
    queryKey: ['player', game, environment, id],
    queryFn: ({ signal }) => call(scope, 'GET /v1/players/players/{id}', { path: { id }, signal }),
    refetchInterval: REFRESH_MS,
  });
  if (isMissing(player.error))
    return <Gone id={id} mayBeErased={player.error instanceof ApiError && player.error.status === 404} />;
  const title = player.data === undefined ? texts.title(id.slice(0, 8)) : texts.title(player.data.external_id);
  return (
    <Page
      title={title}
      intro={
        player.data === undefined ? (
          id
        ) : (
          <Group gap="xs">
            <Badge variant="outline" color="gray" tt="none">
              {player.data.lifecycle_stage}
            </Badge>
            {player.data.is_test_player ? <TestPlayerBadge /> : null}
          </Group>
        )
      }
      actions={
        <>
          {player.data === undefined ? null : <TestPlayerSwitch player={player.data} />}
          <Copy text={id} label={texts.copyId} />
          <Copy text={globalThis.location.href} label={texts.copyAddress} />
        </>
      }
    >
      <ScreenTabs label={texts.tabsLabel} tabs={TABS} titles={texts.tabs} open={tab} onOpen={setTab}>
        {(open) => <Tab tab={open} id={id} player={player} />}
      </ScreenTabs>
      {player.error !== null && player.data !== undefined ? <Fault error={player.error} /> : null}
    </Page>
  );
}

interface TabProps {
  tab: (typeof TABS)[number];
  id: string;
  player: { data: Player | undefined; error: Error | null; refetch: () => unknown };
}

function Tab({ tab, id, player }: TabProps) {
  switch (tab) {
    case 'summary':
      return (
        <Loaded query={player} rows={10}>
          {(data) => <PlayerSummary player={data} />}
        </Loaded>
      );
    case 'purchases':
      return <PlayerPurchases playerId={id} />;
    case 'flags':
      return <PlayerFlags playerId={id} />;
    case 'timeline':
      return <PlayerTimeline playerId={id} />;
    case 'campaigns':
      return <PlayerCampaigns playerId={id} />;
    case 'privacy':
      return (
        <Loaded query={player} rows={4}>
          {(data) => <PlayerPrivacy player={data} />}
        </Loaded>
      );
  }
}

/** What remains of a player that was erased, or never existed. A text that is no id was never erased. */
function Gone({ id, mayBeErased }: { id: string; mayBeErased: boolean }) {
  const { scope } = usePlace();
  const base = `/${scope.game}/${scope.environment}/players`;
  return (
    <NotThere
      title={texts.title(id.slice(0, 8))}
      id={id}
      what={texts.missing}
      help={mayBeErased ? texts.missingHelp : texts.notAnId}
    >
      <BackTo href={`${base}/find/${encodeURIComponent(id)}`}>{texts.findIt}</BackTo>
      <BackTo href={base}>{texts.back}</BackTo>
      {mayBeErased ? <Receipt playerId={id} /> : null}
    </NotThere>
  );
}
