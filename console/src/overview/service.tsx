import { Alert, Anchor, Badge, Card, List, Table, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import type { Checks, Concern, Freshness } from '../operations/attention.ts';
import { ScrollRegion } from '../parts/scroll-region.tsx';
import { bytes } from '../parts/charts/units.ts';
import { number, Time } from '../parts/lists/values.tsx';
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
                  <Anchor component={Link} href={`${base}/${path}`} inherit underline="always">
                    {subject}
                  </Anchor>
                )}
                {': '}
              </>
            )}
            {text}{' '}
            {runbook === undefined ? null : (
              <Anchor component={Link} href={`${base}/operations?runbook=${runbook}`} inherit underline="always">
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
                <Table.Td className="break-anywhere">{info === undefined ? null : <Found info={info} />}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
    </Card>
  );
}

/** What a check found, an item a line. */
function Found({ info }: { info: Readonly<Record<string, unknown>> }) {
  return (
    <ul className="plain-list">
      {Object.entries(info).map(([name, value]) => (
        <li key={name}>
          {name.endsWith('_at') || name === 'reaches_back_to' ? (
            <>
              {words(name)}: <Time at={typeof value === 'string' ? value : null} />
            </>
          ) : (
            itemText(name, value)
          )}
        </li>
      ))}
    </ul>
  );
}

const UNITS = [
  ['_bytes', (value: number) => bytes(value)],
  ['_seconds', (value: number) => seconds(value)],
  ['_ms', (value: number) => `${number(Math.round(value))} ms`],
  ['_percent', (value: number) => `${number(value)} %`],
] as const;

/** A finding with its unit, which ends its name. */
function itemText(name: string, value: unknown): string {
  const unit = UNITS.find(([ending]) => name.endsWith(ending));
  const label = words(unit === undefined ? name : name.slice(0, -unit[0].length));
  return `${label}: ${valueText(value, unit?.[1] ?? number)}`;
}

function valueText(value: unknown, format: (value: number) => string): string {
  if (typeof value === 'number') return format(value);
  if (typeof value === 'boolean') return value ? TEXTS.yes : TEXTS.no;
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '–';
  if (Array.isArray(value)) {
    return value.length === 0 ? TEXTS.none : value.map((each: unknown) => valueText(each, format)).join(', ');
  }
  return Object.entries(value)
    .map(([name, inner]: [string, unknown]) =>
      // Such as `{ holder: 'clickhouse', bytes: 0 }`.
      typeof inner === 'string'
        ? inner
        : name === 'bytes'
          ? valueText(inner, bytes)
          : `${words(name)} ${valueText(inner, format)}`,
    )
    .join(' ');
}
