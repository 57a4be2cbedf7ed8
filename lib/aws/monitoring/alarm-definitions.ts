import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { tableDesign } from '#shared/store/table.ts';
import type { AlarmDefinition, MonitoredResources } from '../alarm-definition.ts';
import { valueForFunction } from '../functions/lambdas.ts';
import { mqttAlarms } from '../mqtt/mqtt-alarms.ts';
import { fallAlarms, queueAlarms, receiverAlarms } from './fall-alarms.ts';
import { arrivals, maximum, ownMetric, sum, total } from './metrics.ts';

/** Returns the alarms for background functions. Errors in API functions already count as 5xx responses. */
const functionAlarms = ({ functions, workers, stage }: MonitoredResources): AlarmDefinition[] => [
  {
    id: 'workers-failing',
    metric: total(workers.map((name) => valueForFunction(functions, name).metricErrors(sum))),
    atLeast: 1,
    impact:
      'A background function crashed, or ran out of time or memory. Its tasks are retried, so people may be notified late.',
  },
  {
    id: 'workers-throttled',
    metric: total(workers.map((name) => valueForFunction(functions, name).metricThrottles(sum))),
    atLeast: 5,
    impact: 'Lambda is refusing to start a background function, so falls are processed late.',
  },
  {
    id: 'sweep-silent',
    metric: valueForFunction(functions, 'sweep').metricInvocations(sum),
    // The sweep runs every minute.
    below: 3,
    impact:
      'The sweep runs too rarely or not at all: offline sensors go unnoticed, retries with long delays stop, and dead letters stay where they are.',
  },
  {
    id: 'concurrency',
    metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'ClaimedAccountConcurrency', ...maximum }),
    above: 0.8 * stage.accountConcurrency,
    impact:
      'The account is using 80% of its allowed concurrent executions. At the limit, devices and apps get errors and ' +
      'tasks pile up.',
  },
];

/** Returns the alarm for missing subscriptions. A stage without `alarmEmail` does not need one. */
const subscriptionAlarms = ({ stage, table }: MonitoredResources): AlarmDefinition[] =>
  stage.alarmEmail === ''
    ? []
    : [
        {
          id: 'alarms-unheard',
          metric: ownMetric(table, 'AlarmSubscriptions', 'Minimum').with({ period: Duration.days(1) }),
          below: 1,
          impact:
            'Nobody has confirmed an alarm subscription, or the check has not run for two days: nobody learns about ' +
            'alarms.',
        },
      ];

const tableAlarms = ({ table }: MonitoredResources): AlarmDefinition[] =>
  [null, ...Object.keys(tableDesign.indexes)].map((index) => ({
    id: index === null ? 'table-throttled' : `index-${index}-throttled`,
    metric: total(
      (['ReadThrottleEvents', 'WriteThrottleEvents'] as const).map((name) =>
        table.metric(name, {
          ...sum,
          ...(index !== null && { dimensionsMap: { TableName: table.tableName, GlobalSecondaryIndexName: index } }),
        }),
      ),
    ),
    atLeast: 10,
    impact:
      index === null
        ? 'DynamoDB is throttling the table: requests slow down and fail with 503.'
        : `DynamoDB is throttling the index ${index}: queries slow down, and so do writes that change the index.`,
  }));

const mailAlarms = ({ stage, table }: MonitoredResources): AlarmDefinition[] =>
  stage.mailSender === ''
    ? []
    : [
        {
          id: 'mails-bounced',
          metric: new Metric({
            namespace: 'AWS/SES',
            metricName: 'Reputation.BounceRate',
            statistic: 'Maximum',
            period: Duration.hours(1),
          }),
          above: 0.05,
          impact:
            'More than 5% of emails bounce: people who forgot their password get no email, and above 10% SES may ' +
            'stop all sending.',
        },
        {
          id: 'mails-failing',
          metric: arrivals(table, 'MailsFailed'),
          atLeast: 1,
          impact:
            'SES is rejecting email, so people who forgot their password get none, and neither do managers of ' +
            'failing webhooks.',
        },
      ];

const messengerAlarms = ({ stage, table }: MonitoredResources): AlarmDefinition[] => [
  {
    id: 'letters-failing',
    metric: ownMetric(table, 'LettersFailed'),
    atLeast: 3,
    impact:
      'The service for email, SMS, push or Telegram rejected notifications, so someone may not learn about a fall.',
  },
  ...(stage.mailSender === '' && stage.smsOrigin === ''
    ? []
    : [
        {
          id: 'notifications-undeliverable',
          metric: ownMetric(table, 'Undeliverable'),
          atLeast: 3,
          impact:
            'The email or SMS service accepted several messages that did not arrive, so people who seemed to have ' +
            'been notified were not.',
        },
      ]),
];

const appApiAlarms = ({ api, table }: MonitoredResources): AlarmDefinition[] => [
  {
    id: 'api-5xx',
    metric: api.metricServerError(sum),
    atLeast: 5,
    impact: 'The app API is failing, so people and apps get service errors.',
  },
  {
    id: 'console-throttled',
    metric: api.consoleThrottled.with(sum),
    atLeast: 50,
    impact: 'Together, all callers request console files too often, so staff may be unable to open the console.',
  },
  {
    id: 'logins-failed',
    metric: ownMetric(table, 'LoginsFailed'),
    atLeast: 500,
    impact: "Someone is guessing passwords. An account could be taken over, with all of a home's data.",
  },
  ...(api.webAcl
    ? [
        {
          id: 'waf-blocked',
          metric: new Metric({
            namespace: 'AWS/WAFV2',
            metricName: 'BlockedRequests',
            dimensionsMap: { WebACL: table.stack.stackName, Region: table.stack.region, Rule: 'ALL' },
            ...sum,
          }),
          atLeast: 500,
          impact: 'The web ACL is blocking many requests: either this is an attack, or a rule blocks legitimate users.',
        },
      ]
    : []),
];

/** Returns all alarms, the most important ones for falls first. */
export const alarmDefinitions = (watched: MonitoredResources): AlarmDefinition[] => [
  ...fallAlarms(watched),
  ...mqttAlarms(watched),
  ...queueAlarms(watched),
  ...receiverAlarms(watched),
  ...functionAlarms(watched),
  ...subscriptionAlarms(watched),
  ...tableAlarms(watched),
  ...appApiAlarms(watched),
  ...mailAlarms(watched),
  ...messengerAlarms(watched),
];
