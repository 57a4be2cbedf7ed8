import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MIN_BOOTSTRAP_VERSION } from '#lib/tools/aws/checks.ts';
import { contextFrom, contextProblem } from '#lib/tools/aws/context.ts';
import { costAtRest, formatCosts } from '#lib/tools/aws/cost/at-rest.ts';
import { deploy, destroy, diff } from '#lib/tools/aws/deploy.ts';
import { readStage } from '#lib/tools/aws/stage.ts';
import { keepsData, mailSenderIn, reservedIn, type Template } from '#lib/tools/aws/template.ts';
import { accountWith, awsError } from '#test/fixtures/aws-account.ts';
import { stackOf } from '#test/fixtures/stack.ts';

let folder: string;
const prodContext = {
  stage: 'prod',
  mailSender: 'cloud@example.org',
  concurrency: { devices: 200, process: 50, deliver: 100, sweep: 2 },
};
const templates = {
  dev: stackOf().template.toJSON() as Template,
  prod: stackOf(prodContext).template.toJSON() as Template,
};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tools-deploy-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const bootstrapped = { CDKToolkit: { BootstrapVersion: '30' } };
const URL = 'https://cloud.example.org/api/v1';

/** A fake CDK command line that records calls and writes the files that the CDK would write. */
const cdkOf = (code = 0) => {
  const calls: string[][] = [];
  const cdk = async (args: readonly string[]): Promise<number> => {
    calls.push([...args]);
    const file = args[args.indexOf('--outputs-file') + 1] ?? '';
    const outputs = {
      Url: URL,
      DeviceUrl: 'https://d.example.org',
      ConsoleUrl: 'https://c.example.org',
      TableName: 't',
    };
    if (args[0] === 'synth')
      await writeFile(join(folder, 'SensorCloud-prod.template.json'), JSON.stringify(templates.prod));
    if (args[0] === 'deploy' && code === 0) await writeFile(file, JSON.stringify({ 'SensorCloud-prod': outputs }));
    return args[0] === 'synth' ? 0 : code;
  };
  return { cdk, calls };
};

const run = async (facts: Parameters<typeof accountWith>[0], code = 0) => {
  const { account, fail } = accountWith(facts);
  const { cdk, calls } = cdkOf(code);
  const lines: string[] = [];
  const deployment = { context: contextFrom('prod', ['mailSender=cloud@example.org']), folder };
  const tools = {
    account,
    cdk,
    say: (line: string) => void lines.push(line),
    now: () => 0,
    pause: async () => undefined,
    confirm: async () => true,
  };
  return { deployment, tools, calls, lines, fail };
};
const verified = { stacks: bootstrapped, verified: ['example.org'] };

describe('deploy', () => {
  test('deploy prints the account, checks and cost, then the addresses and the next three commands', async () => {
    const { deployment, tools, calls, lines } = await run(verified);
    expect(await deploy(deployment, tools)).toBe(true);
    const text = lines.join('\n');
    expect(lines[0]).toBe('stage prod, account 123456789012, region eu-central-1');
    expect(text).toMatch(/ok +bootstrap.*\n.*ok +mail.*\n.*ok +concurrency +1000 concurrent executions, 352 of them/);
    expect(text).toMatch(/NOTE +alarms +.*nobody is notified/);
    expect(text).toMatch(/ at rest\n/);
    expect(text).toMatch(new RegExp(`Url +${URL}`));
    expect(text).toMatch(/ConsoleUrl +https:\/\/c\.example\.org/);
    expect(lines.slice(-4, -1).map((line) => /npm run (\w+)/.exec(line)?.[1])).toEqual(['admin', 'smoke', 'trace']);
    expect(lines.at(-1)).toMatch(/^ok +active +none of 0 alarms is on/);
    expect(calls.map(([command]) => command)).toEqual(['synth', 'deploy']);
    expect(calls[1]).toEqual(expect.arrayContaining(['SensorCloud-prod', '--app', folder]));
  });

  test('after the first deployment, deploy asks for confirmation of the alarm subscription', async () => {
    const stacks: Record<string, Record<string, string>> = { ...bootstrapped };
    const { deployment, tools, lines } = await run({ ...verified, stacks, subscribed: [['email', 'n@e.org', false]] });
    const subscription = { Type: 'AWS::SNS::Subscription', Properties: { Endpoint: 'n@e.org' } };
    const cdk = async (args: readonly string[]) => {
      const code = await tools.cdk(args);
      const Resources = { ...templates.prod.Resources, subscription };
      if (args[0] === 'synth')
        await writeFile(join(folder, 'SensorCloud-prod.template.json'), JSON.stringify({ Resources }));
      else stacks['SensorCloud-prod'] = { AlarmTopic: 'arn:topic' };
      return code;
    };
    expect(await deploy(deployment, { ...tools, cdk })).toBe(true);
    const said = lines.filter((line) => line.includes(' subscribers '));
    expect(said).toEqual([
      expect.stringMatching(/^ok +subscribers +none before the first deployment$/),
      expect.stringMatching(/^NOTE +subscribers +Nobody is notified of alarms yet: n@e\.org must follow the link/),
    ]);
    expect(lines.at(-1)).toBe(said.at(-1));
  });

  test("deploy ends by listing the stage's active alarms and their causes", async () => {
    const others = Array.from({ length: 120 }, (_, at): [string, 'OK', string] => [`other-${at}`, 'OK', '']);
    const alarms: NonNullable<NonNullable<Parameters<typeof accountWith>[0]>['alarms']> = [
      ...others,
      ['canary-silent', 'ALARM', 'Threshold Crossed: no datapoints were received'],
      ['waf-blocked', 'INSUFFICIENT_DATA', 'Unchecked: Initial alarm creation'],
      ['messages-absent', 'ALARM', 'Threshold Crossed: 3 missing datapoints'],
    ];
    const { deployment, tools, lines, fail } = await run({ ...verified, alarms });
    expect(await deploy(deployment, tools)).toBe(true);
    expect(lines.slice(-2)).toEqual([
      'NOTE    active       The alarm canary-silent is on: Threshold Crossed: no datapoints were received',
      'NOTE    active       The alarm messages-absent is on: Threshold Crossed: 3 missing datapoints',
    ]);
    alarms.splice(122, 1);
    alarms.splice(120, 1);
    expect(await deploy(deployment, tools)).toBe(true);
    expect(lines.at(-1)).toBe('ok      active       none of 121 alarms is on; 1 of them have not been evaluated yet');
    fail('cloudWatch', awsError('AccessDenied', 'not authorized to perform: cloudwatch:DescribeAlarms'));
    expect(await deploy(deployment, tools)).toBe(true);
    expect(lines.at(-1)).toMatch(/^NOTE +active +Could not be checked\..*cloudwatch:DescribeAlarms/);
  });

  test('deploy skips email and prints a note if SES does not send for the stage', async () => {
    const { deployment, tools, calls, lines } = await run({ stacks: bootstrapped });
    expect(await deploy(deployment, tools)).toBe(true);
    expect(lines.join('\n')).toMatch(/NOTE +mail +SES has not verified.*users cannot reset their passwords/);
    expect(calls.map(([command]) => command)).toEqual(['synth', 'synth', 'deploy']);
    expect(calls[0]).toContain('mailSender=cloud@example.org');
    expect(calls[1]).toContain('mailSender=');
  });

  test('deploy changes nothing if a check fails or credentials are missing', async () => {
    const { deployment, tools, calls, lines, fail } = await run({});
    expect(await deploy(deployment, tools)).toBe(false);
    expect(lines.join('\n')).toMatch(/NOT OK +bootstrap .*npx cdk bootstrap/);
    expect(lines.at(-1)).toBe('Nothing was deployed.');
    expect(calls.map(([command]) => command)).toEqual(['synth']);
    fail('sts', awsError('CredentialsProviderError'));
    await expect(deploy(deployment, tools)).rejects.toThrow(
      expect.objectContaining({ name: 'CredentialsProviderError' }),
    );
    expect(calls).toHaveLength(1);
  });

  test('deploy rejects a different table while stage functions are running, and accepts it otherwise', async () => {
    const other = JSON.parse(
      JSON.stringify(templates.prod).replaceAll(/"TABLE_NAME":\{[^}]*\}/g, '"TABLE_NAME":"before"'),
    );
    const facts = { ...verified, templates: { 'SensorCloud-prod': other } };
    const { deployment, tools, lines } = await run({
      ...facts,
      fed: ['Test-process:live', 'Test-deliver', 'Test-eu-deliver:live'],
    });
    expect(await deploy(deployment, tools)).toBe(false);
    expect(lines.join('\n')).toMatch(/NOT OK +table +.*Test-process, Test-deliver may still write.*npm run recover/);
    const { tools: stopped } = await run({ ...facts, fed: ['Test-eu-deliver:live'] });
    expect(await deploy(deployment, stopped)).toBe(true);
    const unnamed = JSON.parse(JSON.stringify(other).replaceAll('"FunctionName":"Test-', '"Description":"Test-'));
    const { tools: old, lines: said } = await run({ ...verified, templates: { 'SensorCloud-prod': unnamed } });
    expect(await deploy(deployment, old)).toBe(false);
    expect(said.join('\n')).toMatch(/NOT OK +table +.*deploy this version first/);
  });

  test('deploy fails if the CDK fails, without printing addresses', async () => {
    const { deployment, tools, lines } = await run(verified, 1);
    expect(await deploy(deployment, tools)).toBe(false);
    expect(lines.join('\n')).not.toContain(URL);
  });

  test('diff passes the same settings to cdk diff', async () => {
    const { deployment, tools, calls } = await run(verified);
    expect(await deploy(deployment, tools)).toBe(true);
    expect(await diff(deployment, tools)).toBe(true);
    const settingsIn = (call: readonly string[] = []) => call.filter((_, at) => call[at - 1] === '-c');
    expect(settingsIn(calls.at(-1))).toEqual([
      'mailSender=cloud@example.org',
      'stage=prod',
      'concurrencyCaps={"feed":100,"console":50,"personal-data":20}',
    ]);
    expect(settingsIn(calls[0])).toEqual(settingsIn(calls.at(-1)));
  });

  test.each<[string, [number, number], string[], string | undefined]>([
    ['an account with 1,000 concurrent executions', [1_000, 1_000], [], '{"feed":100,"console":50,"personal-data":20}'],
    ['an account with 200 concurrent executions', [200, 200], [], '{"feed":20,"console":10,"personal-data":4}'],
    ['a new account', [10, 10], [], undefined],
    ['an account with too much reserved by other stacks', [1_000, 269], [], undefined],
    ['an account with just enough concurrency', [1_000, 270], [], '{"feed":100,"console":50,"personal-data":20}'],
    ['a stage whose reservations need the rest', [1_000, 1_000], ['concurrency={"devices":800}'], undefined],
    ['a stage with configured caps', [1_000, 1_000], ['concurrencyCaps={"feed":7}'], '{"feed":7}'],
  ])('deploy passes the right concurrency caps: %s', async (_, concurrency, settings, caps) => {
    const { tools, calls } = await run({ ...verified, concurrency });
    await diff({ context: contextFrom('prod', settings), folder }, tools);
    const found = calls[0]?.find((argument) => argument.startsWith('concurrencyCaps='));
    expect(found).toBe(caps && `concurrencyCaps=${caps}`);
  });

  test('deploy prints how many executions the account allows and how many the caps reserve', async () => {
    const { tools } = await run(verified);
    const lines: string[] = [];
    const template = stackOf({
      ...prodContext,
      concurrencyCaps: { feed: 100, console: 50, 'personal-data': 20 },
    }).template;
    const cdk = async (args: readonly string[]) => {
      const code = await tools.cdk(args);
      if (args[0] === 'synth')
        await writeFile(join(folder, 'SensorCloud-prod.template.json'), JSON.stringify(template.toJSON()));
      return code;
    };
    const say = (line: string) => void lines.push(line);
    expect(await deploy({ context: contextFrom('prod'), folder }, { ...tools, cdk, say })).toBe(true);
    expect(lines.join('\n')).toMatch(
      /ok +concurrency +1000 concurrent executions, 352 of them reserved, at most 170 for feeds, the console and exports/,
    );
  });
});

describe('destroy', () => {
  const stack = 'SensorCloud-prod';
  test('destroy refuses if the settings have keepData', async () => {
    const { deployment, tools, calls } = await run({ templates: { [stack]: templates.dev } });
    await expect(destroy(deployment, true, tools)).rejects.toThrow(
      /^The stage prod keeps its data, so nothing was destroyed/,
    );
    expect(calls).toEqual([]);
  });

  test('destroy deletes nothing without a confirmation', async () => {
    const { deployment, tools, calls, lines } = await run({ templates: { [stack]: templates.dev } });
    expect(await destroy(deployment, false, { ...tools, confirm: async () => false })).toBe(false);
    expect([calls, lines.at(-1)]).toEqual([[], 'Nothing was destroyed.']);
  });

  test('destroy refuses if the deployed stack has keepData, whatever the settings say', async () => {
    const { deployment, tools, calls } = await run({ templates: { [stack]: templates.prod } });
    await expect(destroy(deployment, false, tools)).rejects.toThrow(
      /was deployed with keepData, so nothing was destroyed/,
    );
    expect(calls).toEqual([]);
  });

  test('destroy deletes a stage without keepData, and reports one that does not exist', async () => {
    const { deployment, tools, calls } = await run({ templates: { [stack]: templates.dev } });
    expect(await destroy(deployment, false, tools)).toBe(true);
    expect(calls[0]).toEqual(expect.arrayContaining(['destroy', stack, '--force']));
    const { tools: without } = await run({});
    await expect(destroy(deployment, false, without)).rejects.toThrow(/has no stack SensorCloud-prod in eu-central-1/);
  });
});

describe('stage settings', () => {
  test('settings accept name=value from the command line, and invalid values are rejected at once', async () => {
    expect(contextFrom('prod', ['a=b=c', 'mailSender='])).toEqual({ a: 'b=c', mailSender: '', stage: 'prod' });
    expect(contextProblem(['a=b'])).toBeNull();
    for (const invalid of ['a', '=b', 'stage=prod']) expect(contextProblem([invalid])).toMatch(/-c/);
    expect(await readStage({ stage: 'prod', rateLimit: '5' })).toMatchObject({ name: 'prod', rateLimit: 5 });
    await expect(readStage({ stage: 'prod', rateLimit: 'x' })).rejects.toThrow(/rateLimit must be a whole number/);
  });

  test('settings appear in the template, from which the checks read them', () => {
    expect([templates.dev, templates.prod].map(reservedIn)).toEqual([0, 352]);
    expect([templates.dev, templates.prod].map(mailSenderIn)).toEqual(['', 'cloud@example.org']);
    expect([templates.dev, templates.prod].map(keepsData)).toEqual([false, true]);
  });

  test('the template requires exactly the bootstrap version that is checked', () => {
    const app = stackOf().stack.node.root as App;
    expect(app.synth().getStackByName('Test').requiresBootstrapStackVersion).toBe(MIN_BOOTSTRAP_VERSION);
  });
});

describe('the cost at rest', () => {
  test('the cost at rest counts alarm metrics, keys, dashboards and web ACLs', () => {
    const Resources = {
      a: { Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'x' } },
      b: {
        Type: 'AWS::CloudWatch::Alarm',
        Properties: { Metrics: [{ MetricStat: {} }, { MetricStat: {} }, { Expression: 'a+b' }] },
      },
      c: { Type: 'AWS::KMS::Key' },
      d: { Type: 'AWS::CloudWatch::Dashboard' },
      // A daily run costs too little to get a line.
      daily: { Type: 'AWS::Events::Rule', Properties: { ScheduleExpression: 'rate(1 day)' } },
      e: { Type: 'AWS::WAFv2::WebACL', Properties: { Rules: [{}, {}, {}] } },
    };
    const rows = costAtRest({ Resources }).filter(({ isInUse }) => !isInUse);
    expect(rows.map(({ what, usd }) => [what, Number(usd.toFixed(2))])).toEqual([
      ['2 alarms', 0.3],
      ['1 dashboards', 3],
      ['1 KMS keys', 1],
      ['1 web ACLs with their rules', 8],
    ]);
    expect(formatCosts({ Resources })).toContainEqual(expect.stringMatching(/^ +15\.32 {2}at rest$/));
  });

  test('the cost at rest includes the canary, at less than USD 3 a month', () => {
    const [canary] = costAtRest(templates.prod).filter(({ what }) => what === '1 canaries');
    expect(canary?.usd).toBeGreaterThan(0.5);
    expect(canary?.usd).toBeLessThan(3);
  });

  test('the cost at rest is below USD 9 for development and USD 22 for production', () => {
    const [dev, prod] = [templates.dev, templates.prod].map((template) => costAtRest(template));
    const sum = (rows: ReturnType<typeof costAtRest> = []) =>
      rows.filter(({ isInUse }) => !isInUse).reduce((all, { usd }) => all + usd, 0);
    expect(sum(dev)).toBeLessThanOrEqual(9);
    expect(sum(prod)).toBeLessThanOrEqual(22);
    expect([dev, prod].map((rows) => rows?.some(({ what }) => what.endsWith('dashboards')))).toEqual([false, true]);
  });

  test('the cost at rest includes the sweep and every queue that Lambda polls', () => {
    const whats = costAtRest(templates.dev).map(({ what }) => what);
    expect(whats).toEqual(expect.arrayContaining([expect.stringMatching(/^\d+ alarms$/), '1 KMS keys']));
    expect(whats).toEqual(expect.arrayContaining(['5 queues that Lambda polls', '1 functions that run every minute']));
  });
});
