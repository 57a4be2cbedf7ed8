import { describe, expect, test } from 'vitest';
import { checkAlarms, checkBootstrap, checkConcurrency, checkMail, checkSubscriptions } from '#lib/tools/aws/checks.ts';
import { explainAwsError } from '#lib/tools/aws/failure.ts';
import type { Template } from '#lib/tools/aws/template.ts';
import { runTool } from '#lib/tools/run.ts';
import { accountWith, awsError } from '#test/fixtures/aws-account.ts';

const denied = awsError(
  'AccessDeniedException',
  'User: arn:aws:iam::1:user/a is not authorized to perform: ses:GetAccount on x',
);
/** Each result is a full sentence. */
const SENTENCE = /^[A-Z].*\.$/;

describe('checkBootstrap', () => {
  test.each([
    [{}, 'failed', /not bootstrapped .* run `npx cdk bootstrap aws:\/\/123456789012\/eu-central-1`/],
    [{ CDKToolkit: { BootstrapVersion: '5' } }, 'failed', /has version 5, but 6 is required: run `npx cdk bootstrap/],
    [{ CDKToolkit: { BootstrapVersion: '6' } }, 'ok', /^version 6$/],
  ])('checkBootstrap returns the finding for %j: %s', async (stacks, verdict, says) => {
    const { account } = accountWith({ stacks: stacks as Record<string, Record<string, string>> });
    expect(await checkBootstrap(account)).toMatchObject({ verdict, says: expect.stringMatching(says) });
  });
});

describe('checkMail', () => {
  const sender = 'cloud@example.org';
  test.each<[string, Parameters<typeof accountWith>[0], string, string, RegExp]>([
    ['no sender', {}, '', 'warning', /no mailSender, so users cannot reset their passwords/],
    ['an unverified sender', {}, sender, 'warning', /not verified .*deployed without email.*create-email-identity/],
    [
      'a verified sender in an account in the sandbox',
      { verified: [sender], isSandboxed: true },
      sender,
      'warning',
      /sandbox.*production access/,
    ],
    ['a verified sender', { verified: [sender] }, sender, 'ok', /^from cloud@example.org$/],
    ['a sender in a verified domain', { verified: ['example.org'] }, sender, 'ok', /^from/],
  ])('checkMail returns the right verdict for %s', async (_, facts, address, verdict, says) => {
    const check = await checkMail(accountWith(facts).account, address);
    expect(check).toMatchObject({ verdict, says: expect.stringMatching(says) });
    expect(check.withoutMail ?? false).toBe(verdict === 'warning' && address !== '');
  });

  test('checkMail warns when it lacks permission to check', async () => {
    const { account, fail } = accountWith({});
    fail('mail', denied);
    expect(await checkMail(account, sender)).toEqual({
      what: 'mail',
      verdict: 'warning',
      says: expect.stringMatching(/^Could not be checked\. .* do not allow ses:GetAccount/),
    });
  });
});

describe('checkConcurrency', () => {
  test.each<[string, [number, number], number, number, string, RegExp]>([
    ['a new account', [10, 10], 0, 0, 'warning', /allows 10 concurrent executions.*Service Quotas/],
    ['reservations in a new account', [10, 10], 352, 0, 'failed', /reserves 352 .* has only 0 to reserve/],
    ['enough concurrency', [1_000, 1_000], 352, 0, 'ok', /352 of them reserved/],
    ['just enough concurrency', [1_000, 1_000], 900, 0, 'ok', /900 of them/],
    ['one execution too few', [1_000, 1_000], 901, 0, 'failed', /reserves 901 .* has only 900 to reserve/],
    ['reservations made by the deployed stage', [1_000, 648], 352, 352, 'ok', /352 of them/],
    ['reservations made by other stacks', [1_000, 300], 352, 0, 'failed', /has only 200 to reserve/],
    ['no reservations', [1_000, 1_000], 0, 0, 'ok', /none of them reserved for falls.*no cap for feeds/],
  ])('checkConcurrency returns the right verdict for %s', async (_, concurrency, wanted, own, verdict, says) => {
    const check = await checkConcurrency(accountWith({ concurrency }).account, { wanted, own: async () => own });
    expect(check).toMatchObject({ verdict, says: expect.stringMatching(says) });
    if (verdict !== 'ok') expect(check.says).toMatch(SENTENCE);
  });
});

describe('checkAlarms', () => {
  const subscription = { Type: 'AWS::SNS::Subscription', Properties: { Endpoint: 'night@example.org' } };
  const full = (Threshold: number) => ({
    Type: 'AWS::CloudWatch::Alarm',
    Properties: { MetricName: 'ClaimedAccountConcurrency', Threshold },
  });
  test.each<[string, object, number, string, RegExp]>([
    ['no subscription', { full: full(800) }, 1_000, 'warning', /nobody is notified.*-c alarmEmail=ADDRESS/],
    [
      'a concurrency alarm above the limit',
      { subscription, full: full(800) },
      400,
      'warning',
      /at 800 .*only 400.*accountConcurrency=400/,
    ],
    ['a concurrency alarm at the limit', { subscription, full: full(800) }, 800, 'warning', /accountConcurrency=800/],
    ['a subscription and a correct limit', { subscription, full: full(800) }, 1_000, 'ok', /^to night@example.org$/],
  ])('checkAlarms returns the right verdict for %s', async (_, Resources, total, verdict, says) => {
    const { account } = accountWith({ concurrency: [total, total] });
    const check = await checkAlarms(account, { Resources } as Template);
    expect(check).toMatchObject({ verdict, says: expect.stringMatching(says) });
    if (verdict !== 'ok') expect(check.says).toMatch(SENTENCE);
  });
});

describe('checkSubscriptions', () => {
  const stacks = { one: { AlarmTopic: 'arn:aws:sns:eu-central-1:123456789012:alarms' } };
  const mail = (isConfirmed: boolean): [string, string, boolean] => ['email', 'night@example.org', isConfirmed];
  test.each<[string, Parameters<typeof accountWith>[0], string, RegExp]>([
    ['no deployed stack', {}, 'ok', /before the first deployment/],
    ['no subscription', { stacks }, 'warning', /^Nobody is notified .*night@example\.org must follow the link/],
    [
      'an unconfirmed subscription',
      { stacks, subscribed: [mail(false)] },
      'warning',
      /^Nobody is notified of alarms yet/,
    ],
    [
      'only an email address',
      { stacks, subscribed: [mail(true), ['https', 'https://pager.example.org', false]] },
      'warning',
      /^Alarms go to night@example\.org, .*wakes nobody.*--topic-arn arn:aws:sns:eu-central-1:123456789012:alarms /,
    ],
    [
      'a pager on a later list page',
      { stacks, subscribed: [mail(true), mail(false), ['https', 'https://pager.example.org', true]] },
      'ok',
      /^2 confirmed, 1 of them other than email$/,
    ],
  ])('checkSubscriptions returns the right verdict for %s', async (_, facts, verdict, says) => {
    const check = await checkSubscriptions(accountWith(facts).account, 'one', ['night@example.org']);
    expect(check).toMatchObject({ verdict, says: expect.stringMatching(says) });
    if (verdict !== 'ok') expect(check.says).toMatch(SENTENCE);
  });

  test('checkSubscriptions warns when it lacks permission to check', async () => {
    const { account, fail } = accountWith({ stacks });
    const message = 'User: x is not authorized to perform: SNS:ListSubscriptionsByTopic on resource: y';
    fail('sns', awsError('AuthorizationErrorException', message));
    expect(await checkSubscriptions(account, 'one', [])).toMatchObject({
      verdict: 'warning',
      says: expect.stringMatching(/^Could not be checked\. .* do not allow SNS:ListSubscriptionsByTopic/),
    });
  });
});

describe('runTool', () => {
  test.each([
    ['no credentials', awsError('CredentialsProviderError'), /^No AWS credentials found, /],
    ['an expired single sign-on', awsError('TokenProviderError'), /^Your AWS single sign-on/],
    ['an expired SSO session', awsError('CredentialsProviderError', 'The SSO session has expired'), /^Your AWS single/],
    ['expired credentials', awsError('ExpiredTokenException'), /have expired/],
    ['an unknown key', awsError('InvalidClientTokenId'), /the access key is unknown/],
    ['a wrong secret', awsError('SignatureDoesNotMatch'), /does not match/],
    ['no region', new Error('Region is missing'), /set AWS_REGION/],
    ['a missing permission', denied, /do not allow ses:GetAccount: use others/],
    ['no network', Object.assign(new Error('x'), { code: 'ENOTFOUND' }), /cannot be reached/],
    ['no table', awsError('ResourceNotFoundException'), /has no such table/],
  ])('explains %s in one sentence and returns 1', async (_, error, says) => {
    expect(explainAwsError(error)).toMatch(SENTENCE);
    const lines: string[] = [];
    const code = await runTool(
      () => Promise.reject(error),
      (line) => lines.push(line),
    );
    expect([code, lines]).toEqual([1, [expect.stringMatching(says)]]);
  });

  test('reports an unexpected error by name on one line, and returns 1', async () => {
    const lines: string[] = [];
    const run = () => Promise.reject(new TypeError('x is not a function'));
    expect(await runTool(run, (line) => lines.push(line))).toBe(1);
    expect(lines).toEqual(['TypeError: x is not a function']);
  });
});
