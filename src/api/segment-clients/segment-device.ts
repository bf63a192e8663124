import type { PlayedWith } from '../../../core/vocabulary/state/device.ts';
import { isPlainObject } from '../../../core/kernel/validation/plain-object.ts';
import { devicePlatform, deviceText } from '../game/device-text.ts';

/** The device that a message's context names, `device.type` or `os.name` as its platform; undefined without any. */
export function deviceOf(context: Readonly<Record<string, unknown>>): PlayedWith | undefined {
  const [app, device, os] = ['app', 'device', 'os'].map((name) => objectIn(context, name));
  const platform = devicePlatform(device?.['type']) ?? devicePlatform(os?.['name']);
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
