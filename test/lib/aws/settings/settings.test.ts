import { readdirSync, readFileSync } from 'node:fs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { settings } from '#lib/aws/settings/settings.ts';
import { keyOf } from '#lib/aws/settings/stage.ts';
import { certificate, stackOf } from '#test/fixtures/stack.ts';

/** A value of each kind that a setting takes, the first one in the first stage, and so on. */
const values: Record<keyof typeof settings, unknown[]> = {
  name: ['dev', 'prod', 'test-2', 'acme'],
  publicUrl: ['', 'https://cloud.example.org'],
  certificateArn: ['', certificate('a')],
  deviceUrl: ['', 'https://devices.example.org'],
  deviceCertificateArn: ['', certificate('b'), ''],
  mqtt: ['false', 'true', false, true],
  mqttHost: ['', 'mqtt.example.org', ''],
  mqttCertificateArn: ['', certificate('c'), ''],
  deviceThrottle: ['{"rate":50}', { rate: 10, burst: 20 }],
  throttle: ['{"logins":{"rate":5}}', { reads: { rate: 10, burst: 20 }, published: { burst: 1 } }, {}],
  waf: ['true', true, 'false', false],
  loginRate: ['10', 1_000_000],
  concurrency: [{ devices: 0 }, { devices: 100, process: 10, deliver: 20, sweep: 1 }, '{"deliver":4}'],
  gradualDeployments: ['false', 'true', false, true],
  accountConcurrency: [10, '50000'],
  serviceName: ['A "name" & more', 'Sensor Cloud'],
  serviceVersion: ['1.2.3+4'],
  mailSender: ['', 'cloud@example.org'],
  smsOrigin: ['', 'arn:aws:sms-voice:eu-central-1:123456789012:phone-number/phone-0a1b2c'],
  telegramToken: ['', '123456:a-token-of-a-bot-that-is-long'],
  oidcIssuer: ['', 'https://login.example.org/realms/home', '', ''],
  oidcClientId: ['', 'sensor-cloud', '', ''],
  oidcSecretName: ['', 'sensor-cloud/oidc', '', ''],
  oidcName: ['', 'Home account', '', ''],
  oidcScopes: ['openid', 'openid profile groups'],
  oidcRules: [[], '[{"claim":"groups","value":"it","isAdmin":true}]', [], []],
  rateLimit: ['0', 30],
  trustedProxy: ['', { header: 'X-Viewer', secretHeader: 'X-Secret', secret: 'a-secret-of-16-or-more' }],
  corsOrigins: ['https://app.example.org,http://localhost:5173', ['https://app.example.org'], ''],
  quotas: ['{"webhooks":10}', {}],
  sensorInactiveAfter: ['1', 86_400],
  allowPrivateTargets: [true, false],
  allowedTargetRanges: ['10.1.0.0/16, fd00::/8', []],
  deliveryDeadline: [1, 15],
  goneAfterSeconds: [0, 86_400],
  keyArn: ['', 'arn:aws:kms:eu-west-1:123456789012:key/mrk-0123'],
  multiRegionKey: [true, false],
  retrySchedule: ['0,5,20', []],
  canary: ['true', false],
  dashboard: ['true', false],
  heartbeatUrl: ['', 'https://hc.example.org/ping'],
  makerAFeedbackUrl: ['https://maker.example.com/feedback', ''],
  keepData: ['true', true, 'false', false],
  tableName: ['', 'prod-recovered'],
  credentialsSince: ['', '2026-11-22T10:00:00Z'],
  metricsSeconds: ['0', 300],
  deviceMemory: [256, '3008'],
  deviceAccessLog: ['true', false],
  logRetentionDays: ['365', 1],
  alarmEmail: ['', 'night@example.org'],
  silenceMinutes: [0, '1440', 5],
  runbookUrl: ['lib/aws/runbook.md', 'https://wiki.example.org/runbook'],
};
const stages = Math.max(...Object.values(values).map(({ length }) => length));

describe('a stage with any settings', () => {
  it.each(Array.from({ length: stages }, (_, at) => at))('is synthesised without a finding of cdk-nag: %d', (at) => {
    const context = Object.fromEntries(
      Object.entries(values).map(([name, all]) => [keyOf(name as keyof typeof settings), all[at % all.length]]),
    );
    const { stack } = stackOf(context);
    expect(new AwsSolutionsChecks().validateScope(stack.node.root).violations).toEqual([]);
  });
});

it('is read by the stack: a setting that is only declared compiles, and does nothing', () => {
  const folder = new URL('../../../../lib/aws/', import.meta.url).pathname;
  const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('settings.ts'))
    .map((file) => readFileSync(folder + file, 'utf8'))
    .join('\n');
  const isRead = (name: string) =>
    new RegExp(String.raw`\bstage\.${name}\b|\b${name}\b[^{}]*\}(: Stage\b| = stage\b)`).test(code);
  expect(Object.keys(settings).filter((name) => !isRead(name))).toEqual([]);
});
