import type { Setting } from '#shared/settings/setting.ts';

/** A setting of a stage, and what it is about. */
export const declare = <T>(about: string, setting: Setting<T>): Setting<T> & { about: string } => ({
  about,
  ...setting,
});
