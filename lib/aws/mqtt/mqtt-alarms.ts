import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmDefinition, MonitoredResources } from '../alarm-definition.ts';
import { maximum, sum, total } from '../monitoring/metrics.ts';
import { ruleNameOf } from './mqtt-names.ts';

const iotMetric = (metricName: string, dimensionsMap: Readonly<Record<string, string>>): Metric =>
  new Metric({ namespace: 'AWS/IoT', metricName, dimensionsMap, ...sum });

/**
 * Returns the MQTT alarms. AWS IoT counts connections only for the whole account.
 * https://docs.aws.amazon.com/iot/latest/developerguide/metrics_dimensions.html
 */
export const mqttAlarms = ({ stage, functions: { authorizer, ingest } }: MonitoredResources): AlarmDefinition[] => {
  if (!authorizer || !ingest) return [];
  const RuleName = ruleNameOf(stage);
  const rejections = ['Connect.AuthError', 'Connect.Throttle', 'Connect.ServerError', 'PublishIn.Throttle'];
  return [
    {
      id: 'mqtt-turned-away',
      metric: total(rejections.map((name) => iotMetric(name, { Protocol: 'MQTT' }))),
      atLeast: 100,
      impact: 'AWS IoT is rejecting device connections or messages, so falls are detected late.',
    },
    // The threshold above is for the whole account, so all devices in a small home could disconnect without reaching
    // it.
    {
      id: 'mqtt-authorizer',
      metric: total([authorizer.metricErrors(sum), authorizer.metricThrottles(sum)]),
      atLeast: 5,
      impact: 'The MQTT authorizer is failing, so devices cannot connect and falls are detected late.',
    },
    {
      id: 'mqtt-waits',
      metric: ingest.metric('AsyncEventAge', maximum),
      above: 30_000,
      impact:
        'Messages that devices consider delivered have been pending for more than 30 s, so falls are detected late.',
    },
    {
      id: 'mqtt-rule',
      metric: total([
        iotMetric('Failure', { RuleName, ActionType: 'Lambda' }),
        iotMetric('RuleMessageThrottled', { RuleName }),
        iotMetric('ErrorActionFailure', { RuleName, ActionType: 'SQS' }),
      ]),
      atLeast: 1,
      impact:
        'AWS IoT could not hand over messages that devices consider delivered, so falls are detected late or lost.',
    },
  ];
};
