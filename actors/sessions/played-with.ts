import type { DeviceInfo } from '../../core/vocabulary/commands/commands.ts';
import type { PlayedWith } from '../../core/vocabulary/facts/played-with.ts';

/** The fields of a device that a session keeps: those that are known. */
export function playedWith(device: DeviceInfo | null): PlayedWith {
  const { platform, appVersion } = device ?? {};
  return {
    ...(platform ? { platform } : {}),
    ...(appVersion ? { appVersion } : {}),
  };
}
