import { describe, expect, it } from 'vitest';
import { PLATFORMS, platformName } from './platform.ts';

/** What sends a name, the name, and what is stored. */
const CASES: readonly (readonly [source: string, sent: string, stored: string])[] = [
  ['Unity', 'IPhonePlayer', 'ios'],
  ['Unity', 'Android', 'android'],
  ['Unity', 'WindowsPlayer', 'windows'],
  ['Unity', 'WindowsEditor', 'windows'],
  ['Unity', 'OSXPlayer', 'macos'],
  ['Unity', 'OSXEditor', 'macos'],
  ['Unity', 'LinuxPlayer', 'linux'],
  ['Unity', 'WebGLPlayer', 'web'],
  ['Unity', 'WSAPlayerX64', 'windows'],
  ['Unity', 'PS5', 'ps5'],
  ['Unity', 'GameCoreXboxSeries', 'xbox_series'],
  ['Unity', 'GameCoreXboxOne', 'xbox_one'],
  ['Unity', 'XboxOne', 'xbox_one'],
  ['Unity', 'GameCoreScarlett', 'xbox_series'],
  ['Unity', 'Switch', 'switch'],
  ['Unity', 'Switch2', 'switch_2'],
  ['Unity', 'LinuxHeadlessSimulation', 'linux'],
  ['Unity', 'EmbeddedLinuxX64', 'embeddedlinuxx64'],
  ['Unity', 'tvOS', 'tvos'],
  ['Unity', 'VisionOS', 'visionos'],
  ['Godot', 'iOS', 'ios'],
  ['Godot', 'macOS', 'macos'],
  ['Godot', 'Windows', 'windows'],
  ['Godot', 'Linux', 'linux'],
  ['Godot', 'FreeBSD', 'freebsd'],
  ['Godot', 'Web', 'web'],
  ['Unreal', 'IOS', 'ios'],
  ['Unreal', 'Mac', 'macos'],
  ['Unreal', 'XSX', 'xbox_series'],
  ['Defold', 'iPhone OS', 'ios'],
  ['Defold', 'HTML5', 'web'],
  ['GameAnalytics', 'mac_osx', 'macos'],
  ['Segment', 'iPadOS', 'ios'],
  ['Segment', 'Mac OS X', 'macos'],
  ['Segment', 'android', 'android'],
  ['PostHog', 'Chrome OS', 'chrome os'],
  ['Amplitude', 'Web', 'web'],
  ['a game', 'Nintendo-Switch', 'switch'],
  ['a game', ' ios ', 'ios'],
  ['a game', 'Ouya', 'ouya'],
  ['a game', '', ''],
];

describe('the name of a platform', () => {
  it.each(CASES)('%s: %j is stored as %j', (_, sent, stored) => {
    expect(platformName(sent)).toBe(stored);
  });

  it.each([...Object.keys(PLATFORMS), ...CASES.map(([, , stored]) => stored)])('%j stays', (name) => {
    expect(platformName(name)).toBe(name);
  });
});
