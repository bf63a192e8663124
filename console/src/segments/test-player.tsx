import { Alert, Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../frame/api.ts';
import { TestsTable } from '../flags/tests-table.tsx';
import { parseObject } from '../parts/editors/json-text.ts';
import { playerIdOf } from '../parts/players/player-lookup.ts';
import { Fault } from '../parts/states.tsx';
import { Time } from '../parts/lists/values.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.segment;

/** Tests one player against the edited condition, part by part. */
export function TestPlayer({ conditions, segmentId }: { conditions: string; segmentId: string | undefined }) {
  const { scope } = usePlace();
  const [player, setPlayer] = useState('');
  const condition = parseObject(conditions);
  const test = useMutation({
    mutationFn: async () => {
      const body = {
        player_id: await playerIdOf(scope, player),
        conditions: condition,
        ...(segmentId === undefined ? {} : { segment_id: segmentId }),
      };
      return call(scope, 'POST /v1/segments/segments/explain', { body });
    },
  });
  const { data: found } = test;
  return (
    <Card withBorder>
      <Title order={2} size="h5">
        {texts.test}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {texts.testHelp}
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          test.mutate();
        }}
      >
        <Group align="flex-end">
          <TextInput label={texts.player} value={player} onChange={(event) => setPlayer(event.currentTarget.value)} />
          <Button type="submit" variant="default" disabled={player.trim() === '' || condition === undefined}>
            {texts.run}
          </Button>
        </Group>
      </form>
      {test.error === null ? null : <Fault error={test.error} />}
      {found === undefined ? null : (
        <Stack gap="xs" mt="sm" role="status">
          <Alert
            color={found.matches ? 'green' : 'gray'}
            variant="outline"
            title={found.matches ? `✓ ${texts.matches}` : `✗ ${texts.matchesNot}`}
          />
          {segmentId === undefined ? null : (
            <Text size="sm">
              {found.member_since === null ? (
                texts.notMember
              ) : (
                <>
                  {texts.memberSince} <Time at={found.member_since} />
                </>
              )}
            </Text>
          )}
          <TestsTable tests={found.tests} />
        </Stack>
      )}
    </Card>
  );
}
