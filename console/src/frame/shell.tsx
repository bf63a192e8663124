import {
  ActionIcon,
  Anchor,
  AppShell,
  Badge,
  Burger,
  Button,
  Group,
  Menu,
  NativeSelect,
  NavLink,
  ScrollArea,
  SegmentedControl,
  Text,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { rememberGame } from './game-hint.ts';
import { useKeyboard } from './keyboard.ts';
import { KeysHelp } from './keys-help.tsx';
import { Palette } from './palette.tsx';
import { Outage } from '../parts/outage.tsx';
import { WaitingBadge, WaitingNotice } from '../parts/editors/approval.tsx';
import { noteFailure } from '../parts/optimistic.ts';
import { SchemeButton } from '../parts/charts/scheme-button.tsx';
import { Undone } from '../parts/drafts/undone.tsx';
import { ENTRIES, type Entry } from '../screens.ts';
import { isAtLeast, type Me, usePlace, useSession } from './session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.header;

/** The frame of all screens: navigation, the game, the palette and the keyboard. */
export function Shell({ me, screen, children }: { me: Me; screen: string; children: ReactNode }) {
  const { scope, role } = usePlace();
  const [location, navigate] = useLocation();
  const [menuOpen, menu] = useDisclosure(false);
  const [paletteOpen, palette] = useDisclosure(false);
  const [keysOpen, keys] = useDisclosure(false);
  const base = `/${scope.game}/${scope.environment}`;
  const entries = ENTRIES.filter(
    ({ adminOnly, isFor }) => (adminOnly !== true || isAtLeast(role, 'admin')) && isFor?.(me) !== false,
  );
  useKeyboard({ open: palette.open, help: keys.open, go: (path) => navigate(`${base}/${path}`), entries });
  useEffect(() => rememberGame(scope), [scope]);
  useEffect(menu.close, [location, menu.close]);
  const goTo = (game: string, environment: string): void => navigate(`/${game}/${environment}/${screen}`);

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !menuOpen } }}
      padding="md"
    >
      <a className="skip-link" href="#content">
        {TEXTS.skip}
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="xs" wrap="nowrap">
            <Burger opened={menuOpen} onClick={menu.toggle} hiddenFrom="sm" size="sm" aria-label={texts.menu} />
            <Text fw={700} visibleFrom="md">
              {TEXTS.product}
            </Text>
            <NativeSelect
              aria-label={texts.game}
              size="xs"
              value={scope.game}
              data={me.games.map(({ id, name }) => ({ value: id, label: name }))}
              onChange={(event) => goTo(event.currentTarget.value, scope.environment)}
            />
            <SegmentedControl
              aria-label={texts.environment}
              size="xs"
              value={scope.environment}
              data={[
                { value: 'live', label: texts.live },
                { value: 'test', label: texts.test },
              ]}
              onChange={(environment) => goTo(scope.game, environment)}
            />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Button variant="default" size="xs" onClick={palette.open} visibleFrom="sm" rightSection={<kbd>/</kbd>}>
              {texts.search}
            </Button>
            <ActionIcon variant="default" size="md" onClick={palette.open} hiddenFrom="sm" aria-label={texts.search}>
              /
            </ActionIcon>
            <SchemeButton />
            <AccountMenu me={me} base={base} />
          </Group>
        </Group>
      </AppShell.Header>
      <Navigation me={me} screen={screen} entries={entries} onKeys={keys.open} />
      <AppShell.Main id="content">
        <Outage />
        <Undone />
        <WaitingNotice />
        {children}
      </AppShell.Main>
      <KeysHelp opened={keysOpen} onClose={keys.close} entries={entries} />
      <Palette opened={paletteOpen} onClose={palette.close} entries={entries} />
    </AppShell>
  );
}

interface NavigationProps {
  me: Me;
  screen: string;
  entries: readonly Entry[];
  /** Shows the keys. */
  onKeys: () => void;
}

/** The screens by section, and the user's role. */
function Navigation({ me, screen, entries, onKeys }: NavigationProps) {
  const { scope, role } = usePlace();
  const base = `/${scope.game}/${scope.environment}`;
  const sections = [...Map.groupBy(entries, ({ section }) => section)];
  return (
    <AppShell.Navbar p="xs" aria-label={TEXTS.nav.label}>
      <AppShell.Section grow component={ScrollArea}>
        {sections.map(([section, ofSection]) => (
          <div key={section} role="group" aria-label={TEXTS.nav.sections[section]}>
            <Text size="xs" c="dimmed" fw={600} px="xs" pt="xs" aria-hidden="true">
              {TEXTS.nav.sections[section]}
            </Text>
            {ofSection.map(({ path, label, letter }) => (
              <NavLink
                key={path}
                component={Link}
                href={`${base}/${path}`}
                label={label}
                py={4}
                active={screen === path}
                {...(screen === path ? { 'aria-current': 'page' as const } : {})}
                rightSection={
                  <>
                    {path === 'approvals' ? <WaitingBadge /> : null}
                    <kbd aria-hidden="true">g {letter}</kbd>
                  </>
                }
              />
            ))}
          </div>
        ))}
      </AppShell.Section>
      <Group justify="space-between" gap={4} pt={4} wrap="nowrap">
        <Badge variant="default" tt="none" title={me.user.email}>
          {role ?? TEXTS.none}
        </Badge>
        <Anchor size="xs" href="/docs" target="_blank" rel="noreferrer">
          {TEXTS.nav.reference}
        </Anchor>
        <ActionIcon variant="default" size="sm" onClick={onKeys} aria-label={TEXTS.shortcuts.open}>
          ?
        </ActionIcon>
      </Group>
    </AppShell.Navbar>
  );
}

function AccountMenu({ me, base }: { me: Me; base: string }) {
  const { signOut } = useSession();
  const queries = useQueryClient();
  const end = (everywhere: boolean, name: string): void => {
    signOut(everywhere).catch((error: unknown) => {
      if (error instanceof Error) noteFailure(queries, { name, error });
    });
  };
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="default" size="xs" px={10} aria-label={texts.account}>
          {me.user.email.slice(0, 1).toUpperCase()}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me.user.email}</Menu.Label>
        <Menu.Item component={Link} href={`${base}/account`}>
          {TEXTS.nav.account}
        </Menu.Item>
        <Menu.Item onClick={() => end(false, texts.signOut)}>{texts.signOut}</Menu.Item>
        <Menu.Item onClick={() => end(true, texts.signOutEverywhere)}>{texts.signOutEverywhere}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
