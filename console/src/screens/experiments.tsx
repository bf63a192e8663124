import { Badge, Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { EXPERIMENT_STATES } from '../../../core/vocabulary/documents/experiments.ts';
import { type Experiment, useExperiments } from '../definitions.ts';
import { isOverdue } from '../experiments/experiment-document.ts';
import { NewExperiment } from '../experiments/new-experiment.tsx';
import { StateBadge } from '../experiments/state-badge.tsx';
import { useAddressField } from '../parts/address.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { isFound } from '../parts/labels/labels.ts';
import { TagFilter } from '../parts/labels/tag-filter.tsx';
import { NamedLink } from '../parts/named-link.tsx';
import { Empty, Loaded, Page } from '../parts/states.tsx';
import { Time } from '../parts/lists/values.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.experiments;

/** All experiments. Filter and order are in the address, and so is the flag for which a new one is begun. */
export function Experiments() {
  const { mayEdit } = usePlace();
  const [flagKey, setFlagKey] = useAddressField('new');
  const [adding, setAdding] = useState(false);
  const found = useExperiments();
  const close = (): void => {
    setAdding(false);
    setFlagKey('');
  };
  return (
    <Page
      title={texts.title}
      intro={texts.intro}
      actions={mayEdit ? <Button onClick={() => setAdding(true)}>{texts.add}</Button> : null}
    >
      <Loaded query={found}>
        {(experiments) =>
          experiments.length === 0 ? (
            <Empty title={texts.empty}>{texts.emptyHelp}</Empty>
          ) : (
            <Found experiments={experiments} nowMs={Date.now()} />
          )
        }
      </Loaded>
      {mayEdit && (adding || flagKey !== '') ? <NewExperiment flagKey={flagKey} onClose={close} /> : null}
    </Page>
  );
}

/** The experiments that the filters of the address choose. */
function Found({ experiments, nowMs }: { experiments: readonly Experiment[]; nowMs: number }) {
  const { scope } = usePlace();
  const [search, setSearch] = useAddressField('q');
  const [tag] = useAddressField('tag');
  const [state, setState] = useAddressField('state');
  const [order, setOrder] = useAddressField('order');
  return (
    <>
      <Group align="flex-end">
        <TextInput
          label={TEXTS.table.filter}
          placeholder={texts.filterHelp}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <NativeSelect
          label={texts.state}
          value={state}
          data={[
            { value: '', label: texts.allStates },
            ...EXPERIMENT_STATES.map((value) => ({ value, label: texts.states[value] })),
          ]}
          onChange={(event) => setState(event.currentTarget.value)}
        />
        <TagFilter of={experiments} />
      </Group>
      <DataTable
        label={texts.title}
        rows={experiments
          .filter((experiment) => isFound(experiment, search, tag))
          .filter((experiment) => state === '' || experiment.state === state)}
        keyOf={({ key }) => key}
        order={order}
        onOrder={setOrder}
        columns={columnsOf(`/${scope.game}/${scope.environment}`, nowMs)}
      />
    </>
  );
}

function columnsOf(base: string, nowMs: number): readonly Column<Experiment>[] {
  return [
    {
      id: 'name',
      label: texts.columns.name,
      sortBy: ({ name }) => name,
      cell: ({ key, name }) => (
        <NamedLink
          href={`${base}/experiments/${encodeURIComponent(key)}`}
          name={name}
          {...(name === key ? {} : { below: key })}
        />
      ),
    },
    {
      id: 'state',
      label: texts.columns.state,
      sortBy: ({ state }) => EXPERIMENT_STATES.indexOf(state),
      cell: ({ state, mode }) => (
        <Group gap={4} wrap="nowrap">
          <StateBadge state={state} />
          {mode === 'aa' ? <ModeBadge /> : null}
        </Group>
      ),
    },
    {
      id: 'flag',
      label: texts.columns.flag,
      sortBy: ({ flag_key: key }) => key,
      cell: ({ flag_key: key }) => <NamedLink href={`${base}/flags/${encodeURIComponent(key)}`} name={key} />,
    },
    { id: 'owner', label: texts.columns.owner, sortBy: ({ owner }) => owner, cell: ({ owner }) => owner },
    { id: 'winner', label: texts.columns.winner, sortBy: ({ winner }) => winner, cell: ({ winner }) => winner },
    {
      id: 'phase',
      label: texts.columns.phase,
      align: 'right',
      sortBy: ({ phases }) => phases.length,
      cell: ({ phases }) => phases.at(-1)?.phase,
    },
    {
      id: 'started',
      label: texts.columns.started,
      sortBy: ({ started_at: at }) => at,
      cell: ({ started_at: at }) => <Time at={at} />,
    },
    {
      id: 'ends',
      label: texts.columns.ends,
      sortBy: ({ plan: { ends_at: at } }) => at,
      cell: (experiment) => <PlannedEnd experiment={experiment} nowMs={nowMs} />,
    },
  ];
}

/** All variants serve the control. */
export function ModeBadge() {
  return (
    <Badge variant="default" tt="none" miw="max-content">
      {texts.aa}
    </Badge>
  );
}

/** When people want to decide, and whether that is past. */
export function PlannedEnd({ experiment, nowMs }: { experiment: Pick<Experiment, 'plan' | 'state'>; nowMs: number }) {
  const { ends_at: at = null } = experiment.plan;
  if (at === null) return TEXTS.none;
  return (
    <>
      <Time at={at} />{' '}
      {isOverdue(experiment, nowMs) ? (
        <Badge variant="outline" color="orange" tt="none" miw="max-content">
          ! {texts.overdue}
        </Badge>
      ) : null}
    </>
  );
}
