import { Button, Text, TextInput } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { type Campaign, type Flag, type Segment, useCampaigns, useFlags, useSegments } from '../flags/definitions.ts';
import { StateBadge } from '../flags/state-badge.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { NamedLink } from '../parts/named-link.tsx';
import { Empty, Loaded, Page } from '../parts/states.tsx';
import { Time } from '../parts/values.tsx';
import { usePlace } from '../session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.segments;

interface Row {
  segment: Segment;
  flags: number;
  campaigns: number;
}

/** All segments, with what uses them. */
export function Segments() {
  const { scope, mayEdit } = usePlace();
  const [params, setParams] = useSearchParams();
  const segments = useSegments();
  const flags = useFlags();
  const campaigns = useCampaigns();
  const search = params.get('q') ?? '';
  const base = `/${scope.game}/${scope.environment}/segments`;
  const set = (name: string, value: string): void =>
    setParams(
      (before) => {
        if (value === '') before.delete(name);
        else before.set(name, value);
        return before;
      },
      { replace: true },
    );
  const add = mayEdit ? (
    <Button component={Link} href={`${base}/new`}>
      {texts.add}
    </Button>
  ) : null;
  return (
    <Page title={texts.title} intro={texts.intro} actions={add}>
      <Loaded query={segments}>
        {(found) =>
          found.length === 0 ? (
            <Empty title={texts.empty}>
              <Text c="dimmed">{texts.emptyHelp}</Text>
              {add}
            </Empty>
          ) : (
            <>
              <TextInput
                label={TEXTS.table.filter}
                placeholder={texts.filterHelp}
                maw={320}
                value={search}
                onChange={(event) => set('q', event.currentTarget.value)}
              />
              <DataTable
                label={texts.title}
                columns={COLUMNS}
                rows={rowsOf(found, flags.data ?? [], campaigns.data ?? []).filter((row) => isFound(row, search))}
                keyOf={({ segment }) => segment.segment_id}
                order={params.get('order') ?? ''}
                onOrder={(order) => set('order', order)}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function rowsOf(segments: readonly Segment[], flags: readonly Flag[], campaigns: readonly Campaign[]): Row[] {
  const byFlags = counted(flags.map((flag) => flag.targeting_rules.map((rule) => rule.segment_id)));
  const byCampaigns = counted(campaigns.map((campaign) => segmentsOf(campaign)));
  return segments.map((segment) => ({
    segment,
    flags: byFlags.get(segment.segment_id) ?? 0,
    campaigns: byCampaigns.get(segment.segment_id) ?? 0,
  }));
}

/** How many of the lists have each id. */
function counted(lists: readonly (readonly unknown[])[]): Map<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const list of lists) for (const id of new Set(list)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** The audience of a campaign, and the segment that triggers it. */
function segmentsOf(campaign: Campaign): unknown[] {
  const trigger: Readonly<Record<string, unknown>> = { ...campaign.trigger };
  return [campaign.audience, trigger['segment_id']];
}

function isFound({ segment: { key, name, description } }: Row, search: string): boolean {
  return `${key} ${name} ${description}`.toLowerCase().includes(search.trim().toLowerCase());
}

function KeyCell({ segment }: { segment: Segment }) {
  const { scope } = usePlace();
  return <NamedLink href={`/${scope.game}/${scope.environment}/segments/${segment.segment_id}`} name={segment.key} />;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'key',
    label: texts.columns.key,
    sortBy: ({ segment }) => segment.key,
    cell: ({ segment }) => <KeyCell segment={segment} />,
  },
  {
    id: 'name',
    label: texts.columns.name,
    sortBy: ({ segment }) => segment.name,
    cell: ({ segment }) => segment.name,
  },
  {
    id: 'kind',
    label: texts.columns.kind,
    sortBy: ({ segment }) => segment.kind,
    cell: ({ segment }) => texts.kinds[segment.kind],
  },
  {
    id: 'state',
    label: texts.columns.state,
    sortBy: ({ segment }) => (segment.enabled ? 0 : 1),
    cell: ({ segment }) => <StateBadge enabled={segment.enabled} />,
  },
  {
    id: 'used',
    label: texts.columns.usedBy,
    sortBy: ({ flags, campaigns }) => flags + campaigns,
    cell: ({ flags, campaigns }) => (flags + campaigns === 0 ? texts.notUsed : texts.uses(flags, campaigns)),
  },
  {
    id: 'updated',
    label: texts.columns.updated,
    sortBy: ({ segment }) => segment.updated_at,
    cell: ({ segment }) => <Time at={segment.updated_at} />,
  },
];
