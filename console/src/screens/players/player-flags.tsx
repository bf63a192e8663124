import { Alert, Anchor, Badge, Button, Checkbox, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../frame/api.ts';
import { useAddressField } from '../../parts/address.ts';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { OverrideDialog } from './override-dialog.tsx';
import type { PlayerFlag } from './player-flag.ts';

const texts = TEXTS.playerFlags;

type Result = NonNullable<PlayerFlag['now']>;
type Exposure = PlayerFlag['exposures'][number];

/** Every flag: what the player got, what the player saw and when, and what the flag would serve now. */
export function PlayerFlags({ playerId }: { playerId: string }) {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const [filter, setFilter] = useAddressField('flag');
  const [onlySeen, setOnlySeen] = useAddressField('seen');
  const flags = useQuery({
    queryKey: ['player-flags', game, environment, playerId],
    queryFn: ({ signal }) => call(scope, 'GET /v1/players/players/{id}/flags', { path: { id: playerId }, signal }),
  });
  return (
    <Stack>
      <Text>{texts.intro}</Text>
      {environment === 'test' ? <Alert color="gray">{texts.testEnvironment}</Alert> : null}
      <Group align="flex-end">
        <TextInput label={texts.filter} value={filter} onChange={(event) => setFilter(event.currentTarget.value)} />
        <Checkbox
          label={texts.onlySeen}
          checked={onlySeen !== ''}
          onChange={(event) => setOnlySeen(event.currentTarget.checked ? 'yes' : '')}
        />
      </Group>
      <Loaded query={flags} rows={6}>
        {({ flags: all, exposures_complete: complete }) => {
          const shown = all.filter(
            (flag) => flag.flag_key.includes(filter) && (onlySeen === '' || flag.exposures.length > 0),
          );
          return (
            <>
              {complete ? null : <Alert color="yellow">{texts.incomplete}</Alert>}
              {shown.length === 0 ? (
                <Empty title={all.length === 0 ? texts.none : texts.noneMatch} />
              ) : (
                <FlagTable flags={shown} playerId={playerId} complete={complete} />
              )}
            </>
          );
        }}
      </Loaded>
    </Stack>
  );
}

interface FlagTableProps {
  flags: readonly PlayerFlag[];
  playerId: string;
  complete: boolean;
}

function FlagTable({ flags, playerId, complete }: FlagTableProps) {
  const { scope, mayEdit } = usePlace();
  const [changing, setChanging] = useState<{ flag: PlayerFlag; removes: boolean } | undefined>();
  return (
    <ScrollRegion label={TEXTS.player.tabs.flags}>
      <Table verticalSpacing="sm" miw={980} aria-label={TEXTS.player.tabs.flags}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.columns.flag}</Table.Th>
            <Table.Th>
              {texts.columns.got} <Origin recorded />
            </Table.Th>
            <Table.Th>
              {texts.columns.seen} <Origin recorded />
            </Table.Th>
            <Table.Th>
              {texts.columns.now} <Origin />
            </Table.Th>
            <Table.Th>{texts.columns.override}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {flags.map((flag) => (
            <Table.Tr key={flag.flag_key} style={{ verticalAlign: 'top' }}>
              <Table.Td>
                <FlagName flag={flag} playerId={playerId} />
              </Table.Td>
              <Table.Td>
                <Got flag={flag} />
              </Table.Td>
              <Table.Td>{complete ? <Seen flag={flag} /> : null}</Table.Td>
              <Table.Td>
                <Now flag={flag} />
              </Table.Td>
              <Table.Td>
                {flag.override === null ? null : <Value value={flag.override.value} variant={null} />}
                {mayEdit && flag.now !== null ? (
                  <Group gap={4} mt={4}>
                    <Button size="compact-xs" variant="default" onClick={() => setChanging({ flag, removes: false })}>
                      {flag.override === null ? texts.setOverride : texts.changeOverride}
                    </Button>
                    {flag.override === null ? null : (
                      <Button size="compact-xs" variant="default" onClick={() => setChanging({ flag, removes: true })}>
                        {texts.removeOverride}
                      </Button>
                    )}
                  </Group>
                ) : null}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {changing === undefined ? null : (
        <OverrideDialog
          key={`${scope.game} ${changing.flag.flag_key}`}
          flag={changing.flag}
          removes={changing.removes}
          playerId={playerId}
          onClose={() => setChanging(undefined)}
        />
      )}
    </ScrollRegion>
  );
}

/** Says of a column whether it holds records or a calculation. */
function Origin({ recorded = false }: { recorded?: boolean }) {
  return (
    <Badge variant={recorded ? 'outline' : 'default'} color="gray" tt="none" size="sm">
      {recorded ? texts.recorded : texts.simulated}
    </Badge>
  );
}

function FlagName({ flag, playerId }: { flag: PlayerFlag; playerId: string }) {
  const { scope } = usePlace();
  const key = encodeURIComponent(flag.flag_key);
  const path = `/${scope.game}/${scope.environment}/flags/${key}`;
  if (flag.now === null) {
    return (
      <>
        <Text fw={600}>{flag.flag_key}</Text>
        <Text size="xs">{texts.notExistent}</Text>
      </>
    );
  }
  return (
    <>
      <Anchor component={Link} href={path} fw={600}>
        {flag.flag_key}
      </Anchor>
      <Text size="xs" c="dimmed">
        {flag.name}
      </Text>
      <Anchor component={Link} href={`${path}?tab=playground&player=${playerId}`} size="xs" underline="always">
        {texts.explain}
      </Anchor>
    </>
  );
}

function Got({ flag: { served } }: { flag: PlayerFlag }) {
  if (served === null) return <Text size="sm">{texts.notServed}</Text>;
  return (
    <>
      <Value value={served.value} variant={served.variant_key} />
      <Why result={served} />
      <Text size="xs" c="dimmed">
        {texts.version(served.flag_version)}
        {served.current_period ? '' : `, ${texts.earlierPeriod}`}
      </Text>
      {served.mixed ? (
        <Text size="xs" fw={600}>
          {texts.mixed}
        </Text>
      ) : null}
    </>
  );
}

function Seen({ flag: { exposures } }: { flag: PlayerFlag }) {
  const [latest, ...earlier] = exposures;
  if (latest === undefined) return <Text size="sm">{texts.notSeen}</Text>;
  return (
    <>
      <SeenOnce exposure={latest} />
      {earlier.length === 0 ? null : (
        <details>
          <Text component="summary" size="xs">
            {texts.moreSeen(earlier.length)}
          </Text>
          {earlier.map((exposure) => (
            <SeenOnce key={`${exposure.first_seen_at} ${exposure.variant_key}`} exposure={exposure} />
          ))}
        </details>
      )}
    </>
  );
}

function SeenOnce({ exposure }: { exposure: Exposure }) {
  const { attribution } = exposure;
  const known = ATTRIBUTIONS[attribution];
  return (
    <div>
      <Value value={exposure.value} variant={exposure.variant_key} />{' '}
      <Text size="sm" span>
        <Time at={exposure.first_seen_at} />
      </Text>
      <Text size="xs">{whyText({ reason: exposure.reason })}</Text>
      <Text size="xs" c="dimmed">
        {[texts.version(exposure.flag_version), known].filter((part) => part !== undefined).join(', ')}
      </Text>
    </div>
  );
}

const ATTRIBUTIONS: Readonly<Record<string, string>> = texts.attribution;

function Now({ flag: { now, served } }: { flag: PlayerFlag }) {
  if (now === null) return <Text size="sm">{texts.notExistent}</Text>;
  const differs = served !== null && JSON.stringify(served.value) !== JSON.stringify(now.value);
  return (
    <>
      <Value value={now.value} variant={now.variant_key} />
      <Why result={now} />
      {differs ? (
        <Text size="xs" fw={600}>
          {texts.differs}
        </Text>
      ) : null}
    </>
  );
}

/** A variant by its key, with its value; a value alone without one. */
function Value({ value, variant }: { value: unknown; variant: string | null }) {
  return (
    <span className="mono">
      {variant === null ? null : <b>{variant} </b>}
      {JSON.stringify(value)}
    </span>
  );
}

function Why({ result }: { result: Pick<Result, 'reason' | 'segment_id' | 'segment_key' | 'prerequisite_key'> }) {
  return <Text size="xs">{whyText(result)}</Text>;
}

/** Why a flag serves something, in words. */
function whyText(result: {
  reason: string;
  segment_id?: string;
  segment_key?: string | null;
  prerequisite_key?: string;
}) {
  const { why } = texts;
  switch (result.reason) {
    case 'default':
      return why.default;
    case 'segment_match':
      // Records of exposures do not name the segment.
      if (result.segment_key === undefined) return why.some_segment;
      return why.segment_match(result.segment_key ?? texts.deletedSegment);
    case 'percentage_rollout':
      return why.percentage_rollout;
    case 'flag_disabled':
      return result.prerequisite_key === undefined ? why.flag_disabled : why.prerequisite(result.prerequisite_key);
    case 'player_override':
      return why.player_override;
    default:
      return why.unknown(result.reason);
  }
}
