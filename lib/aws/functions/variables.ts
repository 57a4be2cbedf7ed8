import { SecretValue, Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Settings } from '#shared/runtime/env.ts';
import type { AppsApi } from '../api/apps-api.ts';
import type { DeviceApi } from '../api/device-api.ts';
import { BACKUP_DAYS } from '../data/exports.ts';
import { ruleNameOf } from '../mqtt/mqtt-names.ts';
import type { Queues } from '../queues/queues.ts';
import type { Stage } from '../settings/settings.ts';

/**
 * A value for every variable that the code can read. A new variable of shared/runtime/env.ts does not compile here until it
 * has a value.
 */
export type Variables = Readonly<Record<keyof Settings, string>>;

type Apis = { api: AppsApi; deviceApi: DeviceApi };

const issuerOf = (stage: Stage) => ({
  OIDC_ISSUER: stage.oidcIssuer,
  OIDC_CLIENT_ID: stage.oidcClientId,
  // The template names the secret; its value is put in place when the stage is deployed.
  OIDC_CLIENT_SECRET: stage.oidcSecretName && SecretValue.secretsManager(stage.oidcSecretName).unsafeUnwrap(),
  OIDC_NAME: stage.oidcName,
  OIDC_SCOPES: stage.oidcScopes,
  OIDC_RULES: JSON.stringify(stage.oidcRules),
});

const urlsOf = (queues: Queues) => ({
  EVENTS_QUEUE_URL: queues.events.queueUrl,
  TIMERS_QUEUE_URL: queues.timers.queueUrl,
  DELIVERIES_QUEUE_URL: queues.deliveries.queueUrl,
  RETRIES_QUEUE_URL: queues.retries.queueUrl,
  JOBS_QUEUE_URL: queues.jobs.queueUrl,
  MQTT_QUEUE_URL: queues.mqtt?.queueUrl ?? '',
  QUARANTINE_QUEUE_URL: queues.quarantine.queueUrl,
});

type Made = { table: ITable; queues: Queues; key: IKey; alarmTopic: ITopic | null; exports: Bucket };

export const variablesOf = (
  stage: Stage,
  { table, queues, key, alarmTopic, exports }: Made,
  { api, deviceApi }: Apis,
): Variables => ({
  TABLE_NAME: table.tableName,
  ...urlsOf(queues),
  MQTT_RULE: ruleNameOf(stage),
  METRICS_NAMESPACE: Stack.of(table).stackName,
  METRICS_SECONDS: String(stage.metricsSeconds),
  SECRETS_KEY_ARN: key.keyArn,
  EXPORTS_BUCKET: exports.bucketName,
  BACKUP_DAYS: String(BACKUP_DAYS),
  // RetentionDays.INFINITE is 9999.
  LOG_DAYS: String(stage.logRetentionDays === RetentionDays.INFINITE ? 0 : stage.logRetentionDays),
  ALARM_TOPIC_ARN: alarmTopic?.topicArn ?? '',
  RUNBOOK_URL: stage.runbookUrl,
  RATE_LIMIT_PER_SECOND: String(stage.rateLimit),
  QUOTAS: JSON.stringify(stage.quotas),
  CREDENTIALS_SINCE: stage.credentialsSince,
  PUBLIC_URL: api.address,
  DEVICE_URL: deviceApi.address,
  TRUSTED_PROXY_HEADER: stage.trustedProxy.header,
  TRUSTED_PROXY_SECRET_HEADER: stage.trustedProxy.secretHeader,
  TRUSTED_PROXY_SECRET: stage.trustedProxy.secret,
  OWN_URLS: [api, deviceApi].flatMap(({ address, gatewayAddress }) => [address, gatewayAddress]).join(','),
  CORS_ORIGINS: stage.corsOrigins.join(','),
  CANARY: String(stage.canary),
  HEARTBEAT_URL: stage.heartbeatUrl,
  MAKER_A_FEEDBACK_URL: stage.makerAFeedbackUrl,
  ...issuerOf(stage),
  SERVICE_NAME: stage.serviceName,
  SERVICE_VERSION: stage.serviceVersion,
  MAIL_SENDER: stage.mailSender,
  SMS_ORIGIN: stage.smsOrigin,
  TELEGRAM_TOKEN: stage.telegramToken,
  ALLOW_PRIVATE_TARGETS: String(stage.allowPrivateTargets),
  ALLOWED_TARGET_RANGES: stage.allowedTargetRanges.join(','),
  DELIVERY_DEADLINE_SECONDS: String(stage.deliveryDeadline),
  GONE_AFTER_SECONDS: String(stage.goneAfterSeconds),
  SENSOR_INACTIVE_AFTER_SECONDS: String(stage.sensorInactiveAfter),
  RETRY_SCHEDULE: stage.retrySchedule.join(','),
});
