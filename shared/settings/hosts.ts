import { type Host, type Setting, type SettingRows, textOf } from './setting.ts';

const settingFor = (setting: Setting, host: Host): Setting => {
  const { defaults = {}, hostSchema, stageSchema } = setting.about ?? {};
  const schema = (host === 'local' ? undefined : stageSchema) ?? hostSchema ?? setting.schema;
  const named = host === 'home' && !(host in defaults) ? 'prod' : host;
  return { ...setting, ...(schema && { schema }), default: named in defaults ? defaults[named] : setting.default };
};

/** Returns settings with the defaults and schemas for a host. */
export const settingsFor = <R extends SettingRows>(rows: R, host: Host): R =>
  Object.fromEntries(Object.entries(rows).map(([name, setting]) => [name, settingFor(setting, host)])) as R;

/** Describes a setting's default on a host in words, for the help and the tables in documents. */
export const defaultDescription = (setting: Setting, host: Host): string => {
  const { byDefault, unit } = setting.about ?? {};
  if (byDefault !== undefined)
    return typeof byDefault === 'string' ? byDefault : byDefault[host === 'local' ? host : 'stage'];
  const text = textOf(settingFor(setting, host).default);
  if (['', '[]', '{}'].includes(text)) return 'none';
  return unit ? `${text} ${unit}` : `\`${text}\``;
};
