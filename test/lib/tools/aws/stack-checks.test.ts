import { describe, expect, test } from 'vitest';
import { checkKey, checkMqtt, checkQuotas, checkSms } from '#lib/tools/aws/stack-checks.ts';
import type { Template } from '#lib/tools/aws/template.ts';
import { accountWith } from '#test/fixtures/aws-account.ts';
import { mqttDomain, stackOf, whole } from '#test/fixtures/stack.ts';

const STACK = 'SensorCloud-prod';
const templateWith = (context: object = {}): Template => stackOf({ ...context }).template.toJSON();

describe('checkQuotas', () => {
  const at = (region: string, total = 1_000) => ({
    identity: async () => ({ account: '1', region }),
    concurrency: async () => ({ total, unreserved: total }),
  });

  test('counts the resources in the template', async () => {
    const template = templateWith();
    const count = Object.keys(template.Resources ?? {}).length;
    expect(await checkQuotas(at('eu-central-1'), template)).toMatchObject({
      verdict: 'ok',
      says: `${count} of the 500 resources of a stack; devices: 1000 requests per second, in eu-central-1 of 10000 (API Gateway), 19000 (SQS) and 10000 (Lambda)`,
    });
  });

  test('warns if a region allows fewer requests than the devices make', async () => {
    const template = templateWith({ deviceThrottle: { rate: 5000, burst: 5000 } });
    expect((await checkQuotas(at('eu-central-1'), template)).verdict).toBe('ok');
    expect(await checkQuotas(at('eu-south-1'), template)).toMatchObject({
      verdict: 'warning',
      says: expect.stringContaining('all APIs of an account in eu-south-1 get 2500'),
    });
  });

  test('warns if the queue or function limits allow fewer calls than the devices make', async () => {
    const template = templateWith({ deviceThrottle: { rate: 3000, burst: 3000 } });
    expect(await checkQuotas(at('eu-west-3'), template)).toMatchObject({
      verdict: 'warning',
      says: expect.stringContaining('a FIFO queue of SQS in eu-west-3 takes 2400'),
    });
    expect((await checkQuotas(at('eu-west-2'), template)).verdict).toBe('ok');
    expect(await checkQuotas(at('eu-central-1', 299), template)).toMatchObject({
      verdict: 'warning',
      says: expect.stringContaining('invoked 2990 times'),
    });
    expect((await checkQuotas(at('eu-central-1', 300), template)).verdict).toBe('ok');
  });

  test('fails if there are more resources than a stack can have', async () => {
    const Resources = Object.fromEntries(Array.from({ length: 501 }, (_, id) => [id, { Type: 'AWS::SQS::Queue' }]));
    expect(await checkQuotas(at('eu-central-1'), { Resources })).toMatchObject({ verdict: 'failed' });
  });
});

test('checkSms warns while a stage that sends SMS is in the sandbox', async () => {
  const template = templateWith({ smsOrigin: whole.smsOrigin });
  const verdictIn = async (isSmsSandboxed: boolean, of = template) =>
    (await checkSms(accountWith({ isSmsSandboxed }).account, of)).verdict;
  expect([await verdictIn(true), await verdictIn(false), await verdictIn(true, templateWith())]).toEqual([
    'warning',
    'ok',
    'ok',
  ]);
});

test('checkMqtt warns about a host assigned by AWS', () => {
  const verdicts = [{}, { mqtt: true }, { mqtt: true, ...mqttDomain }].map(
    (more) => checkMqtt(templateWith(more)).verdict,
  );
  expect(verdicts).toEqual(['ok', 'warning', 'ok']);
});

describe('checkKey', () => {
  const single = templateWith({ multiRegionKey: false });
  const multi = templateWith();
  const checked = (deployed: Template | null, template: Template) =>
    checkKey(accountWith(deployed ? { templates: { [STACK]: deployed } } : {}).account, STACK, template);

  test('fails if a deployment would change whether the key can be replicated, and names the setting', async () => {
    expect(await checked(single, multi)).toMatchObject({
      verdict: 'failed',
      says: expect.stringMatching(/deployed without a key .* deploy with -c multiRegionKey=false\.$/),
    });
    expect(await checked(multi, single)).toMatchObject({
      verdict: 'failed',
      says: expect.stringMatching(/deploy with -c multiRegionKey=true\.$/),
    });
  });

  test('accepts an unchanged key and a first deployment', async () => {
    for (const deployed of [multi, null]) expect(await checked(deployed, multi)).toMatchObject({ verdict: 'ok' });
  });
});
