import { describe, expect, test } from 'vitest';
import { checkAlarms, checkBootstrap, checkConcurrency, checkMail, checkSubscriptions } from '#lib/tools/aws/checks.ts';
import { sentenceOf } from '#lib/tools/aws/failure.ts';
import type { Template } from '#lib/tools/aws/template.ts';
import { runTool } from '#lib/tools/run.ts';
import { accountWith, awsError } from '#test/fixtures/aws-account.ts';

const denied = awsError(
  'AccessDeniedException',
  'User: arn:aws:iam::1:user/a is not authorized to perform: ses:GetAccount on x',
);
/** No check is worth reading that does not say what to do. */
const SENTENCE = /^[A-Z].*\.$/;

describe('the bootstrap stack', () => {
  test.each([
    [{}, 'failed', /nothing in this account .* run `npx cdk bootstrap aws:\/\/123456789012\/eu-central-1`/],
    [{ CDKToolkit: { BootstrapVersion: '5' } }, 'failed', /has version 5, and 6 is needed: run `npx cdk bootstrap/],
    [{ CDKToolkit: { BootstrapVersion: '6' } }, 'ok', /^version 6$/],
  ])('%j is %s', async (stacks, verdict, says) => {
    const { account } = accountWith({ stacks: stacks as Record<string, Record<string, string>> });
    expect(await checkBootstrap(account)).toMatchObject({ verdict, says: expect.stringMatching(says) });
  });
});

describe('the sender of mails', () => {
  const sender = 'cloud@example.org';
  test.each<[string, Parameters<typeof accountWith>[0], string, string, RegExp]>([
    ['none', {}, '', 'warning', /no mailSender, so password reset answers "false"/],
    ['unknown to SES', {}, sender, 'warning', /not verified .*deployed without mail.*create-email-identity/],
    [
      'verified, in the sandbox',
      { verified: [sender], isSandboxed: true },
      sender,
      'warning',
      /sandbox.*production access/,
    ],
    ['verified', { verified: [sender] }, sender, 'ok', /^from cloud@example.org$/],
    ['of a verified domain', { verified: ['example.org'] }, sender, 'ok', /^from/],
  ])('%s', async (_, facts, address, verdict, says) => {
    const check = await checkMail(accountWith(facts).account, address);
    expect(check).toMatchObject({ verdict, says: expect.stringMatching(says) });
    expect(check.withoutMail ?? false).toBe(verdict === 'warning' && address !== '');
  });

  test('stays configured when its state cannot be read for lack of a right', async () => {
    const { account, fail } = accountWith({});
    fail('mail', denied);
    expect(await checkMail(account, sender)).toEqual({
      what: 'mail',
      verdict: 'warning',
      says: expect.stringMatching(/^This could not be checked\. .* do not allow ses:GetAccount/),
    });
  });
});

describe('the concurrency of the account', () => {
  test.each<[string, [number, number], number, number, string, RegExp]>([
    ['of a new account', [10, 10], 0, 0, 'warning', /runs 10 invocations at a time.*Service Quotas/],
    ['of a new account, for a stage that reserves', [10, 10], 352, 0, 'failed', /reserves 352 .* has 0 to reserve/],
    ['enough', [1_000, 1_000], 352, 0, 'ok', /352 of them reserved/],
    ['just enough', [1_000, 1_000], 900, 0, 'ok', /900 of them/],
    ['one too few', [1_000, 1_000], 901, 0, 'failed', /reserves 901 .* has 900 to reserve/],
    ['reserved by this stage already', [1_000, 648], 352, 352, 'ok', /352 of them/],
    ['reserved by others', [1_000, 300], 352, 0, 'failed', /has 200 to reserve/],
    ['unreserved', [1_000, 1_000], 0, 0, 'ok', /none of them reserved for what falls need/],
  ])('%s', async (_, concurrency, wanted, own, verdict, says) => {
    const check = await checkConcurrency(accountWith({ concurrency }).account, { wanted, own: async () => own });
    expect(check).toMatchObject({ verdict, says: expect.stringMatching(says) });
    if (verdict !== 'ok') expect(check.says).toMatch(SENTENCE);
  });
});

describe('the alarms of the stage', () => {
  const told = { Type: 'AWS::SNS::Subscription', Properties: { Endpoint: 'night@example.org' } };
  const full = (Threshold: number) => ({
    Type: 'AWS::CloudWatch::Alarm',
    Properties: { MetricName: 'ClaimedAccountConcurrency', Threshold },
  });
  test.each<[string, object, number, string, RegExp]>([
    ['that nobody is told of', { full: full(800) }, 1_000, 'warning', /nobody is told.*-c alarmEmail=ADDRESS/],
    [
      'of which one is never reached',
      { told, full: full(800) },
      400,
      'warning',
      /at 800 .*has 400.*accountConcurrency=400/,
    ],
    [
      'of which one is not reached before it is too late',
      { told, full: full(800) },
      800,
      'warning',
      /accountConcurrency=800/,
    ],
    ['that are right', { told, full: full(800) }, 1_000, 'ok', /^to night@example.org$/],
  ])('%s', async (_, Resources, total, verdict, says) => {
    const { account } = accountWith({ concurrency: [total, total] });
    const check = await checkAlarms(account, { Resources } as Template);
    expect(check).toMatchObject({ verdict, says: expect.stringMatching(says) });
    if (verdict !== 'ok') expect(check.says).toMatch(SENTENCE);
  });
});

describe('the subscriptions of the topic of alarms', () => {
  const stacks = { one: { AlarmTopic: 'arn:aws:sns:eu-central-1:123456789012:alarms' } };
  const mail = (isConfirmed: boolean): [string, string, boolean] => ['email', 'night@example.org', isConfirmed];
  test.each<[string, Parameters<typeof accountWith>[0], string, RegExp]>([
    ['of a stack that is not there yet', {}, 'ok', /before the first deployment/],
    ['that are none', { stacks }, 'warning', /^Nobody is told .*night@example\.org must follow the link/],
    ['that nobody has confirmed', { stacks, subscribed: [mail(false)] }, 'warning', /^Nobody is told of alarms yet/],
    [
      'of an e-mail alone',
      { stacks, subscribed: [mail(true), ['https', 'https://pager.example.org', false]] },
      'warning',
      /^Alarms go to night@example\.org, .*wakes nobody.*--topic-arn arn:aws:sns:eu-central-1:123456789012:alarms /,
    ],
    [
      'of a pager on a later page',
      { stacks, subscribed: [mail(true), mail(false), ['https', 'https://pager.example.org', true]] },
      'ok',
      /^2 confirmed, 1 of them not by e-mail$/,
    ],
  ])('%s', async (_, facts, verdict, says) => {
    const check = await checkSubscriptions(accountWith(facts).account, 'one', ['night@example.org']);
    expect(check).toMatchObject({ verdict, says: expect.stringMatching(says) });
    if (verdict !== 'ok') expect(check.says).toMatch(SENTENCE);
  });

  test('stay unknown for lack of a right, and the deployment goes on', async () => {
    const { account, fail } = accountWith({ stacks });
    const message = 'User: x is not authorized to perform: SNS:ListSubscriptionsByTopic on resource: y';
    fail('sns', awsError('AuthorizationErrorException', message));
    expect(await checkSubscriptions(account, 'one', [])).toMatchObject({
      verdict: 'warning',
      says: expect.stringMatching(/^This could not be checked\. .* do not allow SNS:ListSubscriptionsByTopic/),
    });
  });
});

describe('an error of AWS', () => {
  test.each([
    ['no credentials', awsError('CredentialsProviderError'), /^There are no AWS credentials here, /],
    ['a single sign-on that ended', awsError('TokenProviderError'), /^Your single sign-on/],
    ['a session of it that ended', awsError('CredentialsProviderError', 'The SSO session has expired'), /^Your single/],
    ['expired credentials', awsError('ExpiredTokenException'), /have expired/],
    ['an unknown key', awsError('InvalidClientTokenId'), /the access key is unknown/],
    ['a wrong secret', awsError('SignatureDoesNotMatch'), /does not fit/],
    ['no region', new Error('Region is missing'), /set AWS_REGION/],
    ['a missing right', denied, /do not allow ses:GetAccount: use others/],
    ['no network', Object.assign(new Error('x'), { code: 'ENOTFOUND' }), /cannot be reached/],
    ['no table', awsError('ResourceNotFoundException'), /has no such table/],
  ])('%s is one sentence that says what to do, without a stack, and 1', async (_, error, says) => {
    expect(sentenceOf(error)).toMatch(SENTENCE);
    const lines: string[] = [];
    const code = await runTool(
      () => Promise.reject(error),
      (line) => lines.push(line),
    );
    expect([code, lines]).toEqual([1, [expect.stringMatching(says)]]);
  });

  test('a bug is printed with its name, in one line', async () => {
    const lines: string[] = [];
    const run = () => Promise.reject(new TypeError('x is not a function'));
    expect(await runTool(run, (line) => lines.push(line))).toBe(1);
    expect(lines).toEqual(['TypeError: x is not a function']);
  });
});
