import { Alert, Anchor, Badge, Card, List, Table, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import type { Checks, Concern, Freshness } from '../operations/attention.ts';
import { ScrollRegion } from '../parts/scroll-region.tsx';
import { bytes } from '../parts/units.ts';
import { number, Time } from '../parts/values.tsx';
import { TEXTS } from '../texts.ts';
import { labelOf, lagOf, LATE_SECONDS, seconds, words } from './outputs.ts';

const texts = TEXTS.overview;

export function Attention({ concerns, base }: { concerns: readonly Concern[]; base: string }) {
  if (concerns.length === 0) return <Text size="sm">{texts.allWell}</Text>;
  return (
    <Alert color="orange" variant="outline" title={texts.attentionTitle(concerns.length)}>
      <List size="sm">
        {concerns.map(({ key, text, subject, path, runbook }) => (
          <List.Item key={key} className="break-anywhere">
            {subject === '' ? null : (
              <>
                {path === undefined ? (
                  subject
                ) : (
                  <Anchor component={Link} href={`${base}/${path}`} underline="always">
                    {subject}
                  </Anchor>
                )}
                {': '}
              </>
            )}
            {text}{' '}
            {runbook === undefined ? null : (
              <Anchor component={Link} href={`${base}/operations?runbook=${runbook}`} underline="always">
                {TEXTS.operations.openRunbook(runbook)}
              </Anchor>
            )}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** How far the outputs are behind what was accepted. */
export function Lag({ freshness }: { freshness: Freshness }) {
  return (
    <Card withBorder component="section" aria-labelledby="lag">
      <Title order={2} size="h5" id="lag">
        {texts.lag}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {texts.lagHelp}
      </Text>
      <ScrollRegion label={texts.tableOf(texts.lag)}>
        <Table verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.output}</Table.Th>
              <Table.Th>{texts.state}</Table.Th>
              <Table.Th ta="right">{texts.behind}</Table.Th>
              <Table.Th ta="right">{texts.records}</Table.Th>
              <Table.Th ta="right">{texts.median}</Table.Th>
              <Table.Th ta="right">{texts.p99}</Table.Th>
              <Table.Th>{texts.newest}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {freshness.outputs.map((output) => {
              const lag = lagOf(output, freshness);
              return (
                <Table.Tr key={output.output}>
                  <Table.Th scope="row" fw={400}>
                    {labelOf(output.output)}
                  </Table.Th>
                  <Table.Td>
                    <State ok={lag === null ? undefined : lag <= LATE_SECONDS} />
                  </Table.Td>
                  <Table.Td ta="right">{seconds(lag)}</Table.Td>
                  <Table.Td ta="right">{output.behind_records === null ? '–' : number(output.behind_records)}</Table.Td>
                  <Table.Td ta="right">{seconds(output.p50_seconds)}</Table.Td>
                  <Table.Td ta="right">{seconds(output.p99_seconds)}</Table.Td>
                  <Table.Td>
                    <Time at={output.newest_event_at} />
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
    </Card>
  );
}

function State({ ok }: { ok: boolean | undefined }) {
  if (ok === undefined) return <Badge {...badge('gray')}>{texts.unknown}</Badge>;
  return <Badge {...badge(ok ? 'green' : 'red')}>{ok ? texts.ok : texts.attention}</Badge>;
}

const badge = (color: string) => ({ color, variant: 'outline', tt: 'none' }) as const;

/** The checks of the process that answers. */
export function Service({ checks }: { checks: Checks }) {
  return (
    <Card withBorder component="section" aria-labelledby="service">
      <Title order={2} size="h5" mb="xs" id="service">
        {texts.health}
      </Title>
      <ScrollRegion label={texts.tableOf(texts.health)}>
        <Table verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.check}</Table.Th>
              <Table.Th>{texts.state}</Table.Th>
              <Table.Th>{texts.found}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {checks.map(({ name, ok, info }) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={400}>
                  {labelOf(name)}
                </Table.Th>
                <Table.Td>
                  <State ok={ok} />
                </Table.Td>
                <Table.Td className="break-anywhere">{info === undefined ? '' : infoText(info)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
    </Card>
  );
}

function infoText(info: Readonly<Record<string, unknown>>): string {
  return Object.entries(info)
    .map(([name, value]) => itemText(name, value))
    .join(', ');
}

const UNITS = [
  ['_bytes', (value: number) => bytes(value)],
  ['_seconds', (value: number) => seconds(value)],
  ['_ms', (value: number) => `${number(value)} ms`],
  ['_percent', (value: number) => `${number(value)} %`],
] as const;

/** A finding with its unit, which ends its name. */
function itemText(name: string, value: unknown): string {
  if (Array.isArray(value)) return `${words(name)}: ${value.length === 0 ? TEXTS.none : value.map(String).join(' ')}`;
  if (typeof value === 'boolean') return `${words(name)}: ${value ? TEXTS.yes : TEXTS.no}`;
  if (typeof value !== 'number') return `${words(name)}: ${value === null ? '–' : plain(value)}`;
  const unit = UNITS.find(([ending]) => name.endsWith(ending));
  if (unit === undefined) return `${words(name)}: ${number(value)}`;
  return `${words(name.slice(0, -unit[0].length))}: ${unit[1](value)}`;
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
