import { Anchor, Badge, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type AnswerOf, call } from '../../frame/api.ts';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { number, Time } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.playerCampaigns;
type Answer = AnswerOf<'GET /v1/players/players/{id}/campaigns'>;
type Campaign = Answer['campaigns'][number];
type Waiting = Answer['waiting'][number];

/** What campaigns gave the player, and why they did not. */
export function PlayerCampaigns({ playerId }: { playerId: string }) {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const base = `/${game}/${environment}/campaigns`;
  const campaigns = useQuery({
    queryKey: ['player-campaigns', game, environment, playerId],
    queryFn: ({ signal }) => call(scope, 'GET /v1/players/players/{id}/campaigns', { path: { id: playerId }, signal }),
  });
  return (
    <Loaded query={campaigns} rows={5}>
      {({ campaigns: found, waiting }) => (
        <Stack>
          <DataTable
            label={TEXTS.player.tabs.campaigns}
            columns={campaignColumns(base)}
            rows={found}
            keyOf={({ campaign_id: id }) => id}
            empty={<Empty title={texts.none}>{texts.noneHelp}</Empty>}
          />
          <Title order={2} size="h5">
            {texts.waiting}
          </Title>
          <DataTable
            label={texts.waiting}
            columns={WAITING}
            rows={waiting}
            keyOf={({ intervention_id: id }) => id}
            empty={<Text c="dimmed">{texts.waitingNone}</Text>}
          />
        </Stack>
      )}
    </Loaded>
  );
}

function campaignColumns(base: string): Column<Campaign>[] {
  return [
    {
      id: 'campaign',
      label: texts.columns.campaign,
      cell: ({ campaign_id: id, campaign_key: key, enabled }) =>
        key === null ? (
          <>
            <span className="mono">{id}</span> <Mark text={texts.deleted} />
          </>
        ) : (
          <>
            <Anchor component={Link} href={`${base}/${id}`} fw={600}>
              {key}
            </Anchor>{' '}
            {enabled ? null : <Mark text={texts.off} />}
          </>
        ),
    },
    {
      id: 'got',
      label: texts.columns.got,
      align: 'right',
      sortBy: ({ interventions }) => interventions,
      cell: ({ interventions, interventions_today: today }) => (
        <>
          {number(interventions)}
          <Text size="xs" c="dimmed">
            {texts.today(number(today))}
          </Text>
        </>
      ),
    },
    {
      id: 'last',
      label: texts.columns.last,
      sortBy: ({ last_intervention_at: at }) => at,
      cell: ({ last_intervention_at: at }) => <Time at={at} />,
    },
    {
      id: 'suppressed',
      label: texts.columns.suppressed,
      cell: ({ suppressed }) =>
        suppressed === null ? (
          texts.notSuppressed
        ) : (
          <>
            {suppressed.reasons.map((reason) => (
              <Text key={reason} size="sm">
                {texts.reasons[reason]}
              </Text>
            ))}
            <Text size="xs" c="dimmed">
              <Time at={suppressed.at} />
            </Text>
          </>
        ),
    },
  ];
}

function Mark({ text }: { text: string }) {
  return (
    <Badge variant="outline" color="gray" tt="none">
      {text}
    </Badge>
  );
}

const WAITING: Column<Waiting>[] = [
  { id: 'campaign', label: texts.waitingColumns.campaign, cell: ({ campaign_key: key }) => key },
  { id: 'created', label: texts.waitingColumns.created, cell: ({ created_at: at }) => <Time at={at} /> },
  { id: 'expires', label: texts.waitingColumns.expires, cell: ({ expires_at: at }) => <Time at={at} /> },
  { id: 'offers', label: texts.waitingColumns.offers, align: 'right', cell: ({ offers }) => number(offers) },
  { id: 'shown', label: texts.waitingColumns.shown, cell: ({ shown_at: at }) => <Time at={at} /> },
];
