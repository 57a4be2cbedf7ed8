import { environment } from '#shared/settings/environment.ts';
import { settingsFor } from '#shared/settings/hosts.ts';
import { requiredOidcSettings } from '#shared/settings/oidc.ts';
import { missingSettings, readSettings } from '#shared/settings/read.ts';
import type { Host } from '#shared/settings/setting.ts';
import { settingErrors } from '#shared/settings/setting-errors.ts';
import { reservationErrors } from '../queues/concurrency.ts';
import { type Stage, settings } from './settings.ts';

/** The settings that an issuer needs, all together. */
const issuer = requiredOidcSettings.map((name) => environment[name].about.stage);

/** Returns an error message for each contradictory combination of valid settings. */
const contradictions = ({ publicUrl, certificateArn, deviceUrl, deviceCertificateArn, ...stage }: Stage): string[] => {
  const isSameHost = publicUrl === deviceUrl && certificateArn !== '' && deviceCertificateArn !== '';
  return [
    ...(certificateArn !== '' && publicUrl === '' ? ['publicUrl: required with certificateArn'] : []),
    ...(deviceCertificateArn !== '' && deviceUrl === '' ? ['deviceUrl: required with deviceCertificateArn'] : []),
    ...(isSameHost && deviceUrl !== ''
      ? ['deviceUrl: must differ from publicUrl, because API Gateway maps a host to one API']
      : []),
    ...((stage.mqttHost === '') === (stage.mqttCertificateArn === '')
      ? []
      : ['mqttHost: requires mqttCertificateArn, and the other way round']),
    ...missingSettings(issuer, (name) => stage[name] !== settings[name].default),
    ...reservationErrors(stage.concurrency),
  ];
};

/**
 * Returns which defaults a stage has: those of `dev` if its name is `dev` or `test`, alone or before a digit or hyphen, and
 * otherwise those of `prod`.
 */
const presetOf = (name: string): Host => (/^(dev|test)(?![a-z])/.test(name) ? 'dev' : 'prod');

/**
 * Reads the settings of a stage from the CDK's context (`cdk synth -c stage=prod -c publicUrl=https://...`). Throws one error
 * that lists all invalid settings.
 */
export const stageFrom = (context: (key: string) => unknown): Stage => {
  const preset = presetOf(readSettings({ stage: settings.stage }, context).values.stage);
  const {
    values: { stage: name, ...values },
    wrong,
  } = readSettings(settingsFor(settings, preset), context);
  const stage: Stage = { ...values, name };
  const errors = [...settingErrors(wrong), ...contradictions(stage)];
  if (errors.length > 0) throw new Error(`invalid settings of the stage:\n  ${errors.join('\n  ')}`);
  return stage;
};
