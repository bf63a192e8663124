import { type Flag, type FlagUsage, useFlags, useFlagUsage } from '../definitions.ts';
import { SwitchBadge } from '../parts/editors/switch-badge.tsx';
import { isSplit } from '../flags/split.ts';
import { useAddressField } from '../parts/address.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { NamedLink } from '../parts/named-link.tsx';
import { Empty, Loaded, Page } from '../parts/states.tsx';
import { number, Time } from '../parts/lists/values.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.experiments;

interface Row {
  flag: Flag;
  usage: FlagUsage | undefined;
}

/** The flags that split players, or did: those with exposures to several variants. */
export function Experiments() {
  const [order, setOrder] = useAddressField('order');
  const flags = useFlags();
  const usage = useFlagUsage();
  return (
    <Page title={texts.title} intro={texts.intro}>
      <Loaded query={flags}>
        {(found) => {
          const byKey = new Map((usage.data?.flags ?? []).map((each) => [each.key, each]));
          const rows = found
            .filter((flag) => isSplit(flag) || flag.variants.length > 1)
            .map((flag): Row => ({ flag, usage: byKey.get(flag.key) }));
          if (rows.length === 0) return <Empty title={texts.empty}>{texts.emptyHelp}</Empty>;
          return (
            <DataTable
              label={texts.title}
              columns={COLUMNS}
              rows={rows}
              keyOf={({ flag }) => flag.key}
              order={order === '' ? '-exposures' : order}
              onOrder={setOrder}
            />
          );
        }}
      </Loaded>
    </Page>
  );
}

function KeyCell({ flagKey }: { flagKey: string }) {
  const { scope } = usePlace();
  const base = `/${scope.game}/${scope.environment}/experiments`;
  return <NamedLink href={`${base}/${encodeURIComponent(flagKey)}`} name={flagKey} />;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'key',
    label: texts.columns.key,
    sortBy: ({ flag }) => flag.key,
    cell: ({ flag }) => <KeyCell flagKey={flag.key} />,
  },
  {
    id: 'state',
    label: texts.columns.state,
    sortBy: ({ flag }) => (flag.enabled ? 0 : 1),
    cell: ({ flag }) => <SwitchBadge enabled={flag.enabled} />,
  },
  {
    id: 'variants',
    label: texts.columns.variants,
    cell: ({ flag }) => (flag.flag_type === 'boolean' ? 'false, true' : flag.variants.map(({ key }) => key).join(', ')),
  },
  {
    id: 'exposures',
    label: texts.columns.exposures,
    align: 'right',
    sortBy: ({ usage }) => usage?.exposures,
    cell: ({ usage }) => (usage === undefined ? null : number(usage.exposures)),
  },
  {
    id: 'exposed',
    label: texts.columns.exposed,
    sortBy: ({ usage }) => usage?.last_exposed_at,
    cell: ({ usage }) => (usage === undefined ? null : <Time at={usage.last_exposed_at} />),
  },
];
