import { environment } from '#shared/settings/environment.ts';
import { settingsFor } from '#shared/settings/hosts.ts';
import { issuerSettings } from '#shared/settings/issuer.ts';
import { missingOf, readSettings } from '#shared/settings/read.ts';
import { refusalsOf } from '#shared/settings/refusals.ts';
import type { Host } from '#shared/settings/setting.ts';
import { tooSmall } from '../queues/concurrency.ts';
import { type Stage, settings } from './settings.ts';

/** An issuer is of use only with all of these. */
const issuer = issuerSettings.map((name) => environment[name].about.stage);

/** Returns a sentence for each combination of settings that is contradictory though each setting is valid. */
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
    ...missingOf(issuer, (name) => stage[name] !== settings[name].default),
    ...tooSmall(stage.concurrency),
  ];
};

/**
 * Returns whose defaults a stage has: those of `dev` with the names `dev` and `test`, alone or before a digit or hyphen, and
 * those of `prod` with all others.
 */
const presetOf = (name: string): Host => (/^(dev|test)(?![a-z])/.test(name) ? 'dev' : 'prod');

/**
 * Reads the settings of a stage from the CDK's context (`cdk synth -c stage=prod -c publicUrl=https://...`). Throws one error
 * with a sentence for each wrong setting.
 */
export const stageFrom = (context: (key: string) => unknown): Stage => {
  const preset = presetOf(readSettings({ stage: settings.stage }, context).values.stage);
  const {
    values: { stage: name, ...values },
    wrong,
  } = readSettings(settingsFor(settings, preset), context);
  const stage: Stage = { ...values, name };
  const refused = [...refusalsOf(wrong), ...contradictions(stage)];
  if (refused.length > 0) throw new Error(`wrong settings of the stage:\n  ${refused.join('\n  ')}`);
  return stage;
};
