import type { PlayedWith } from '../../../core/vocabulary/state/device.ts';
import { isPlainObject } from '../../../core/kernel/validation/plain-object.ts';
import { deviceText } from '../game/device-text.ts';

/**
 * The device that a message's context names; undefined if it names none. Libraries write the operating system with
 * capitals (`iOS`), and an init without: `device.type` and `os.name` in lower case are the platform.
 */
export function deviceOf(context: Readonly<Record<string, unknown>>): PlayedWith | undefined {
  const [app, device, os] = ['app', 'device', 'os'].map((name) => objectIn(context, name));
  const platform = (deviceText(device?.['type']) ?? deviceText(os?.['name']))?.toLowerCase();
  const appVersion = deviceText(app?.['version']);
  const build = deviceText(app?.['build']);
  if (platform === undefined && appVersion === undefined && build === undefined) return undefined;
  return {
    ...(platform === undefined ? {} : { platform }),
    ...(appVersion === undefined ? {} : { appVersion }),
    ...(build === undefined ? {} : { build }),
  };
}

function objectIn(context: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  const value = context[name];
  return isPlainObject(value) ? value : {};
}
