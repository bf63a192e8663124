import {
  Alert,
  Badge,
  Button,
  Card,
  Group,
  List,
  SimpleGrid,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { type AnswerOf, call } from '../frame/api.ts';
import { JsonValue } from '../parts/drafts/diff.tsx';
import { JsonEditor } from '../parts/editors/json-editor.tsx';
import { isSameJson, parseObject } from '../parts/editors/json-text.ts';
import { playerIdOf } from '../parts/players/player-lookup.ts';
import { Loaded } from '../parts/states.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { TestsTable } from './tests-table.tsx';

const texts = TEXTS.playground;

type Explained = AnswerOf<'POST /v1/flags/flags/explain'>['flags'][number];
type Step = NonNullable<Explained['steps']>[number];

/** Why a player gets a variant, step by step. The player and the context are in the address. */
export function Playground({ flagKey, hasDraft }: { flagKey: string; hasDraft: boolean }) {
  const { scope } = usePlace();
  const [params, setParams] = useSearchParams();
  const player = params.get('player') ?? '';
  const context = params.get('context') ?? '{}';
  const [typed, setTyped] = useState({ player, context });
  const query = useQuery({
    queryKey: ['explain', scope.game, scope.environment, flagKey, player, context],
    queryFn: async ({ signal }) => {
      const body = { player_id: await playerIdOf(scope, player), flag_keys: [flagKey], context: parseObject(context) };
      return call(scope, 'POST /v1/flags/flags/explain', { body, signal });
    },
    enabled: player !== '',
    staleTime: 0,
  });
  const run = (): void => {
    setParams((before) => {
      before.set('player', typed.player.trim());
      if (typed.context.trim() === '{}') before.delete('context');
      else before.set('context', typed.context);
      return before;
    });
    void query.refetch();
  };
  return (
    <Stack>
      <Text c="dimmed">{texts.intro}</Text>
      {hasDraft ? <Alert color="yellow" variant="outline" title={texts.saved} /> : null}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <Stack gap="sm">
          <TextInput
            label={texts.player}
            value={typed.player}
            maw={420}
            onChange={(event) => setTyped({ ...typed, player: event.currentTarget.value })}
          />
          <JsonEditor
            label={texts.context}
            description={texts.contextHelp}
            minHeight={60}
            value={typed.context}
            onChange={(text) => setTyped((before) => ({ ...before, context: text }))}
          />
          <Button
            type="submit"
            w="fit-content"
            disabled={typed.player.trim() === '' || parseObject(typed.context) === undefined}
          >
            {texts.run}
          </Button>
        </Stack>
      </form>
      {player === '' ? null : (
        <Loaded query={query}>
          {({ flags: [found] }) => (found === undefined ? null : <Explanation of={found} />)}
        </Loaded>
      )}
    </Stack>
  );
}

function Explanation({ of: found }: { of: Explained }) {
  const { last_served: last, exposures, steps = [] } = found;
  const differs = last !== null && !(isSameJson(last.value, found.value) && last.variant_key === found.variant_key);
  return (
    <Stack aria-live="polite">
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Card withBorder>
          <Text size="sm" c="dimmed">
            {texts.now}
          </Text>
          <Served of={found} />
          <Text size="sm">{texts.reasons[reasonOf(found.reason)]}</Text>
        </Card>
        <Card withBorder>
          <Text size="sm" c="dimmed">
            {texts.last}
          </Text>
          {last === null ? (
            <Text>{texts.nothing}</Text>
          ) : (
            <>
              <Served of={last} />
              <Text size="sm">
                {texts.reasons[reasonOf(last.reason)]}, {texts.version(last.version)}
                {last.mixed ? `, ${texts.mixed}` : ''}
              </Text>
            </>
          )}
        </Card>
        <Card withBorder>
          <Text size="sm" c="dimmed">
            {texts.exposed}
          </Text>
          {exposures.length === 0 ? <Text>{texts.notExposed}</Text> : null}
          <List size="sm">
            {exposures.map((each, place) => (
              <List.Item key={place}>
                <b>{each.variant_key ?? TEXTS.none}</b>, {texts.version(each.version)}
              </List.Item>
            ))}
          </List>
        </Card>
      </SimpleGrid>
      {differs ? <Alert color="yellow" variant="outline" title={texts.differs} /> : null}
      <Title order={2} size="h5">
        {texts.steps}
      </Title>
      <Table aria-label={texts.steps} verticalSpacing={6}>
        <Table.Tbody>
          {steps.map((step, place) => (
            <StepRow key={place} place={place + 1} step={step} />
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

function Served({ of: { value, variant_key: variant } }: { of: Pick<Explained, 'value' | 'variant_key'> }) {
  return (
    <Group gap="xs">
      <JsonValue value={value} />
      {variant === null ? null : (
        <Badge variant="outline" tt="none">
          {texts.variant(variant)}
        </Badge>
      )}
    </Group>
  );
}

function StepRow({ place, step }: { place: number; step: Step }) {
  const { tests = [] } = step;
  return (
    <Table.Tr>
      <Table.Td w={30}>{place}</Table.Td>
      <Table.Td w={30} aria-label={markOf(step) === 'passed' ? texts.yes : texts.no}>
        {texts.marks[markOf(step)]}
      </Table.Td>
      <Table.Td>
        <Text size="sm">{sentenceOf(step)}</Text>
        {tests.length === 0 ? null : <TestsTable tests={tests} />}
      </Table.Td>
    </Table.Tr>
  );
}

function markOf(step: Step): keyof typeof texts.marks {
  if (step.outcome === 'not_reached') return 'skipped';
  if (step.outcome !== undefined) return DECIDES.includes(step.outcome) ? 'passed' : 'failed';
  if (step.step === 'override') return step.overridden === true ? 'passed' : 'skipped';
  return step.passed === false ? 'failed' : 'passed';
}

const DECIDES: readonly Step['outcome'][] = ['served', 'kept', 'drawn'];

function sentenceOf(step: Step): string {
  const sentences = texts.step;
  switch (step.step) {
    case 'enabled':
      return step.passed === true ? sentences.enabledYes : sentences.enabledNo;
    case 'prerequisite':
      return step.required_variant === undefined
        ? sentences.prerequisite(step.flag_key ?? '', JSON.stringify(step.required), JSON.stringify(step.served))
        : sentences.prerequisite(step.flag_key ?? '', step.required_variant, step.served_variant ?? TEXTS.none);
    case 'override':
      return step.overridden === true ? sentences.overridden(JSON.stringify(step.value)) : sentences.notOverridden;
    case 'experiment':
      return outcomeSentence(sentences.experiment(step.experiment ?? ''), step);
    case 'rule':
      return outcomeSentence(TEXTS.flag.rule((step.rule ?? 0) + 1, step.name ?? ''), step);
    case 'variant':
      return (step.bucket ?? null) === null
        ? sentences.fixedVariant(step.variant_key ?? TEXTS.none)
        : sentences.variant(step.variant_key ?? TEXTS.none, String(step.bucket));
    case 'default':
      return sentences.default(JSON.stringify(step.value));
  }
}

function outcomeSentence(what: string, { outcome = 'not_reached', bucket = 0, percentage = 100 }: Step): string {
  const of = `${what}: ${texts.outcomes[outcome]}.`;
  const isByPercentage = percentage < 100 && ['served', 'drawn', 'outside_percentage'].includes(outcome);
  return isByPercentage ? `${of} ${texts.bucket(String(bucket), String(percentage))}` : of;
}

function reasonOf(reason: string): keyof typeof texts.reasons {
  const known = ['default', 'segment_match', 'percentage_rollout', 'flag_disabled', 'player_override'] as const;
  return known.find((each) => each === reason) ?? 'default';
}
