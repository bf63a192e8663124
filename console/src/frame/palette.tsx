import { NavLink, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { useCampaigns, useExperiments, useFlags, useSegments } from '../definitions.ts';
import { Dialog } from '../parts/editors/dialog.tsx';
import type { Entry } from '../screens.ts';
import { usePlace } from './session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.palette;
const MOST = 12;

interface Target {
  label: string;
  kind: string;
  path: string;
}

/** Jumps to a screen, a definition or a player. */
export function Palette({
  opened,
  onClose,
  entries,
}: {
  opened: boolean;
  onClose: () => void;
  entries: readonly Entry[];
}) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.title} yOffset="12vh" closesOutside>
      {opened ? <Search onClose={onClose} entries={entries} /> : null}
    </Dialog>
  );
}

function Search({ onClose, entries }: { onClose: () => void; entries: readonly Entry[] }) {
  const { scope } = usePlace();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const { data: flags = [] } = useFlags();
  const { data: segments = [] } = useSegments();
  const { data: experiments = [] } = useExperiments();
  const { data: campaigns = [] } = useCampaigns();
  const wanted = text.trim().toLowerCase();
  const all: Target[] = [
    ...entries.map(({ label, path }) => ({ label, kind: TEXTS.nav.label, path })),
    ...flags.map(({ key }) => ({
      label: key,
      kind: TEXTS.nav.flags,
      path: `flags/${encodeURIComponent(key)}`,
    })),
    ...segments.map(({ key, segment_id: id }) => ({
      label: key,
      kind: TEXTS.nav.segments,
      path: `segments/${id}`,
    })),
    ...experiments.map(({ key }) => ({
      label: key,
      kind: TEXTS.nav.experiments,
      path: `experiments/${encodeURIComponent(key)}`,
    })),
    ...campaigns.map(({ key, campaign_id: id }) => ({
      label: key,
      kind: TEXTS.nav.campaigns,
      path: `campaigns/${id}`,
    })),
  ];
  const found = all.filter(({ label }) => label.toLowerCase().includes(wanted)).slice(0, MOST);
  const player =
    wanted === ''
      ? []
      : [
          {
            label: texts.player(text.trim()),
            kind: TEXTS.nav.players,
            path: `players/find/${encodeURIComponent(text.trim())}`,
          },
        ];
  const targets = [...found, ...player];
  const current = Math.min(chosen, Math.max(0, targets.length - 1));
  const open = (target: Target | undefined): void => {
    if (target === undefined) return;
    onClose();
    navigate(`/${scope.game}/${scope.environment}/${target.path}`);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setChosen(Math.min(current + 1, targets.length - 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(current - 1, 0));
    else if (event.key === 'Enter') open(targets[current]);
    else return;
    event.preventDefault();
  };
  return (
    <Stack gap="xs">
      <TextInput
        data-autofocus
        aria-label={texts.title}
        placeholder={texts.placeholder}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKey}
      />
      <ScrollArea.Autosize mah={360}>
        {targets.length === 0 ? <Text c="dimmed">{texts.empty}</Text> : null}
        {targets.map((target, place) => (
          <NavLink
            key={target.path}
            component="button"
            label={target.label}
            description={target.kind}
            active={place === current}
            onClick={() => open(target)}
          />
        ))}
      </ScrollArea.Autosize>
      <Text size="xs" c="dimmed">
        {texts.help}
      </Text>
    </Stack>
  );
}
