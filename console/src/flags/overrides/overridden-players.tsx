import { Button } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { type AnswerOf, call } from '../../frame/api.ts';
import { usePlace } from '../../frame/session.tsx';
import { JsonValue } from '../../parts/drafts/diff.tsx';
import type { Column } from '../../parts/lists/data-table.tsx';
import { PlayerPages, timeColumn, whoColumns } from '../../parts/players/player-pages.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.overrides;
/** How often the list is read: it is about a second behind. */
const REFETCH_MS = 5_000;

type OverridesPage = AnswerOf<'GET /v1/flags/flags/{key}/overrides'>;
type Override = OverridesPage['overrides'][number];

const COLUMNS: readonly Column<Override>[] = [
  ...whoColumns<Override>(texts.columns),
  { id: 'value', label: texts.columns.value, cell: ({ value }) => <JsonValue value={value} /> },
  { id: 'variant', label: texts.columns.variant, cell: ({ variant_key: variant }) => variant },
  timeColumn('set', texts.columns.set, ({ set_at: at }) => at),
  { id: 'look', label: texts.columns.look, cell: (override) => <LookUp override={override} /> },
];

/** Opens a player in the form above. */
function LookUp({ override: { player_id: id, external_id: external } }: { override: Override }) {
  const [, setParams] = useSearchParams();
  return (
    <Button
      size="compact-xs"
      variant="default"
      onClick={() =>
        setParams((before) => {
          before.set('player', id);
          return before;
        })
      }
    >
      {texts.lookAt(external)}
    </Button>
  );
}

/** The players with an override of a flag. */
export function OverriddenPlayers({ flagKey }: { flagKey: string }) {
  const { scope, mayEdit } = usePlace();
  return (
    <PlayerPages
      title={texts.all}
      help={texts.allHelp}
      none={texts.none}
      queryKey={['overrides', scope.game, scope.environment, flagKey]}
      refetchMs={REFETCH_MS}
      load={(query, signal) =>
        call(scope, 'GET /v1/flags/flags/{key}/overrides', { path: { key: flagKey }, query, signal })
      }
      rowsOf={({ overrides }: OverridesPage) => overrides}
      columns={mayEdit ? COLUMNS : COLUMNS.slice(0, -1)}
    />
  );
}
