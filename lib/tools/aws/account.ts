import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DescribeAccountAttributesCommand, PinpointSMSVoiceV2Client } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { S3Client } from '@aws-sdk/client-s3';
import { GetAccountCommand, GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { paginateListSubscriptionsByTopic, SNSClient } from '@aws-sdk/client-sns';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { stackName } from '#lib/aws/settings/stack-name.ts';
import { requestHandlerOptions } from '#shared/aws/transport.ts';
import { type Subscription, subscriptionFrom } from '#shared/domain/people/subscription.ts';
import { UserError } from '../user-error.ts';
import { alarmCalls } from './alarms.ts';
import { bucketCalls } from './buckets.ts';
import { hasName, withFallback } from './calls.ts';
import { functionCalls } from './functions.ts';
import { type Outputs, stackCalls } from './stacks.ts';
import { tableCalls } from './tables.ts';

/** Call timeouts (ms). A template can be several hundred KB in size. */
const TIMEOUTS = { connect: 5_000, answer: 20_000 };

const mailReads = (mail: SESv2Client) => ({
  /** Whether SES is in the sandbox, as in every new account. SES then sends only to verified addresses. */
  isMailSandboxed: async (): Promise<boolean> => !(await mail.send(new GetAccountCommand({}))).ProductionAccessEnabled,

  /** Whether this address or domain is verified as a sender. */
  mayMailFrom: (EmailIdentity: string): Promise<boolean> => {
    const identity = mail.send(new GetEmailIdentityCommand({ EmailIdentity }));
    return withFallback(
      identity.then(({ VerifiedForSendingStatus = false }) => VerifiedForSendingStatus),
      hasName('NotFoundException'),
      false,
    );
  },
});

const smsReads = (sms: PinpointSMSVoiceV2Client) => ({
  /**
   * Whether AWS End User Messaging is in the sandbox, as in every new account. It then sends only to verified numbers.
   */
  isSmsSandboxed: async (): Promise<boolean> => {
    const { AccountAttributes = [] } = await sms.send(new DescribeAccountAttributesCommand({}));
    return AccountAttributes.some(({ Name, Value }) => Name === 'ACCOUNT_TIER' && Value === 'SANDBOX');
  },
});

export type AwsConfig = { region?: string; maxAttempts?: number };

/** Returns the region the AWS CLI would use, because the SDK does not read AWS_DEFAULT_REGION. */
export const awsConfig = (env: Readonly<Record<string, string | undefined>>): AwsConfig => {
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION;
  return region ? { region } : {};
};

/** Returns the AWS account calls made by the tools, with the AWS CLI credentials. */
export const createAccountClient = (awsConfig: AwsConfig) => {
  const config = { ...awsConfig, requestHandler: requestHandlerOptions(TIMEOUTS) };
  const sts = new STSClient(config);
  const lambda = new LambdaClient(config);
  const sns = new SNSClient(config);
  return {
    ...stackCalls(new CloudFormationClient(config)),
    ...alarmCalls(new CloudWatchClient(config)),
    ...bucketCalls(new S3Client(config)),
    ...smsReads(new PinpointSMSVoiceV2Client(config)),
    ...mailReads(new SESv2Client(config)),
    ...tableCalls(new DynamoDBClient(config)),
    ...functionCalls(lambda),

    /** Returns the account that the credentials belong to, and the region. */
    identity: async (): Promise<{ account: string; region: string }> => {
      const region = await sts.config.region();
      const { Account = '' } = await sts.send(new GetCallerIdentityCommand({}));
      return { account: Account, region };
    },

    /** Returns a topic's subscriptions, including unconfirmed ones. */
    subscriptions: async (TopicArn: string): Promise<Subscription[]> => {
      const found: Subscription[] = [];
      for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic({ client: sns }, { TopicArn }))
        found.push(...Subscriptions.map(subscriptionFrom));
      return found;
    },

    /** Returns the account's Lambda concurrency, and how much of it is unreserved. */
    concurrency: async (): Promise<{ total: number; unreserved: number }> => {
      const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
      const { ConcurrentExecutions = 0, UnreservedConcurrentExecutions = 0 } = AccountLimit ?? {};
      return { total: ConcurrentExecutions, unreserved: UnreservedConcurrentExecutions };
    },
  };
};

export type AccountClient = ReturnType<typeof createAccountClient>;

/** Returns the stack outputs for a stage. Throws a UserError if the stack does not exist. */
export const requireOutputs = async (account: AccountClient, stage: string): Promise<Outputs> => {
  const outputs = await account.outputs(stackName(stage));
  if (outputs) return outputs;
  const { account: id, region } = await account.identity();
  throw new UserError(
    `The account ${id} has no stack ${stackName(stage)} in ${region}: deploy it (npm run deploy -- --stage ${stage}), ` +
      'or set another region (AWS_REGION) or profile (AWS_PROFILE).',
  );
};
