import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Watch, Watched } from '../watch.ts';
import { maximum, sum, total } from '../watching/metrics.ts';
import { ruleNameOf } from './mqtt-names.ts';

const ofIot = (metricName: string, dimensionsMap: Readonly<Record<string, string>>): Metric =>
  new Metric({ namespace: 'AWS/IoT', metricName, dimensionsMap, ...sum });

/**
 * The watches of MQTT. AWS IoT counts connections for the whole account only.
 * https://docs.aws.amazon.com/iot/latest/developerguide/metrics_dimensions.html
 */
export const ofMqtt = ({ stage, functions: { authorizer, ingest } }: Watched): Watch[] => {
  if (!authorizer || !ingest) return [];
  const RuleName = ruleNameOf(stage);
  const turnedAway = ['Connect.AuthError', 'Connect.Throttle', 'Connect.ServerError', 'PublishIn.Throttle'];
  return [
    {
      id: 'mqtt-turned-away',
      metric: total(turnedAway.map((name) => ofIot(name, { Protocol: 'MQTT' }))),
      atLeast: 100,
      impact:
        'Devices are refused at MQTT, for their tokens, their number or an error of AWS, so falls are noticed late.',
    },
    // The bound of the watch above is for a whole account. In a small home all devices may be disconnected before it
    // is reached.
    {
      id: 'mqtt-authorizer',
      metric: total([authorizer.metricErrors(sum), authorizer.metricThrottles(sum)]),
      atLeast: 5,
      impact: 'The authorizer of MQTT fails: devices are refused when they connect, so falls are noticed late.',
    },
    {
      id: 'mqtt-waits',
      metric: ingest.metric('AsyncEventAge', maximum),
      above: 30_000,
      impact: 'Messages that were acknowledged to devices wait for the function ingest, so falls are noticed late.',
    },
    {
      id: 'mqtt-rule',
      metric: total([
        ofIot('Failure', { RuleName, ActionType: 'Lambda' }),
        ofIot('RuleMessageThrottled', { RuleName }),
        ofIot('ErrorActionFailure', { RuleName, ActionType: 'SQS' }),
      ]),
      atLeast: 1,
      impact:
        'Messages that were acknowledged to devices were not passed on: they wait in the queue mqtt, or are lost.',
    },
  ];
};
