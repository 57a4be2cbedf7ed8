import { refusalOf, type Setting } from '#shared/settings/setting.ts';
import { tooSmall } from '../queues/concurrency.ts';
import { presetOf, type Stage, settings } from './settings.ts';

const names = Object.keys(settings) as (keyof Stage)[];

/** An issuer is of use only with all of these. */
const incompleteIssuer = ({ oidcIssuer, oidcClientId, oidcName, oidcRules }: Partial<Stage>): string[] => {
  const given = [oidcIssuer !== '', oidcClientId !== '', oidcName !== '', oidcRules?.length !== 0];
  const isWhole = given.every((value) => value === given[0]);
  return isWhole ? [] : ['oidcIssuer: it goes together with oidcClientId, oidcName and oidcRules'];
};

/** Gives an error sentence for each combination of settings that is contradictory though each setting is valid. */
const contradictions = ({ publicUrl, certificateArn, deviceUrl, deviceCertificateArn, ...stage }: Stage): string[] => {
  const isNamedTwice = publicUrl === deviceUrl && certificateArn !== '' && deviceCertificateArn !== '';
  return [
    ...(certificateArn !== '' && publicUrl === '' ? ['publicUrl: a certificate needs the address'] : []),
    ...(deviceCertificateArn !== '' && deviceUrl === '' ? ['deviceUrl: a certificate needs the address'] : []),
    ...(isNamedTwice && deviceUrl !== ''
      ? ['deviceUrl: API Gateway gives a name to one API, and publicUrl has it']
      : []),
    ...((stage.mqttHost === '') === (stage.mqttCertificateArn === '')
      ? []
      : ['mqttHost: it needs a certificate, and the certificate needs it']),
    ...incompleteIssuer(stage),
    ...tooSmall(stage.concurrency),
  ];
};

/** The context key of a setting. It is the name of the setting, except `stage` for `name`. */
export const keyOf = (name: keyof Stage): string => (name === 'name' ? 'stage' : name);

/**
 * Reads the settings of a stage from the CDK's context (`cdk synth -c stage=prod -c publicUrl=https://...`). A
 * missing setting has the value of the stage's preset, else the default. Throws one error that names all wrong
 * settings.
 */
export const stageFrom = (context: (key: string) => unknown): Stage => {
  const wrong: string[] = [];
  const given = Object.fromEntries(
    names.flatMap((name) => {
      const setting: Setting<unknown> = settings[name];
      const raw = context(keyOf(name));
      if (raw === undefined) return [];
      const value = setting.read(raw);
      if (value === null) wrong.push(refusalOf(keyOf(name), setting, raw));
      return value === null ? [] : [[name, value]];
    }),
  ) as Partial<Stage>;
  const defaults = Object.fromEntries(names.map((name) => [name, settings[name].otherwise])) as Stage;
  const stage: Stage = { ...defaults, ...presetOf(given.name ?? defaults.name), ...given };
  wrong.push(...contradictions(stage));
  if (wrong.length > 0) throw new Error(`wrong settings of the stage:\n  ${wrong.join('\n  ')}`);
  return stage;
};
