import { Text } from '@mantine/core';
import type { AnswerOf } from '../frame/api.ts';
import { Meter } from '../parts/charts/bars.tsx';
import { Loaded } from '../parts/states.tsx';
import { bytes } from '../parts/charts/units.ts';
import { number, Time } from '../parts/lists/values.tsx';
import type { OpsStatus } from './ops-status.ts';
import { TEXTS } from '../texts.ts';
import { Node } from './owners-panels.tsx';
import { Figures, Panel, State, Unread } from './panel.tsx';

const texts = TEXTS.operations;

interface PanelOf {
  status: OpsStatus;
  onRunbook: (entry: string) => void;
}

interface FreshnessQuery {
  data: AnswerOf<'GET /v1/ops/freshness'> | undefined;
  error: Error | null;
  refetch: () => unknown;
}

export function FreshnessPanel({ query }: { query: FreshnessQuery }) {
  const seconds = (value: number | null): string => (value === null ? texts.unknown : texts.seconds(value));
  return (
    <Panel title={texts.freshness}>
      <Text size="sm" c="dimmed">
        {texts.freshnessHelp}
      </Text>
      <Loaded query={query} rows={3}>
        {({ outputs }) => (
          <Figures
            label={texts.freshness}
            heads={[texts.output, texts.asOf, texts.p50, texts.p99, texts.samples]}
            rows={outputs.map((one) => ({
              key: one.output,
              cells: [
                texts.outputs[one.output] ?? one.output,
                one.fresh_as_of === null ? texts.unknown : <Time key="as-of" at={one.fresh_as_of} />,
                seconds(one.p50_seconds),
                seconds(one.p99_seconds),
                number(one.samples),
              ],
            }))}
          />
        )}
      </Loaded>
    </Panel>
  );
}

export function SinksPanel({ status: { sinks, findings }, onRunbook }: PanelOf) {
  const isWell = !findings.some(({ runbook }) => runbook.startsWith('Sink'));
  return (
    <Panel title={texts.sinks} entry="SinkBehind" onRunbook={onRunbook} {...(sinks === null ? {} : { ok: isWell })}>
      {sinks === null ? (
        <Unread />
      ) : (
        <Figures
          label={texts.sinks}
          heads={[texts.sink, texts.runsOn, texts.behind, texts.oldest]}
          rows={sinks.map((one) => ({
            key: one.sink,
            cells: [
              `${one.sink} (${one.stream})`,
              one.node === null ? (
                <State key="node" ok={false} label={texts.noOwner} />
              ) : (
                <Node key="node" name={one.node} />
              ),
              one.lost_rows ? (
                <State key="behind" ok={false} label={texts.lost} />
              ) : one.behind_records === null ? (
                texts.unknown
              ) : (
                number(one.behind_records)
              ),
              one.oldest_waiting_at === null ? texts.nothingWaits : <Time key="oldest" at={one.oldest_waiting_at} />,
            ],
          }))}
        />
      )}
    </Panel>
  );
}

export function BrokerPanel({ status: { broker, clickhouse, streams }, onRunbook }: PanelOf) {
  const isWell = broker.connected && clickhouse.answers;
  return (
    <Panel
      title={`${texts.broker}, ${texts.clickhouse}`}
      ok={isWell}
      entry={broker.connected && !clickhouse.answers ? 'SinkUnreachable' : 'NotReady'}
      onRunbook={onRunbook}
    >
      <Text size="sm">
        <b>{texts.broker}:</b> {broker.connected ? texts.connected : texts.disconnected}.{' '}
        {broker.clock_ahead_ms === null ? null : texts.clockAhead(number(broker.clock_ahead_ms))}
      </Text>
      <Text size="sm">
        <b>{texts.clickhouse}:</b>{' '}
        {clickhouse.answers
          ? texts.answersIn(clickhouse.version ?? texts.unknown, number(clickhouse.answered_in_ms ?? 0))
          : texts.silent}
      </Text>
      {streams === null ? (
        <Unread />
      ) : (
        <Figures
          label={texts.streams}
          heads={[texts.stream, texts.records, texts.bytes, texts.fill]}
          rows={streams.map((one) => ({
            key: one.stream,
            cells: [
              one.stream,
              number(one.records),
              bytes(one.bytes),
              one.max_bytes === null ? (
                texts.unknown
              ) : (
                <Meter key="fill" share={one.bytes / one.max_bytes} label={`${texts.fill}: ${one.stream}`} />
              ),
            ],
          }))}
        />
      )}
    </Panel>
  );
}
