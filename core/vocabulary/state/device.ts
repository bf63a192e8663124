/** The device fields of the latest init. */
export interface DeviceInfo {
  platform: string | null;
  osVersion: string | null;
  appVersion: string | null;
  build: string | null;
  deviceModel: string | null;
  /** Language and region that the device is set to, such as `de-AT`. Absent: unknown. */
  locale?: string;
}

/** What ClickHouse stores of the device of a session or an event. A field is absent if it is unknown. */
export interface PlayedWith {
  platform?: string;
  appVersion?: string;
  /** Of the game's version. */
  build?: string;
}

/** The fields of a device that sessions and events keep: those that are known. */
export function knownOf(device: DeviceInfo | null): PlayedWith {
  const { platform, appVersion, build } = device ?? {};
  return {
    ...(platform ? { platform } : {}),
    ...(appVersion ? { appVersion } : {}),
    ...(build ? { build } : {}),
  };
}
