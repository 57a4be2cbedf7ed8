import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { tableDesign } from '#shared/store/table.ts';
import { functionIn } from '../functions/lambdas.ts';
import { ofMqtt } from '../mqtt/mqtt-watches.ts';
import type { Watch, Watched } from '../watch.ts';
import { ofFalls, ofQueues, ofReceivers } from './fall-watches.ts';
import { maximum, ownMetric, sum, total } from './metrics.ts';

/**
 * The watches of functions. Errors of the functions that answer requests are watched at the APIs, where they are a
 * 5xx.
 */
const ofFunctions = ({ functions, workers, stage }: Watched): Watch[] => [
  {
    id: 'workers-failing',
    metric: total(workers.map((name) => functionIn(functions, name).metricErrors(sum))),
    atLeast: 1,
    impact: 'A background function crashed or ran out of time or memory: its work is retried, late.',
  },
  {
    id: 'workers-throttled',
    metric: total(workers.map((name) => functionIn(functions, name).metricThrottles(sum))),
    atLeast: 5,
    impact: 'Invocations of a background function are refused, so the processing of falls waits.',
  },
  {
    id: 'sweep-silent',
    metric: functionIn(functions, 'sweep').metricInvocations(sum),
    // It runs each minute.
    below: 3,
    impact:
      'The sweep does not run, or too seldom: silence is not noticed, long retries wait, and dead letters are not put back.',
  },
  {
    id: 'concurrency',
    metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'ClaimedAccountConcurrency', ...maximum }),
    above: 0.8 * stage.accountConcurrency,
    impact: 'The account will soon refuse invocations: devices and apps would get errors, and work would wait.',
  },
];

/** A stage that tells nobody of its alarms has nobody to look for. */
const ofTelling = ({ stage, table }: Watched): Watch[] =>
  stage.alarmEmail === ''
    ? []
    : [
        {
          id: 'alarms-unheard',
          metric: ownMetric(table, 'AlarmSubscriptions', 'Minimum').with({ period: Duration.days(1) }),
          below: 1,
          impact:
            'Nobody has confirmed to be told of alarms, or nothing has looked whether somebody has: nobody hears them.',
        },
      ];

const ofTable = ({ table }: Watched): Watch[] =>
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
        ? 'The table refuses calls: they slow down and end as 503, most likely because of one hot customer.'
        : `The index ${index} refuses calls, and with it the writes of the table that change it: calls slow down.`,
  }));

const ofMails = ({ stage, table }: Watched): Watch[] =>
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
          impact: 'People who forgot their password get no mail, and above 10 % SES sends no more mails at all.',
        },
        {
          id: 'mails-failing',
          metric: ownMetric(table, 'MailsFailed'),
          atLeast: 1,
          impact: 'SES took no mail: people who forgot their password get none.',
        },
      ];

const ofPeople = ({ table }: Watched): Watch[] => [
  {
    id: 'letters-failing',
    metric: ownMetric(table, 'LettersFailed'),
    atLeast: 3,
    impact: 'Mails, SMS, pushes or chat messages to people were not taken: somebody may not hear of a fall.',
  },
];

const ofApps = ({ api, table }: Watched): Watch[] => [
  {
    id: 'api-5xx',
    metric: api.metricServerError(sum),
    atLeast: 5,
    impact: 'People and apps get errors of the service, and see them.',
  },
  {
    id: 'console-throttled',
    metric: api.consoleThrottled.with(sum),
    atLeast: 50,
    impact: 'People cannot open the console, because all callers together ask for its files too often.',
  },
  {
    id: 'logins-failed',
    metric: ownMetric(table, 'LoginsFailed'),
    atLeast: 500,
    impact: 'Somebody guesses passwords: an account may be taken over, with all data of its home.',
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
          impact: 'The web ACL blocks many calls: it is an attack, or a rule that blocks legitimate users.',
        },
      ]
    : []),
];

/** All watches, the most important ones for falls first. */
export const watchesOf = (watched: Watched): Watch[] => [
  ...ofFalls(watched),
  ...ofMqtt(watched),
  ...ofQueues(watched),
  ...ofReceivers(watched),
  ...ofFunctions(watched),
  ...ofTelling(watched),
  ...ofTable(watched),
  ...ofApps(watched),
  ...ofMails(watched),
  ...ofPeople(watched),
];
