import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { stageFrom } from '#lib/aws/settings/stage.ts';

const stage = (context: Record<string, unknown> = {}) => stageFrom((key) => context[key]);

const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b2c';
const both = { publicUrl: 'https://cloud.example.org', deviceUrl: 'https://cloud.example.org' };

describe('stage settings', () => {
  it('every setting has a default', () => {
    expect(stage()).toMatchObject({ name: 'dev', rateLimit: 30, allowPrivateTargets: false, retrySchedule: [] });
  });

  it('settings accept text, as passed on the command line', () => {
    const given = {
      stage: 'prod',
      publicUrl: 'https://cloud.example.org',
      rateLimit: '0',
      allowPrivateTargets: 'true',
      allowedTargetRanges: '10.1.0.0/16, fd00::/8',
      retrySchedule: '0,5,20',
      logRetentionDays: '365',
      quotas: '{"webhooks":10,"users":1000}',
      deviceThrottle: '{"rate":50}',
      concurrency: '{"devices":100,"deliver":20}',
    };
    expect(stage(given)).toMatchObject({
      name: 'prod',
      publicUrl: 'https://cloud.example.org',
      rateLimit: 0,
      allowPrivateTargets: true,
      allowedTargetRanges: ['10.1.0.0/16', 'fd00::/8'],
      retrySchedule: [0, 5, 20],
      logRetentionDays: 365,
      quotas: { webhooks: 10, users: 1_000 },
      deviceThrottle: { rate: 50, burst: 2_000 },
      concurrency: { devices: 100, process: 0, deliver: 20, sweep: 0 },
    });
  });

  it('settings accept JSON, as written in cdk.json', () => {
    const given = {
      rateLimit: 50,
      allowPrivateTargets: true,
      retrySchedule: [0, 60],
      allowedTargetRanges: [],
      quotas: { sensors: 20 },
      deviceThrottle: { rate: 10, burst: 20 },
      concurrency: { devices: 5, process: 10, deliver: 4, sweep: 1 },
    };
    expect(stage(given)).toMatchObject(given);
  });

  it('an unknown name is rejected, and a similar setting is suggested', () => {
    const named =
      (...names: string[]) =>
      () =>
        stageFrom(() => undefined, names);
    expect(named('publikUrl')).toThrow('unknown setting publikUrl: did you mean publicUrl?');
    expect(named('public-url')).toThrow('unknown setting public-url: did you mean publicUrl?');
    expect(named('wfa', 'x')).toThrow(
      'unknown setting wfa: did you mean waf?\n  unknown setting x: lib/aws/README.md lists all settings',
    );
    const ofCdk = ['@aws-cdk/core:x', 'aws:cdk:enable-path-metadata', 'availability-zones:account=1', 'cli-telemetry'];
    expect(named('stage', 'publicUrl', ...ofCdk)).not.toThrow();
  });

  it('the removed telegramToken setting is rejected, with a pointer to the replacement', () => {
    const context = { stage: 'dev', telegramToken: '123456:a-token-of-a-bot-that-is-long' };
    const read = () => stageFrom((key) => context[key as keyof typeof context], Object.keys(context));
    expect(read).toThrow(/telegramToken is no longer read.*Secrets Manager.*set telegramSecretName/);
    expect(read).not.toThrow(/123456/);
  });

  it('MQTT requires a custom host, except in a dev or test stage', () => {
    expect(() => stage({ stage: 'prod', mqtt: true })).toThrow('mqttHost: required with mqtt');
    expect(stage({ stage: 'test-2', mqtt: true }).mqtt).toBe(true);
    expect(
      stage({ stage: 'prod', mqtt: true, mqttHost: 'mqtt.example.org', mqttCertificateArn: certificateArn }),
    ).toMatchObject({ mqtt: true });
  });

  it('settings store only a hash of the proxy secret', () => {
    const secret = 'a-secret-of-16-or-more';
    const hash = `sha256:${createHash('sha256').update(secret).digest('hex')}`;
    const given = { header: 'CloudFront-Viewer-Address', secretHeader: 'X-Origin-Secret', secret };
    for (const proxy of [given, JSON.stringify(given), { ...given, secret: hash }])
      expect(stage({ trustedProxy: proxy }).trustedProxy).toEqual({ ...given, secret: hash });
    for (const none of [undefined, ''])
      expect(stage({ trustedProxy: none }).trustedProxy).toEqual({ header: '', secretHeader: '', secret: '' });
  });

  it('data is retained by default, except in stages named dev or test plus an optional suffix', () => {
    expect(['dev', 'test-2', 'prod', 'acme'].map((name) => stage({ stage: name }).keepData)).toEqual([
      false,
      false,
      true,
      true,
    ]);
    // Names that merely begin with dev or test are production.
    expect(['devon', 'testament', 'dev2', 'dev-anna', 'test'].map((name) => stage({ stage: name }).keepData)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(stage({ stage: 'dev', keepData: 'true' }).keepData).toBe(true);
    expect(stage({ stage: 'prod', keepData: false }).keepData).toBe(false);
  });

  it("settings default to the preset's values", () => {
    const of = (given: Record<string, unknown>) => {
      const { waf, dashboard, keepData, silenceMinutes } = stage(given);
      return { waf, dashboard, keepData, silenceMinutes };
    };
    const prod = { waf: true, dashboard: true, keepData: true, silenceMinutes: 15 };
    expect(of({ stage: 'acme' })).toEqual(prod);
    expect(of({ stage: 'acme', preset: 'home' })).toEqual({ ...prod, waf: false, dashboard: false });
    expect(of({ stage: 'acme', preset: 'home', waf: true })).toEqual({ ...prod, dashboard: false });
    expect(of({ stage: 'dev', preset: 'prod' })).toEqual(prod);
  });

  it.each([
    ['preset', 'house'],
    ['stage', 'Prod'],
    ['publicUrl', 'http://cloud.example.org'],
    ['publicUrl', 'https://cloud.example.org/'],
    ['certificateArn', 'arn:aws:iam::1:user/x'],
    ['deviceUrl', 'devices.example.org'],
    ['deviceCertificateArn', 'arn:aws:iam::1:user/x'],
    ['deviceThrottle', '{'],
    ['deviceThrottle', '50'],
    ['deviceThrottle', '[50,100]'],
    ['deviceThrottle', 'null'],
    ['deviceThrottle', '{"rate":0}'],
    ['deviceThrottle', '{"rate":10,"rates":10}'],
    ['deviceThrottle', { burst: '1e3' }],
    ['concurrency', '10'],
    ['concurrency', '{"server":10}'],
    ['concurrency', { devices: -1 }],
    ['concurrency', { sweep: 0.5 }],
    ['concurrency', { process: 1 }],
    ['mqtt', 'yes'],
    ['mqttHost', 'https://mqtt.example.org'],
    ['mailSender', 'nobody'],
    ['rateLimit', '-1'],
    ['rateLimit', '1e3'],
    ['rateLimit', ''],
    ['allowPrivateTargets', 'yes'],
    ['allowedTargetRanges', '10.0.0.0/33'],
    ['allowedTargetRanges', '10.0.0.0'],
    ['retrySchedule', '0,-5'],
    ['retrySchedule', Array(21).fill('1').join(',')],
    ['logRetentionDays', '31'],
    ['alarmEmail', 7],
    ['trustedProxy', '{'],
    ['trustedProxy', true],
    ['trustedProxy', '{"header":"X-Viewer","secretHeader":"X-Secret"}'],
    ['trustedProxy', { header: 'X Viewer', secretHeader: 'X-Secret', secret: 'a-secret-of-16-or-more' }],
    ['trustedProxy', { header: 'X-Viewer', secretHeader: 'X-Secret', secret: 'too-short' }],
    ['trustedProxy', { header: 'X-Viewer', secretHeader: 'X-Secret', secret: 'sha256:no-hash-at-all' }],
    ['quotas', '{'],
    ['quotas', '{"bot":1}'],
    ['quotas', { bots: 1.5 }],
    ['quotas', '7'],
  ])("an invalid value is rejected with the setting's name: %s=%s", (key, value) => {
    expect(() => stage({ [key]: value })).toThrow(new RegExp(`\\n  ${key}(:| must be) `));
  });

  it.each([
    [{ certificateArn }, 'publicUrl: required with certificateArn'],
    [{ deviceCertificateArn: certificateArn }, 'deviceUrl: required with deviceCertificateArn'],
    [
      { ...both, certificateArn, deviceCertificateArn: certificateArn },
      'deviceUrl: must differ from publicUrl, because API Gateway maps a host to one API',
    ],
    [
      { concurrency: { deliver: 3 } },
      'concurrency: deliver must be 0 or at least 4, because each of its queues needs 2',
    ],
  ])('contradictory settings are rejected: %j', (given, sentence) => {
    expect(() => stage(given)).toThrow(`invalid settings of the stage:\n  ${sentence}`);
  });

  it('both APIs may share a host if a proxy in front terminates TLS', () => {
    expect(stage(both)).toMatchObject(both);
  });

  it('all errors are reported at once', () => {
    expect(() => stage({ rateLimit: 'x', mailSender: 'x' })).toThrow(/rateLimit must be .*mailSender must be /s);
  });
});
