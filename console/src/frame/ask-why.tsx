import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { Dialog } from '../parts/editors/dialog.tsx';
import { TEXTS } from '../texts.ts';
import { whenAskedWhy } from './api.ts';

const texts = TEXTS.askWhy;

/** Asks for the reason of a change where the game wants one; the change then goes on. */
export function AskWhy() {
  const [answer, setAnswer] = useState<((why: string | undefined) => void) | undefined>();
  const [why, setWhy] = useState('');
  useEffect(() => {
    whenAskedWhy(
      () =>
        new Promise((resolve) => {
          setWhy('');
          setAnswer(() => resolve);
        }),
    );
  }, []);
  const end = (given: string | undefined): void => {
    answer?.(given);
    setAnswer(undefined);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (why.trim() !== '') end(why.trim());
  };
  return (
    <Dialog opened={answer !== undefined} onClose={() => end(undefined)} title={texts.title}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{texts.help}</Text>
          <TextInput
            label={texts.label}
            value={why}
            maxLength={500}
            data-autofocus
            onChange={(event) => setWhy(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => end(undefined)}>
              {TEXTS.cancel}
            </Button>
            <Button type="submit" disabled={why.trim() === ''}>
              {texts.go}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
