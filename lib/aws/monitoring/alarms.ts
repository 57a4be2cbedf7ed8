import { CfnOutput, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { AlarmDefinition, MonitoredResources } from '../alarm-definition.ts';
import type { Stage } from '../settings/settings.ts';
import { alarmDefinitions } from './alarm-definitions.ts';

const comparisonOf = (watch: AlarmDefinition): [number, ComparisonOperator] => {
  if ('atLeast' in watch) return [watch.atLeast, ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD];
  if ('above' in watch) return [watch.above, ComparisonOperator.GREATER_THAN_THRESHOLD];
  return [watch.below, ComparisonOperator.LESS_THAN_THRESHOLD];
};

/** Creates an alarm whose description states the impact and links to the runbook chapter. */
const createAlarm = (scope: Construct, watch: AlarmDefinition, { runbookUrl }: Stage): Alarm => {
  const { id, metric, impact, withinPeriods = 1 } = watch;
  const [threshold, comparisonOperator] = comparisonOf(watch);
  return new Alarm(scope, `alarm-${id}`, {
    metric,
    threshold,
    comparisonOperator,
    treatMissingData: 'below' in watch ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    evaluationPeriods: withinPeriods,
    datapointsToAlarm: 1,
    alarmDescription: `${impact} What to do: ${runbookUrl}#${id}`,
  });
};

/**
 * Creates the topic that alarms in this account may publish to. Returns null in a stage without `alarmEmail`. The
 * `enforceSSL` policy replaces the default one, which would allow CloudWatch to publish.
 * https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
 */
export const createAlarmTopic = (scope: Construct, { alarmEmail }: Stage): Topic | null => {
  if (alarmEmail === '') return null;
  const topic = new Topic(scope, 'alarms', { enforceSSL: true });
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  topic.addSubscription(new EmailSubscription(alarmEmail));
  new CfnOutput(Stack.of(scope), 'AlarmTopic', { value: topic.topicArn });
  return topic;
};

/** Creates all alarms. Without a topic they are only visible in CloudWatch, and no one is notified. */
export const createAlarms = (scope: Construct, watched: MonitoredResources, topic: Topic | null): Alarm[] => {
  const alarms = alarmDefinitions(watched).map((watch) => createAlarm(scope, watch, watched.stage));
  if (topic) for (const alarm of alarms) alarm.addAlarmAction(new SnsAction(topic));
  return alarms;
};
