import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Meter } from '../parts/charts/bars.tsx';
import { bytes } from '../parts/charts/units.ts';
import { number, Time } from '../parts/lists/values.tsx';
import type { OpsStatus } from './ops-status.ts';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { Figures, Panel, Unread } from './panel.tsx';

const texts = TEXTS.operations;
const HIGH = 0.8;
const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];

interface PanelOf {
  status: OpsStatus;
  onRunbook: (entry: string) => void;
}

export function SpacePanel({ status: { disk, log, findings }, onRunbook }: PanelOf) {
  const entries: readonly string[] = ['WritesRefused', 'LogFull', 'LogFillsUp', 'DiskAlmostFull'];
  const found = findings.find(({ runbook }) => entries.includes(runbook));
  const used = disk.size_bytes === 0 ? 0 : 1 - disk.free_bytes / disk.size_bytes;
  return (
    <Panel
      title={texts.space}
      ok={found === undefined}
      entry={found?.runbook ?? 'DiskAlmostFull'}
      onRunbook={onRunbook}
    >
      <Text size="sm">
        <b>{texts.disk}:</b> {texts.diskFree(bytes(disk.free_bytes), bytes(disk.size_bytes), bytes(disk.reserve_bytes))}
      </Text>
      <Meter share={used} label={texts.disk} isHigh={used > HIGH} />
      {log === null ? (
        <Unread />
      ) : (
        <>
          <Text size="sm">
            <b>{texts.log}:</b> {texts.logUsed(bytes(log.used_bytes), bytes(log.limit_bytes))}.{' '}
            {log.full_in_seconds === null ? texts.forecast.none : texts.forecast.full(duration(log.full_in_seconds))}
          </Text>
          <Meter
            share={log.used_bytes / log.limit_bytes}
            label={texts.log}
            isHigh={log.used_bytes > HIGH * log.limit_bytes}
          />
          <Text size="sm">
            {texts.reaches}: <Time at={log.reaches_back_to} />
          </Text>
          <Figures
            label={texts.holders}
            heads={[texts.holder, texts.bytes]}
            rows={log.held.map(({ holder, bytes: size }) => ({ key: holder, cells: [holder, bytes(size)] }))}
          />
        </>
      )}
    </Panel>
  );
}

function duration(seconds: number): string {
  if (seconds >= 2 * DAY) return texts.forecast.days(Math.floor(seconds / DAY));
  if (seconds >= 2 * HOUR) return texts.forecast.hours(Math.floor(seconds / HOUR));
  return texts.forecast.minutes(Math.floor(seconds / MINUTE));
}

export function WebhooksPanel({ status: { webhooks, webhook_attempts: attempts }, onRunbook }: PanelOf) {
  const { scope } = usePlace();
  const isWell = attempts?.every(({ failed, given_up: givenUp }) => failed + givenUp === 0);
  return (
    <Panel
      title={texts.webhooks}
      entry="WebhooksWait"
      onRunbook={onRunbook}
      {...(isWell === undefined ? {} : { ok: isWell })}
    >
      {webhooks === null ? (
        <Unread />
      ) : (
        <Text size="sm">{texts.queue(number(webhooks.queued_records), number(webhooks.scheduled_retries))}</Text>
      )}
      {attempts === null ? (
        <Unread />
      ) : attempts.length === 0 ? (
        <Text size="sm">{texts.noAttempts}</Text>
      ) : (
        <Figures
          label={texts.webhooks}
          heads={[texts.webhook, texts.delivered, texts.failed, texts.givenUp, texts.lastFailure]}
          rows={attempts.map((one) => ({
            key: one.webhook_id,
            cells: [
              <Anchor
                key="webhook"
                component={Link}
                href={`/${scope.game}/${scope.environment}/webhooks/${encodeURIComponent(one.webhook_id)}`}
              >
                {one.name === '' ? one.webhook_id : one.name}
              </Anchor>,
              number(one.delivered),
              number(one.failed),
              number(one.given_up),
              one.last_failure_at === null ? (
                TEXTS.none
              ) : (
                <span key="failure">
                  {one.last_status ?? texts.noResponse}, <Time at={one.last_failure_at} />
                </span>
              ),
            ],
          }))}
        />
      )}
    </Panel>
  );
}
