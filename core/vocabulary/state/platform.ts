/** The names under which platforms are stored. Any other is stored as it was sent, in lower case. */
export const PLATFORMS = {
  ios: 'iPhone and iPad',
  android: 'Android phones and tablets',
  tvos: 'Apple TV',
  visionos: 'Apple Vision',
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux, with Steam Deck',
  web: 'browsers',
  ps4: 'PlayStation 4',
  ps5: 'PlayStation 5',
  xbox_one: 'Xbox One',
  xbox_series: 'Xbox Series X and S',
  switch: 'Nintendo Switch',
  switch_2: 'Nintendo Switch 2',
} as const;

type PlatformName = keyof typeof PLATFORMS;

/**
 * What engines and analytics libraries call them, in lower case and without spaces, dots, hyphens and underscores:
 * `Application.platform` of Unity, `OS.get_name()` of Godot, `FPlatformProperties` of Unreal, operating systems in
 * contexts of Segment, PostHog and Amplitude. Editors of engines run on the platform that they name.
 */
const ALIASES: Readonly<Record<PlatformName, readonly string[]>> = {
  ios: ['iphoneplayer', 'iphone', 'ipad', 'iphoneos', 'ipados'],
  android: ['androidplayer', 'androidos'],
  tvos: ['appletv'],
  visionos: ['xros', 'visionospro'],
  windows: [
    'windowsplayer',
    'windowseditor',
    'windowsserver',
    'wsaplayerx86',
    'wsaplayerx64',
    'wsaplayerarm',
    'uwp',
    'win32',
    'win64',
    'microsoftwindows',
  ],
  macos: ['osxplayer', 'osxeditor', 'osxserver', 'osx', 'macosx', 'mac', 'darwin'],
  linux: ['linuxplayer', 'linuxeditor', 'linuxserver', 'linuxheadlesssimulation', 'steamdeck', 'steamos', 'x11'],
  web: ['webglplayer', 'webgl', 'html5', 'browser'],
  ps4: ['playstation4'],
  ps5: ['playstation5'],
  xbox_one: ['xboxone', 'gamecorexboxone'],
  xbox_series: ['xboxseries', 'xboxseriesx', 'xboxseriess', 'gamecorexboxseries', 'gamecorescarlett', 'xsx'],
  switch: ['nintendoswitch'],
  switch_2: ['nintendoswitch2'],
};

const NAMES = new Map(
  Object.entries(ALIASES).flatMap(([name, aliases]) =>
    [name, name.replaceAll('_', ''), ...aliases].map((alias) => [alias, name] as const),
  ),
);

/** Whether a field of a device says nothing: it is then unknown, on every door. */
export const isBlank = (text: string): boolean => text.trim() === '';

/** The stored name of a platform, however a client, an engine or another product calls it. */
export function platformName(text: string): string {
  // Conditions ask for stored names, for every event.
  const stored = NAMES.get(text);
  if (stored !== undefined) return stored;
  const lower = text.trim().toLowerCase();
  return NAMES.get(lower.replaceAll(/[ ._-]/g, '')) ?? lower;
}
