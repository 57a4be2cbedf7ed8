import { Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { topicsOf } from '#shared/ingest/topics.ts';

const topicOfAll = (name: keyof ReturnType<typeof topicsOf>) =>
  ({
    id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:iot:<AWS::Region>:<AWS::AccountId>:topic/${topicsOf('*')[name]}]`,
    reason: 'Every device has this topic for itself, and devices come and go without a deployment.',
  }) as const;

/**
 * Every finding of cdk-nag that this project accepts, with the reason; each is acknowledged for single constructs
 * only. Any other finding stops the synthesis (app.ts).
 */
const findings = {
  'api, read by contracts': {
    id: 'AwsSolutions-APIG2',
    reason: 'The functions check path, query and body against the contracts.',
  },
  'api, no web ACL': {
    id: 'AwsSolutions-APIG3',
    reason: 'This stage has no web ACL (`waf`); the functions limit accounts and addresses by themselves.',
  },
  'api, role that writes logs': {
    id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    reason: 'The role is for the whole account, and this is the policy that API Gateway names for it.',
  },
  'device API, authentication': {
    id: 'AwsSolutions-APIG4',
    reason: 'The functions authenticate: devices and provisioning keys of our own.',
  },
  'device API, no access log': {
    id: 'AwsSolutions-APIG1',
    reason:
      'A line for each report costs more than its queueing (`deviceAccessLog`); the metrics of the API count calls and their refusals.',
  },
  'topic/config': topicOfAll('config'),
  'topic/refused': topicOfAll('refused'),
  'exports, no access log': {
    id: 'AwsSolutions-S1',
    reason: 'An object lives for a day, and the audit has who asked for its address.',
  },
  'exports, any object': {
    id: 'AwsSolutions-IAM5[Resource::<exports222B3037.Arn>/*]',
    reason: 'Each export is an object with a name of its own.',
  },
  'quarantine, no dead letters': {
    id: 'AwsSolutions-SQS3',
    reason: 'Nobody receives from it but a person who looks at what is in it.',
  },
} as const;

/** Acknowledges findings of a construct. */
export const acknowledge = (construct: Construct, ...names: (keyof typeof findings)[]): void => {
  for (const name of names) Validations.of(construct).acknowledge(findings[name]);
};
