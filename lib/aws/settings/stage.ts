import { environment } from '#shared/settings/environment.ts';
import { settingsFor } from '#shared/settings/hosts.ts';
import { requiredOidcSettings } from '#shared/settings/oidc.ts';
import { missingSettings, readSettings } from '#shared/settings/read.ts';
import type { Host } from '#shared/settings/setting.ts';
import { settingErrors } from '#shared/settings/setting-errors.ts';
import { similarTo } from '#shared/settings/similar.ts';
import { reservationErrors } from '../queues/concurrency.ts';
import { type Stage, settings } from './settings.ts';

/** The settings required for an OpenID Connect issuer; all of them must be set. */
const issuer = requiredOidcSettings.map((name) => environment[name].about.stage);

/** Returns an error message for each contradictory combination of valid settings. */
const contradictions = ({ publicUrl, certificateArn, deviceUrl, deviceCertificateArn, ...stage }: Stage): string[] => {
  const isSameHost = publicUrl === deviceUrl && certificateArn !== '' && deviceCertificateArn !== '';
  return [
    ...(certificateArn !== '' && publicUrl === '' ? ['publicUrl: required with certificateArn'] : []),
    ...(deviceCertificateArn !== '' && deviceUrl === '' ? ['deviceUrl: required with deviceCertificateArn'] : []),
    ...(stage.deviceApi === 'alb' && deviceCertificateArn === ''
      ? ['deviceCertificateArn: required with deviceApi=alb, because a load balancer has no certificate of AWS']
      : []),
    ...(stage.deviceApi === 'alb' && stage.deviceAccessLog
      ? ['deviceAccessLog: not possible with deviceApi=alb, because the load balancer would log no device request']
      : []),
    ...(isSameHost && deviceUrl !== ''
      ? ['deviceUrl: must differ from publicUrl, because API Gateway maps a host to one API']
      : []),
    ...((stage.mqttHost === '') === (stage.mqttCertificateArn === '')
      ? []
      : ['mqttHost and mqttCertificateArn require each other']),
    ...missingSettings(issuer, (name) => stage[name] !== settings[name].default),
    ...reservationErrors(stage.concurrency),
  ];
};

/**
 * Returns an error for a stage outside the `dev` preset that uses MQTT without a custom host. AWS deletes an assigned
 * host only 7 days after it was disabled, so a failed first deployment could neither be rolled back nor repeated until
 * then.
 */
const withoutMqttHost = ({ mqtt, mqttHost }: Stage, preset: Host): string[] =>
  mqtt && mqttHost === '' && preset !== 'dev'
    ? ['mqttHost: required with mqtt, except in a dev or test stage, because a host assigned by AWS cannot be deleted']
    : [];

/**
 * Returns the preset that supplies the defaults for a stage: the one it sets; otherwise `dev` if its name is `dev` or
 * `test`, or starts with one of them followed by a digit or hyphen; otherwise `prod`.
 */
const presetOf = ({ stage, preset }: { stage: string; preset: string }): Host => {
  if (preset !== '') return preset as Host;
  return /^(dev|test)(?![a-z])/.test(stage) ? 'dev' : 'prod';
};

/** Whether a name in the CDK context belongs to the CDK itself and is not a stage setting. */
const isOfCdk = (name: string): boolean =>
  /[@:]/.test(name) || /^(cli-telemetry|acknowledged-issue-numbers)$/.test(name);

/** What to do about settings from earlier versions. Their values are not shown. */
const retired: Readonly<Record<string, string>> = {
  telegramToken:
    'telegramToken is no longer read, because it was in clear in the template: store the token in Secrets Manager (aws secretsmanager create-secret --name sensor-cloud/telegram --secret-string ...), set telegramSecretName to the name of the secret, and remove telegramToken',
};

const unknownSettings = (names: readonly string[]): string[] =>
  names
    .filter((name) => !(name in settings) && !isOfCdk(name))
    .map((name) => {
      if (retired[name] !== undefined) return retired[name];
      const meant = similarTo(name, Object.keys(settings));
      return `unknown setting ${name}: ${meant ? `did you mean ${meant}?` : 'lib/aws/README.md lists all settings'}`;
    });

/**
 * Reads the stage settings from the CDK context (`cdk synth -c stage=prod -c publicUrl=https://...`). `names` are all
 * names in the context. Throws one error that lists all invalid and unknown settings.
 */
export const stageFrom = (context: (key: string) => unknown, names: readonly string[] = []): Stage => {
  const preset = presetOf(readSettings({ stage: settings.stage, preset: settings.preset }, context).values);
  const {
    values: { stage: name, preset: _, ...values },
    wrong,
  } = readSettings(settingsFor(settings, preset), context);
  const stage: Stage = { ...values, name };
  const errors = [
    ...unknownSettings(names),
    ...settingErrors(wrong),
    ...contradictions(stage),
    ...withoutMqttHost(stage, preset),
  ];
  if (errors.length > 0) throw new Error(`invalid settings of the stage:\n  ${errors.join('\n  ')}`);
  return stage;
};
