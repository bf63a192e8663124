import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type AnswerOf, call } from '../../frame/api.ts';
import { Confirm } from '../../parts/editors/confirm.tsx';
import { Fault } from '../../parts/states.tsx';
import { Json, number } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.quarantine;
type Page = AnswerOf<'POST /v1/events/quarantine/replay'>;

interface Progress {
  replayed: number;
  failed: number;
  failures: Page['failures'][number][];
}

const NOTHING: Progress = { replayed: 0, failed: 0, failures: [] };

/**
 * Replays quarantined events page by page. Leaving the screen stops it, because nothing would show it any more. It can
 * be begun again: each event is tracked once.
 */
export function Replay({ eventName, onDone }: { eventName: string; onDone: () => void }) {
  const { scope } = usePlace();
  const [asking, setAsking] = useState(false);
  const [progress, setProgress] = useState(NOTHING);
  const stopping = useRef(false);
  useEffect(
    () => () => {
      stopping.current = true;
    },
    [],
  );
  const what = eventName === '' ? texts.replayAll : eventName;
  const run = useMutation({
    async mutationFn() {
      stopping.current = false;
      setProgress(NOTHING);
      setAsking(false);
      let cursor: string | null = '';
      while (cursor !== null && !stopping.current) {
        const filter = eventName === '' ? {} : { event_name: eventName };
        const page: Page = await call(scope, 'POST /v1/events/quarantine/replay', {
          body: cursor === '' ? filter : { ...filter, cursor },
        });
        setProgress((before) => ({
          replayed: before.replayed + page.replayed,
          failed: before.failed + page.failed,
          failures: [...before.failures, ...page.failures].slice(0, 20),
        }));
        cursor = page.next_cursor;
      }
      return { isWhole: cursor === null };
    },
    onSettled: onDone,
  });
  const figures = [number(progress.replayed), number(progress.failed)] as const;
  return (
    <Stack>
      <Group>
        <Button onClick={() => setAsking(true)} loading={run.isPending}>
          {texts.replay}: {what}
        </Button>
        {run.isPending ? (
          <Button variant="default" onClick={() => (stopping.current = true)}>
            {texts.stop}
          </Button>
        ) : null}
        <Text role="status">
          {run.isPending ? texts.running(...figures) : null}
          {run.data === undefined ? null : run.data.isWhole ? texts.done(...figures) : texts.stopped(...figures)}
        </Text>
      </Group>
      {run.error === null ? null : <Fault error={run.error} />}
      {progress.failures.length === 0 ? null : (
        <Alert color="orange" variant="outline" title={texts.failures}>
          <Json value={progress.failures} label={texts.failures} />
        </Alert>
      )}
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={texts.replayTitle(what)}
        action={texts.replay}
        onConfirm={() => run.mutate()}
      >
        <Text>{texts.replayHelp}</Text>
      </Confirm>
    </Stack>
  );
}
