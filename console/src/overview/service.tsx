import { Alert, Anchor, Badge, Card, List, Table, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import type { AnswerOf } from '../api.ts';
import { ScrollRegion } from '../parts/scroll-region.tsx';
import { number, Time } from '../parts/values.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.overview;

export type Freshness = AnswerOf<'GET /v1/ops/freshness'>;
export type Checks = NonNullable<AnswerOf<'GET /readyz'>['details']>;
export type Webhooks = AnswerOf<'GET /v1/integrations/webhooks'>['webhooks'];

/** Outputs that are further behind need attention. */
const LATE_SECONDS = 60;

interface Concern {
  text: string;
  /** The screen that helps, below the game. */
  path?: string;
}

/** What a person should look at now. */
export function concernsOf(
  checks: Checks | undefined,
  freshness: Freshness | undefined,
  webhooks: Webhooks | undefined,
): Concern[] {
  const late = (freshness?.outputs ?? []).filter((output) => (lagOf(output, freshness) ?? 0) > LATE_SECONDS);
  return [
    ...(checks ?? []).filter(({ ok }) => !ok).map(({ name }) => ({ text: texts.failing(labelOf(name)) })),
    ...late.map((output) => ({
      text: texts.late(labelOf(output.output), seconds(lagOf(output, freshness))),
    })),
    ...(freshness !== undefined && freshness.game === null ? [{ text: texts.noClickhouse }] : []),
    ...(webhooks ?? []).flatMap(({ name, webhook_id: id, disabled }) =>
      disabled === undefined
        ? []
        : [{ text: texts.webhookOff(name, texts.reasons[disabled.reason]), path: `webhooks/${id}` }],
    ),
  ];
}

export function Attention({ concerns, base }: { concerns: readonly Concern[]; base: string }) {
  if (concerns.length === 0) return <Text size="sm">{texts.allWell}</Text>;
  return (
    <Alert color="orange" variant="outline" title={texts.attentionTitle(concerns.length)}>
      <List size="sm">
        {concerns.map(({ text, path }) => (
          <List.Item key={text} className="break-anywhere">
            {path === undefined ? (
              text
            ) : (
              <Anchor component={Link} href={`${base}/${path}`} underline="always">
                {text}
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

function lagOf({ fresh_as_of: asOf }: Freshness['outputs'][number], freshness: Freshness | undefined): number | null {
  if (asOf === null || freshness === undefined) return null;
  return Math.max(0, (Date.parse(freshness.measured_at) - Date.parse(asOf)) / 1000);
}

function seconds(value: number | null): string {
  return value === null ? '–' : texts.seconds(value >= 10 ? number(Math.round(value)) : value.toFixed(2));
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

/** A name of the API in words. */
function labelOf(name: string): string {
  return Object.entries(texts.names).find(([known]) => known === name)?.[1] ?? words(name);
}

const words = (name: string): string => name.replaceAll('_', ' ');

function infoText(info: Readonly<Record<string, unknown>>): string {
  return Object.entries(info)
    .map(([name, value]) => itemText(name, value))
    .join(', ');
}

const UNITS = [
  ['_bytes', (value: number) => bytesText(value)],
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

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

function bytesText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** step).toFixed(step === 0 ? 0 : 1)} ${SIZES[step] ?? ''}`;
}
