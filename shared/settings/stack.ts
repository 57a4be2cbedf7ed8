import { channelKinds } from '../domain/people/channel.ts';
import { forHosts } from './for-hosts.ts';
import { flag, list, text, wholeNumber, wordOf } from './kinds.ts';
import { declare } from './setting.ts';

const channelList = () => list(wordOf(channelKinds), channelKinds.length);

/**
 * What functions read besides the service settings. In AWS, the stack sets these values. With `npm start`, the defaults
 * apply.
 */
export const stackSettings = declare({
  TABLE_NAME: {
    schema: () => text(/^[\w.:/-]{3,2048}$/, 'a table name or ARN'),
    default: 'sensor-cloud',
  },
  EVENTS_QUEUE_URL: {
    default: '',
    about: forHosts({ capabilities: ['enqueue:events', 'consume', 'redrive'] }),
  },
  TIMERS_QUEUE_URL: {
    default: '',
    about: forHosts({ capabilities: ['enqueue:timers', 'consume', 'redrive'] }),
  },
  DELIVERIES_QUEUE_URL: {
    default: '',
    about: forHosts({ capabilities: ['enqueue:deliveries', 'consume', 'redrive'] }),
  },
  RETRIES_QUEUE_URL: {
    default: '',
    about: forHosts({ capabilities: ['enqueue:retries', 'consume', 'redrive'] }),
  },
  JOBS_QUEUE_URL: {
    default: '',
    about: forHosts({ capabilities: ['enqueue:jobs', 'consume', 'redrive'] }),
  },
  MQTT_QUEUE_URL: {
    default: '',
    about: forHosts({ capabilities: ['consume', 'redrive'] }),
  },
  UNDELIVERABLE_QUEUE_URL: {
    default: '',
    about: forHosts({ capabilities: ['consume', 'redrive'] }),
  },
  QUARANTINE_QUEUE_URL: {
    default: '',
    about: forHosts({ capabilities: ['consume', 'redrive'] }),
  },
  /** The CloudWatch namespace for the metrics. */
  METRICS_NAMESPACE: {
    default: 'SensorCloud',
    about: forHosts({ capabilities: ['measure', 'guard'] }),
  },
  METRICS_SECONDS: {
    schema: () => wholeNumber(0, 300),
    default: 60,
    about: forHosts({
      stage: 'metricsSeconds',
      capabilities: ['measure', 'guard'],
      unit: 'seconds',
      help: 'How long a process counts accepted messages before logging the total. 0 logs the number for each request.',
    }),
  },
  DASHBOARD: {
    schema: flag,
    default: true,
    about: forHosts({
      stage: 'dashboard',
      capabilities: ['measure', 'guard'],
      help:
        "Creates a CloudWatch dashboard that shows the stage's health, for USD 3 a month, and writes the metrics " +
        'shown only there, for USD 3.30 at most.',
      defaults: { dev: false, home: false },
    }),
  },
  /** The AWS IoT rule for device publications, or empty without MQTT. */
  MQTT_RULE: {
    schema: () => text(/^\w*$/, 'letters, digits and _'),
    default: '',
    about: forHosts({ capabilities: ['admit:devices', 'notify:devices', 'refuse:messages'] }),
  },
  EXPORTS_BUCKET: {
    default: '',
    about: forHosts({ capabilities: ['keep:exports', 'share:exports'] }),
  },
  /** How many days table backups are kept. 0 means until they are deleted by hand. */
  BACKUP_DAYS: {
    schema: () => wholeNumber(0, 100_000),
    default: 0,
    about: forHosts({ capabilities: ['keep:exports'] }),
  },
  /** How many days logs are kept. 0 means until they are deleted by hand. */
  LOG_DAYS: {
    schema: () => wholeNumber(0, 100_000),
    default: 0,
    about: forHosts({ capabilities: ['keep:exports'] }),
  },
  /** The SNS topic for alarms, or empty if there is none. */
  ALARM_TOPIC_ARN: {
    default: '',
    about: forHosts({ capabilities: ['list:subscriptions', 'list:alarms', 'send:alarms', 'notify:operators'] }),
  },
  RUNBOOK_URL: {
    schema: () => text(/^[!-~]{1,256}$/, 'an address or a path of at most 256 printable characters without spaces'),
    default: 'lib/aws/runbook.md',
    about: forHosts({
      stage: 'runbookUrl',
      capabilities: ['list:subscriptions', 'notify:operators'],
      help: 'Runbook address or path, included in each alarm text.',
    }),
  },
  /** The KMS key that encrypts secrets. */
  SECRETS_KEY_ARN: {
    default: '',
    about: forHosts({ capabilities: ['encrypt:secrets', 'decrypt:secrets', 'decrypt:link-keys', 'keep:otps'] }),
  },
  SMS_ORIGIN: {
    default: '',
    about: forHosts({
      stage: 'smsOrigin',
      capabilities: ['send:person'],
      help:
        'AWS End User Messaging identity that SMS are sent from: the ARN of a phone number, a pool or a sender ID. A ' +
        'stage without it does not send SMS.',
      example: 'arn:aws:sms-voice:eu-central-1:123456789012:phone-number/phone-0a1b2c',
      hostSchema: () =>
        text(
          /^arn:aws[a-z-]*:sms-voice:[a-z0-9-]+:\d{12}:(phone-number|pool|sender-id)\/[\w/-]+$/,
          'the ARN of an AWS End User Messaging phone number, pool or sender ID',
        ),
    }),
  },
  /**
   * Whether others can connect to a host outside AWS. In that case, new webhooks must not point to the host's loopback
   * interface.
   */
  ON_NETWORK: {
    schema: flag,
    default: false,
    about: forHosts({ capabilities: ['know:targets'] }),
  },
  /** Whether callers from loopback are on the host machine. Without PUBLIC_URL, no proxy is expected there. */
  TRUSTS_LOOPBACK: {
    schema: flag,
    default: false,
    about: forHosts({ capabilities: ['host:health'] }),
  },
  /** The channel kinds through which the host can send messages (shared/domain/people/sendable.ts). */
  CHANNEL_KINDS: {
    schema: channelList,
    default: [],
    about: forHosts({ capabilities: ['know:channels', 'send:person'] }),
  },
  /** The kinds among CHANNEL_KINDS whose messages are only written to files. */
  OUTBOX_KINDS: {
    schema: channelList,
    default: [],
    about: forHosts({ capabilities: ['know:channels', 'send:person'] }),
  },
  /**
   * The configuration sets through which SES and AWS End User Messaging report what they cannot deliver, or empty for
   * none.
   */
  MAIL_CONFIGURATION_SET: {
    default: '',
    about: forHosts({ capabilities: ['send:person'] }),
  },
  SMS_CONFIGURATION_SET: {
    default: '',
    about: forHosts({ capabilities: ['send:person'] }),
  },
  SERVICE_VERSION: {
    default: '0.3.0',
    about: forHosts({
      stage: 'serviceVersion',
      capabilities: ['guard', 'call:webhooks', 'service:about'],
      help: 'Service version. The commands in this repository take it from package.json.',
      hostSchema: () => text(/^[\w.+-]{1,32}$/, '1 to 32 characters: letters, digits and any of _ . + -'),
    }),
  },
});
