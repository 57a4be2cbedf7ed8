import { CloudFormationClient, DescribeStacksCommand, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetAccountCommand, GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { stackName } from '../../aws/stack-name.ts';
import { Refusal } from '../refusal.ts';

export type Outputs = Readonly<Record<string, string>>;

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');
/** CloudFormation has no error of its own for a stack that is not there. */
const isMissing = (error: unknown): boolean =>
  nameOf(error) === 'ValidationError' && /does not exist/.test(String((error as Error).message));

/** `otherwise` when what is asked for is not there. */
const orMissing = async <T, O>(
  asked: Promise<T>,
  isGone: (error: unknown) => boolean,
  otherwise: O,
): Promise<T | O> => {
  try {
    return await asked;
  } catch (error) {
    if (isGone(error)) return otherwise;
    throw error;
  }
};

const stackReads = (formation: CloudFormationClient) => ({
  /** Outputs of a stack by their names; null: there is no such stack. */
  outputs: (StackName: string): Promise<Outputs | null> => {
    const asked = formation.send(new DescribeStacksCommand({ StackName })).then(({ Stacks: [stack] = [] }) => {
      const pairs = (stack?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]);
      return Object.fromEntries(pairs) as Outputs;
    });
    return orMissing(asked, isMissing, null);
  },

  /** The template that a stack was deployed from; null: there is no such stack. */
  template: (StackName: string): Promise<string | null> => {
    const asked = formation.send(new GetTemplateCommand({ StackName }));
    return orMissing(
      asked.then(({ TemplateBody = '{}' }) => TemplateBody),
      isMissing,
      null,
    );
  },
});

const mailReads = (mail: SESv2Client) => ({
  /** True: mails go to verified addresses alone, as in every new account. */
  isMailSandboxed: async (): Promise<boolean> => !(await mail.send(new GetAccountCommand({}))).ProductionAccessEnabled,

  /** May mails come from this address, or from all of this domain? */
  mayMailFrom: (EmailIdentity: string): Promise<boolean> => {
    const asked = mail.send(new GetEmailIdentityCommand({ EmailIdentity }));
    return orMissing(
      asked.then(({ VerifiedForSendingStatus = false }) => VerifiedForSendingStatus),
      (error) => nameOf(error) === 'NotFoundException',
      false,
    );
  },
});

export type AwsConfig = { region?: string };
/** The region where the AWS CLI finds it too: the SDK does not know AWS_DEFAULT_REGION. */
export const awsConfig = (env: Readonly<Record<string, string | undefined>>): AwsConfig => {
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION;
  return region ? { region } : {};
};

/** What the tools ask of an AWS account. Credentials are found as the AWS CLI finds them. */
export const awsAccount = (config: AwsConfig) => {
  const [sts, lambda] = [new STSClient(config), new LambdaClient(config)];
  return {
    ...stackReads(new CloudFormationClient(config)),
    ...mailReads(new SESv2Client(config)),

    /** Whose account it is, by the credentials that are used, and the region. */
    identity: async (): Promise<{ account: string; region: string }> => {
      const region = await sts.config.region();
      const { Account = '' } = await sts.send(new GetCallerIdentityCommand({}));
      return { account: Account, region };
    },

    /** Invocations of Lambda at a time: of the whole account, and those that nothing has reserved. */
    concurrency: async (): Promise<{ total: number; unreserved: number }> => {
      const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
      const { ConcurrentExecutions = 0, UnreservedConcurrentExecutions = 0 } = AccountLimit ?? {};
      return { total: ConcurrentExecutions, unreserved: UnreservedConcurrentExecutions };
    },
  };
};
export type Account = ReturnType<typeof awsAccount>;

/** Outputs of the stack of a stage, which has to be there. */
export const outputsOf = async (account: Account, stage: string): Promise<Outputs> => {
  const outputs = await account.outputs(stackName(stage));
  if (outputs) return outputs;
  const { account: id, region } = await account.identity();
  throw new Refusal(
    `The account ${id} has no stack ${stackName(stage)} in ${region}: deploy it (npm run deploy -- --stage ${stage}), ` +
      'or choose another region (AWS_REGION) or profile (AWS_PROFILE).',
  );
};
