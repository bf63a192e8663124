import { Text } from '@mantine/core';
import { Time } from '../parts/lists/values.tsx';
import type { OpsStatus } from './ops-status.ts';
import { TEXTS } from '../texts.ts';
import { Figures, Panel, State, Unread } from './panel.tsx';

const texts = TEXTS.operations;

interface PanelOf {
  status: OpsStatus;
  onRunbook: (entry: string) => void;
}

export function PartitionsPanel({ status: { partitions }, onRunbook }: PanelOf) {
  const owned = partitions?.filter(({ owner }) => owner !== null).length ?? 0;
  return (
    <Panel
      title={texts.partitions}
      entry="PartitionWithoutOwner"
      onRunbook={onRunbook}
      {...(partitions === null ? {} : { ok: owned === partitions.length })}
    >
      {partitions === null ? (
        <Unread />
      ) : (
        <>
          <Text size="sm">{texts.allOwned(owned, partitions.length)}</Text>
          <Figures
            label={texts.partitions}
            heads={[texts.partition, texts.owner, texts.standbys, texts.refusedBy]}
            rows={partitions.map(({ partition, owner, standbys, refused_by: refusedBy }) => ({
              key: String(partition),
              cells: [
                partition,
                owner === null ? (
                  <State key="owner" ok={false} label={texts.noOwner} />
                ) : (
                  <Node key="owner" name={owner} />
                ),
                standbys.length === 0 ? texts.noStandby : standbys.map((node) => <Node key={node} name={node} />),
                refusedBy.map((node) => <Node key={node} name={node} />),
              ],
            }))}
          />
        </>
      )}
    </Panel>
  );
}

export function ProcessesPanel({ status: { processes, format }, onRunbook }: PanelOf) {
  const isRefused = processes?.some(({ refuses_because: reason }) => reason !== null) ?? false;
  return (
    <Panel
      title={texts.processes}
      entry={isRefused ? 'PartitionRefused' : 'ProcessDown'}
      onRunbook={onRunbook}
      {...(processes === null ? {} : { ok: !isRefused })}
    >
      {processes === null ? (
        <Unread />
      ) : (
        <Figures
          label={texts.processes}
          heads={[
            texts.node,
            texts.roles,
            texts.version,
            texts.format,
            texts.started,
            texts.owns,
            texts.ready,
            texts.refusal,
          ]}
          rows={processes.map((one) => ({
            key: one.node,
            cells: [
              <Node key="node" name={one.node} />,
              one.roles.join(', '),
              one.version ?? texts.unknown,
              one.format,
              <Time key="started" at={one.started_at} />,
              one.partitions_owned,
              one.partitions_ready,
              one.refuses_because ?? texts.unknown,
            ],
          }))}
        />
      )}
      {format === null ? null : (
        <Text size="sm">
          <b>{texts.formatGate}:</b> {texts.formatHelp(format.lowest, format.own)}
        </Text>
      )}
    </Panel>
  );
}

export function Node({ name }: { name: string }) {
  return <span className="mono">{name} </span>;
}
