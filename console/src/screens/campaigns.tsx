import { Button, Group, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import { Calendar } from '../campaigns/calendar.tsx';
import { STATES, stateOf } from '../campaigns/campaign-document.ts';
import { monthOf } from '../campaigns/month.ts';
import { StateBadge } from '../campaigns/state-badge.tsx';
import { scheduleText, triggerText } from '../campaigns/trigger-text.ts';
import { type Campaign, useCampaigns, useSegments } from '../definitions.ts';
import { useAddressField } from '../parts/address.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { isFound } from '../parts/labels/labels.ts';
import { TagFilter } from '../parts/labels/tag-filter.tsx';
import { NamedLink } from '../parts/named-link.tsx';
import { Empty, Loaded, Page } from '../parts/states.tsx';
import { percent } from '../parts/charts/units.ts';
import { Time } from '../parts/lists/values.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.campaigns;

/** All campaigns, as a list or on a calendar. Filter, order and month are in the address. */
export function Campaigns() {
  const { scope, mayEdit } = usePlace();
  const found = useCampaigns();
  return (
    <Page
      title={texts.title}
      intro={texts.intro}
      actions={
        mayEdit ? (
          <Button component={Link} href={`/${scope.game}/${scope.environment}/campaigns/new`}>
            {texts.create}
          </Button>
        ) : null
      }
    >
      <Loaded query={found}>
        {(campaigns) =>
          campaigns.length === 0 ? (
            <Empty title={texts.empty}>{texts.emptyHelp}</Empty>
          ) : (
            <Found campaigns={campaigns} nowMs={Date.now()} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** The campaigns that the filters of the address choose. */
function Found({ campaigns, nowMs }: { campaigns: readonly Campaign[]; nowMs: number }) {
  const { scope, zone } = usePlace();
  const { data: segments = [] } = useSegments();
  const [search] = useAddressField('q');
  const [tag] = useAddressField('tag');
  const [state] = useAddressField('state');
  const [view] = useAddressField('view');
  const [month, setMonth] = useAddressField('month');
  const [order, setOrder] = useAddressField('order');
  const chosen = campaigns
    .filter((campaign) => isFound(campaign, search, tag))
    .filter((campaign) => state === '' || stateOf(campaign, nowMs) === state);
  const segmentName = (id: string): string => segments.find(({ segment_id: own }) => own === id)?.name ?? id;
  const hrefOf = ({ campaign_id: id }: Campaign): string =>
    `/${scope.game}/${scope.environment}/campaigns/${encodeURIComponent(id)}`;
  return (
    <>
      <Filters of={campaigns} />
      {view === 'calendar' ? (
        <Calendar
          campaigns={chosen}
          month={monthOf(zone, month, nowMs)}
          onMonth={setMonth}
          hrefOf={hrefOf}
          nowMs={nowMs}
        />
      ) : (
        <DataTable
          label={texts.title}
          rows={chosen}
          keyOf={({ campaign_id: id }) => id}
          order={order}
          onOrder={setOrder}
          columns={columnsOf(hrefOf, segmentName, nowMs, zone)}
        />
      )}
    </>
  );
}

function Filters({ of }: { of: readonly Campaign[] }) {
  const [search, setSearch] = useAddressField('q');
  const [state, setState] = useAddressField('state');
  const [view, setView] = useAddressField('view');
  return (
    <Group align="flex-end">
      <TextInput label={texts.filter} value={search} onChange={(event) => setSearch(event.currentTarget.value)} />
      <NativeSelect
        label={texts.state}
        value={state}
        data={[
          { value: '', label: texts.allStates },
          ...STATES.map((each) => ({ value: each, label: texts.states[each] ?? each })),
        ]}
        onChange={(event) => setState(event.currentTarget.value)}
      />
      <TagFilter of={of} />
      <SegmentedControl
        aria-label={texts.view}
        value={view === 'calendar' ? 'calendar' : 'list'}
        data={[
          { value: 'list', label: texts.list },
          { value: 'calendar', label: texts.calendar },
        ]}
        onChange={(value) => setView(value === 'list' ? '' : value)}
      />
    </Group>
  );
}

function columnsOf(
  hrefOf: (campaign: Campaign) => string,
  segmentName: (id: string) => string,
  nowMs: number,
  zone: string,
): readonly Column<Campaign>[] {
  return [
    {
      id: 'name',
      label: texts.name,
      sortBy: ({ name }) => name,
      cell: (campaign) => <NamedLink href={hrefOf(campaign)} name={campaign.name} below={campaign.key} />,
    },
    {
      id: 'state',
      label: texts.state,
      sortBy: (campaign) => stateOf(campaign, nowMs),
      cell: (campaign) => <StateBadge state={stateOf(campaign, nowMs)} />,
    },
    {
      id: 'trigger',
      label: texts.trigger,
      cell: ({ trigger }) => triggerText(zone, trigger, segmentName),
    },
    {
      id: 'audience',
      label: texts.audience,
      cell: ({ audience }) => (audience === null ? texts.everybody : segmentName(audience)),
    },
    { id: 'schedule', label: texts.schedule, cell: (campaign) => scheduleText(zone, campaign) },
    {
      id: 'holdout',
      label: texts.holdout,
      sortBy: ({ holdout_percentage: share }) => share,
      cell: ({ holdout_percentage: share }) => (share === 0 ? texts.noHoldout : percent(share / 100, 0)),
    },
    {
      id: 'owner',
      label: TEXTS.labels.owner,
      sortBy: ({ owner }) => owner,
      cell: ({ owner }) => owner,
    },
    {
      id: 'changed',
      label: texts.changed,
      sortBy: ({ updated_at: at }) => at,
      cell: ({ updated_at: at }) => <Time at={at} />,
    },
  ];
}
