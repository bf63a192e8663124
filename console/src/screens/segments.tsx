import { Button, Group, Text, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import { type Segment, useCampaigns, useFlags, useSegments } from '../definitions.ts';
import { SwitchBadge } from '../parts/editors/switch-badge.tsx';
import { useAddressField } from '../parts/address.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { isFound } from '../parts/labels/labels.ts';
import { TagFilter } from '../parts/labels/tag-filter.tsx';
import { NamedLink } from '../parts/named-link.tsx';
import { Empty, Loaded, Page } from '../parts/states.tsx';
import { Time } from '../parts/lists/values.tsx';
import { countUses, type SegmentUses } from '../segments/segment-uses.ts';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.segments;

interface Row {
  segment: Segment;
  uses: SegmentUses;
}

/** All segments, with what uses them. */
export function Segments() {
  const { scope, mayEdit } = usePlace();
  const [search, setSearch] = useAddressField('q');
  const [tag] = useAddressField('tag');
  const [order, setOrder] = useAddressField('order');
  const segments = useSegments();
  const flags = useFlags();
  const campaigns = useCampaigns();
  const base = `/${scope.game}/${scope.environment}/segments`;
  const usesOf = countUses(flags.data ?? [], campaigns.data ?? []);
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
              <Group align="flex-end">
                <TextInput
                  label={TEXTS.table.filter}
                  placeholder={texts.filterHelp}
                  maw={320}
                  value={search}
                  onChange={(event) => setSearch(event.currentTarget.value)}
                />
                <TagFilter of={found} />
              </Group>
              <DataTable
                label={texts.title}
                columns={COLUMNS}
                rows={found
                  .filter((segment) => isFound(segment, search, tag))
                  .map((segment): Row => ({ segment, uses: usesOf(segment.segment_id) }))}
                keyOf={({ segment }) => segment.segment_id}
                order={order}
                onOrder={setOrder}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
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
    cell: ({ segment }) => <SwitchBadge enabled={segment.enabled} />,
  },
  {
    id: 'owner',
    label: TEXTS.labels.owner,
    sortBy: ({ segment }) => segment.owner,
    cell: ({ segment }) => segment.owner,
  },
  {
    id: 'used',
    label: texts.columns.usedBy,
    sortBy: ({ uses: { flags, campaigns } }) => flags + campaigns,
    cell: ({ uses: { flags, campaigns } }) => (flags + campaigns === 0 ? texts.notUsed : texts.uses(flags, campaigns)),
  },
  {
    id: 'updated',
    label: texts.columns.updated,
    sortBy: ({ segment }) => segment.updated_at,
    cell: ({ segment }) => <Time at={segment.updated_at} />,
  },
];
