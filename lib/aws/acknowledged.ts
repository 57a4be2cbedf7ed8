import { Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { topicsOf } from '#shared/ingest/topics.ts';

const topicOfAnyDevice = (name: keyof ReturnType<typeof topicsOf>) =>
  ({
    id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:iot:<AWS::Region>:<AWS::AccountId>:topic/${topicsOf('*')[name]}]`,
    reason: 'Each device has its own topic, and devices come and go without a deployment.',
  }) as const;

/**
 * The cdk-nag findings this project accepts, with reasons. Each is acknowledged only on the constructs that need it.
 * Any other finding stops the synthesis (app.ts).
 */
const findings = {
  'api, validated by contracts': {
    id: 'AwsSolutions-APIG2',
    reason: 'The functions validate path, query and body against the contracts.',
  },
  'api, no web ACL': {
    id: 'AwsSolutions-APIG3',
    reason: 'This stage has no web ACL (`waf`); the functions rate-limit accounts and addresses.',
  },
  'api, role that writes logs': {
    id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    reason: 'API Gateway requires this policy for the logging role, which exists once per account.',
  },
  'device API, authentication': {
    id: 'AwsSolutions-APIG4',
    reason: 'The functions check device tokens and provisioning keys.',
  },
  'device API, no access log': {
    id: 'AwsSolutions-APIG1',
    reason:
      'Logging a report costs more than queueing it (`deviceAccessLog`); the metrics of the API count calls and errors.',
  },
  'network, no flow log': {
    id: 'AwsSolutions-VPC7',
    reason: 'The network holds only the load balancer of devices, whose metrics count calls and errors.',
  },
  'device balancer, open to devices': {
    id: 'AwsSolutions-EC23',
    reason: 'Devices call from anywhere, only by TLS, and the functions check device tokens and provisioning keys.',
  },
  'device balancer, no access log': {
    id: 'AwsSolutions-ELB2',
    reason: 'Its metrics count calls and errors; a log of each report would have to be stored and deleted.',
  },
  'topic/config': topicOfAnyDevice('config'),
  'topic/refused': topicOfAnyDevice('refused'),
  'alarm states': {
    id: 'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:cloudwatch:<AWS::Region>:<AWS::AccountId>:alarm:*]',
    reason: 'CloudWatch lists alarms by state only for callers that may read all of them.',
  },
  'exports, no access log': {
    id: 'AwsSolutions-S1',
    reason: 'An object lives for a day, and the audit log records who requested its download link.',
  },
  'exports, any object': {
    id: 'AwsSolutions-IAM5[Resource::<exports222B3037.Arn>/*]',
    reason: 'Each export is a new object, whose name is not known at deployment.',
  },
  'quarantine, no dead-letter queue': {
    id: 'AwsSolutions-SQS3',
    reason: 'No function receives from it; a person inspects its messages.',
  },
} as const;

/** Acknowledges findings on a construct. */
export const acknowledge = (construct: Construct, ...names: (keyof typeof findings)[]): void => {
  for (const name of names) Validations.of(construct).acknowledge(findings[name]);
};
