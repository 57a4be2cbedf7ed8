import { CloudFormationClient, DescribeStacksCommand, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetAccountCommand, GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { paginateListSubscriptionsByTopic, SNSClient } from '@aws-sdk/client-sns';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { stackName } from '#lib/aws/settings/stack-name.ts';
import { transport } from '#shared/aws/transport.ts';
import { type Subscription, subscriptionFrom } from '#shared/domain/people/subscription.ts';
import { Refusal } from '../refusal.ts';
import { isNamed, orElse } from './calls.ts';
import { functionCalls } from './functions.ts';
import { tableCalls } from './tables.ts';

export type Outputs = Readonly<Record<string, string>>;

/** How long (ms) a call may take: a template has some hundred KB. */
const TIMEOUTS = { connect: 5_000, answer: 20_000 };

/** Does an error say that a stack doesn't exist? CloudFormation has no error type of its own for it. */
const isMissing = (error: unknown): boolean =>
  isNamed('ValidationError')(error) && /does not exist/.test(String((error as Error).message));

const stackReads = (formation: CloudFormationClient) => ({
  /** Gives the outputs of a stack by their names; null when there is no such stack. */
  outputs: (StackName: string): Promise<Outputs | null> => {
    const asked = formation.send(new DescribeStacksCommand({ StackName })).then(({ Stacks: [stack] = [] }) => {
      const pairs = (stack?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]);
      return Object.fromEntries(pairs) as Outputs;
    });
    return orElse(asked, isMissing, null);
  },

  /** Is CloudFormation changing a stack now? */
  isChanging: async (StackName: string): Promise<boolean> => {
    const { Stacks: [stack] = [] } = await formation.send(new DescribeStacksCommand({ StackName }));
    return /_IN_PROGRESS$/.test(stack?.StackStatus ?? '');
  },

  /** Gives the template that a stack was deployed from; null when there is no such stack. */
  template: (StackName: string): Promise<string | null> => {
    const asked = formation.send(new GetTemplateCommand({ StackName }));
    return orElse(
      asked.then(({ TemplateBody = '{}' }) => TemplateBody),
      isMissing,
      null,
    );
  },
});

const mailReads = (mail: SESv2Client) => ({
  /** Is SES in its sandbox, so that mails go only to verified addresses? It is in every new account. */
  isMailSandboxed: async (): Promise<boolean> => !(await mail.send(new GetAccountCommand({}))).ProductionAccessEnabled,

  /** May mails be sent from this address, or from this whole domain? */
  mayMailFrom: (EmailIdentity: string): Promise<boolean> => {
    const asked = mail.send(new GetEmailIdentityCommand({ EmailIdentity }));
    return orElse(
      asked.then(({ VerifiedForSendingStatus = false }) => VerifiedForSendingStatus),
      isNamed('NotFoundException'),
      false,
    );
  },
});

export type AwsConfig = { region?: string; maxAttempts?: number };
/** Finds the region where the AWS CLI does, because the SDK doesn't read AWS_DEFAULT_REGION. */
export const awsConfig = (env: Readonly<Record<string, string | undefined>>): AwsConfig => {
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION;
  return region ? { region } : {};
};

/** Creates the calls to an AWS account that the tools make. Credentials are found where the AWS CLI finds them. */
export const awsAccount = (given: AwsConfig) => {
  const config = { ...given, requestHandler: transport(TIMEOUTS) };
  const sts = new STSClient(config);
  const lambda = new LambdaClient(config);
  const sns = new SNSClient(config);
  return {
    ...stackReads(new CloudFormationClient(config)),
    ...mailReads(new SESv2Client(config)),
    ...tableCalls(new DynamoDBClient(config)),
    ...functionCalls(lambda),

    /** Gives the account of the credentials, and the region. */
    identity: async (): Promise<{ account: string; region: string }> => {
      const region = await sts.config.region();
      const { Account = '' } = await sts.send(new GetCallerIdentityCommand({}));
      return { account: Account, region };
    },

    /** Gives the subscriptions of a topic, those that nobody has confirmed too. */
    subscriptions: async (TopicArn: string): Promise<Subscription[]> => {
      const all: Subscription[] = [];
      for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic({ client: sns }, { TopicArn }))
        all.push(...Subscriptions.map(subscriptionFrom));
      return all;
    },

    /** Gives the Lambda concurrency of the account, and the part of it that is not reserved. */
    concurrency: async (): Promise<{ total: number; unreserved: number }> => {
      const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
      const { ConcurrentExecutions = 0, UnreservedConcurrentExecutions = 0 } = AccountLimit ?? {};
      return { total: ConcurrentExecutions, unreserved: UnreservedConcurrentExecutions };
    },
  };
};
export type Account = ReturnType<typeof awsAccount>;

/** Gives the outputs of the stack of a stage. Throws a Refusal when there is no such stack. */
export const outputsOf = async (account: Account, stage: string): Promise<Outputs> => {
  const outputs = await account.outputs(stackName(stage));
  if (outputs) return outputs;
  const { account: id, region } = await account.identity();
  throw new Refusal(
    `The account ${id} has no stack ${stackName(stage)} in ${region}: deploy it (npm run deploy -- --stage ${stage}), ` +
      'or choose another region (AWS_REGION) or profile (AWS_PROFILE).',
  );
};
