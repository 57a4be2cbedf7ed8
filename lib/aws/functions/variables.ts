import { SecretValue, Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { pushContact } from '#shared/delivery/targets/push-contact.ts';
import { sendableKinds } from '#shared/domain/people/sendable.ts';
import { environment } from '#shared/settings/environment.ts';
import { type Setting, textOf } from '#shared/settings/setting.ts';
import type { AppApi } from '../api/app-api.ts';
import type { DeviceApi } from '../api/device-api.ts';
import { BACKUP_DAYS } from '../data/exports.ts';
import { ruleNameOf } from '../mqtt/mqtt-names.ts';
import type { ConfigurationSets } from '../notifications/service-events.ts';
import type { Queues } from '../queues/queues.ts';
import type { Stage } from '../settings/settings.ts';

/**
 * A value for every variable functions can read. A new variable in shared/settings/ does not compile until it gets a
 * value here, unless a stage setting supplies it.
 */
export type Variables = Readonly<Record<keyof typeof environment, string>>;

type Apis = { api: AppApi; deviceApi: DeviceApi };

type Environment = typeof environment;

/** The variables whose values come from stage settings. */
type StageVariable = {
  [N in keyof Environment]: Environment[N] extends { about: { stage: string } } ? N : never;
}[keyof Environment];

const stageVariables = (stage: Stage): Pick<Variables, StageVariable> => {
  const values: Readonly<Record<string, unknown>> = stage;
  return Object.fromEntries(
    Object.entries<Setting>(environment).flatMap(([name, { about }]) =>
      about?.stage === undefined ? [] : [[name, textOf(values[about.stage])]],
    ),
  ) as Pick<Variables, StageVariable>;
};

const queueUrls = (queues: Queues) => ({
  EVENTS_QUEUE_URL: queues.events.queueUrl,
  TIMERS_QUEUE_URL: queues.timers.queueUrl,
  DELIVERIES_QUEUE_URL: queues.deliveries.queueUrl,
  RETRIES_QUEUE_URL: queues.retries.queueUrl,
  JOBS_QUEUE_URL: queues.jobs.queueUrl,
  MQTT_QUEUE_URL: queues.mqtt?.queueUrl ?? '',
  UNDELIVERABLE_QUEUE_URL: queues.undeliverable?.queueUrl ?? '',
  QUARANTINE_QUEUE_URL: queues.quarantine.queueUrl,
});

/** Returns a reference to a secret, to be resolved by the deployment; '' if there is no name. */
const secretNamed = (name: string): string => name && SecretValue.secretsManager(name).unsafeUnwrap();

/**
 * Returns the variables that list the channels in a stage. Without `publicUrl`, the stage has the address assigned by
 * API Gateway, which push services accept.
 */
const channelVariables = ({ mailSender, smsOrigin, telegramSecretName, publicUrl, pushContact: contact }: Stage) => {
  const pushSettings = { PUSH_CONTACT: contact, MAIL_SENDER: mailSender, PUBLIC_URL: publicUrl };
  const hasService = {
    email: mailSender !== '',
    sms: smsOrigin !== '',
    push: publicUrl === '' || pushContact(pushSettings) !== null,
    telegram: telegramSecretName !== '',
  };
  const { CHANNEL_KINDS, OUTBOX_KINDS } = sendableKinds(hasService, { hasOutbox: false });
  return { CHANNEL_KINDS: textOf(CHANNEL_KINDS), OUTBOX_KINDS: textOf(OUTBOX_KINDS) };
};

type Created = {
  sets: ConfigurationSets;
  table: ITable;
  queues: Queues;
  key: IKey;
  alarmTopic: ITopic | null;
  exports: Bucket;
};

/** Returns the values for all variables in a stage. */
export const environmentValues = (
  stage: Stage,
  { table, queues, key, alarmTopic, exports, sets }: Created,
  { api, deviceApi }: Apis,
): Variables => ({
  ...stageVariables(stage),
  TABLE_NAME: table.tableName,
  ...queueUrls(queues),
  ...channelVariables(stage),
  ON_NETWORK: 'false',
  TRUSTS_LOOPBACK: 'false',
  METRICS_TOKEN: '',
  MQTT_RULE: ruleNameOf(stage),
  MAIL_CONFIGURATION_SET: sets.mail?.name ?? '',
  SMS_CONFIGURATION_SET: sets.sms?.name ?? '',
  METRICS_NAMESPACE: Stack.of(table).stackName,
  SECRETS_KEY_ARN: key.keyArn,
  EXPORTS_BUCKET: exports.bucketName,
  BACKUP_DAYS: String(BACKUP_DAYS),
  // RetentionDays.INFINITE is 9999.
  LOG_DAYS: String(stage.logRetentionDays === RetentionDays.INFINITE ? 0 : stage.logRetentionDays),
  OPERATOR_EMAIL: stage.mailSender === '' ? '' : stage.alarmEmail,
  ALARM_TOPIC_ARN: alarmTopic?.topicArn ?? '',
  PUBLIC_URL: api.address,
  DEVICE_URL: deviceApi.address,
  OWN_URLS: [api, deviceApi].flatMap(({ address, gatewayAddress }) => [address, gatewayAddress]).join(','),
  TRUSTED_PROXY_HEADER: stage.trustedProxy.header,
  TRUSTED_PROXY_SECRET_HEADER: stage.trustedProxy.secretHeader,
  TRUSTED_PROXY_SECRET: stage.trustedProxy.secret,
  OIDC_CLIENT_SECRET: secretNamed(stage.oidcSecretName),
  TELEGRAM_TOKEN: secretNamed(stage.telegramSecretName),
});
