import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import { library } from '#functions/api/docs/library.ts';
import { groups } from '#functions/index.ts';
import { type LambdaName, lambdas } from '#lib/aws/functions/lambdas.ts';
import { describeApi } from '#shared/api/openapi/describe.ts';
import { openApi } from '#shared/api/openapi/document.ts';
import { messagesOfMakerB } from '#shared/domain/makers/maker-b/messages.ts';
import type { Capability, Use } from '#shared/runtime/capabilities.ts';
import { environment } from '#shared/settings/environment.ts';

const names = ['server', 'docs', 'console', 'auth', 'customers', 'sweep', 'deliver', 'sensors', 'feedback'] as const;
const bundles = inject('bundles');

/** Runs a module in a separate Node process with only this environment, and returns the output parsed as JSON. */
const run = async (source: string, env: Record<string, string> = {}): Promise<unknown> => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], { env });
  return JSON.parse(stdout);
};
const handlerOf = (name: (typeof names)[number]) => JSON.stringify(join(bundles[name].folder, 'handler.mjs'));

/** Starts a fake AWS endpoint that records requests and returns the same response to each. */
const listen = async (answer: object, status = 200) => {
  const requests: { headers: IncomingMessage['headers']; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    requests.push({ headers: request.headers, body: JSON.parse(body) });
    response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, [Symbol.asyncDispose]: async () => void server.close() };
};
const credentials = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'token',
};

const textOf = (name: LambdaName): string =>
  readdirSync(bundles[name].folder)
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => readFileSync(join(bundles[name].folder, file), 'utf8'))
    .join('\n');

const sending = ['enqueue:events', 'enqueue:timers', 'enqueue:deliveries', 'enqueue:retries', 'enqueue:jobs'] as const;
/**
 * Services, the capabilities that make a bundle contain them, and how to recognize their code: by a source path, or by
 * a word that occurs nowhere else. The AWS SDK is bundled in one piece, so its clients are recognized by call names.
 */
const services: readonly { what: string; by: readonly Capability[]; trace: RegExp | string }[] = [
  { what: 'email by SES', by: ['send:mail'], trace: 'SendEmail' },
  { what: 'messages of emails', by: ['send:mail'], trace: /\/nodemailer\// },
  { what: 'texts of notifications', by: ['send:person'], trace: /delivery\/targets\/person-sender\.ts$/ },
  { what: 'SMS', by: ['send:person'], trace: 'SendTextMessage' },
  { what: 'Telegram', by: ['send:person'], trace: 'api.telegram.org' },
  { what: 'push notifications', by: ['send:person'], trace: /\/web-push\// },
  { what: 'webhook requests', by: ['call:webhooks', 'send:person'], trace: /delivery\/webhook-client\.ts$/ },
  { what: 'queues', by: [...sending, 'consume', 'redrive'], trace: 'SendMessageBatch' },
  { what: 'MQTT', by: ['notify:devices', 'refuse:messages'], trace: /aws\/publish\.ts$/ },
  { what: 'KMS', by: ['encrypt:secrets', 'decrypt:secrets', 'decrypt:link-keys', 'keep:otps'], trace: 'TrentService' },
  { what: 'password hashing', by: ['hash:passwords'], trace: /auth\/password\.ts$/ },
  { what: 'files in S3', by: ['keep:exports', 'share:exports'], trace: /exports\/s3\.ts$/ },
  { what: 'ZIP', by: ['keep:exports'], trace: /\/yazl\// },
  {
    what: 'the alarm topic',
    by: ['list:subscriptions', 'send:alarms', 'notify:operators'],
    trace: 'ListSubscriptionsByTopic',
  },
  { what: 'alarms that are on', by: ['list:alarms'], trace: 'DescribeAlarms' },
  { what: 'login at an issuer', by: ['ask:issuer'], trace: /\/openid-client\// },
  { what: 'one-time codes', by: ['keep:otps'], trace: /\/otplib\/|\/@otplib\// },
];
const hasTrace = (name: LambdaName, trace: RegExp | string): boolean =>
  typeof trace === 'string' ? textOf(name).includes(trace) : bundles[name].sources.some((file) => trace.test(file));

describe('a bundle', () => {
  // Functions that evaluate messages also contain the sensor state machines. `deliver` also contains the alarm emails.
  const large = ['devices', 'process', 'deliver'];
  it.each(lambdas.map(({ name }) => [name, large.includes(name) ? 410 : 400] as const))(
    '%s loads at most %i KB at start',
    (name, maxKilobytes) => {
      expect(bundles[name].startBytes).toBeLessThanOrEqual(maxKilobytes * 1_000);
    },
  );

  it.each(['devices', 'process'] as const)('%s contains message schemas without descriptions', (name) => {
    const { postures, vital } = messagesOfMakerB;
    for (const { description } of [postures, vital]) {
      expect(description.length).toBeGreaterThan(100);
      expect(textOf(name)).not.toContain(description.slice(0, 40));
    }
    expect(textOf(name)).toContain(`name:"${postures.name}"`);
  });

  it.each(names)('%s loads in a new Node process and exports a handler', async (name) => {
    const source = `import { handler } from ${handlerOf(name)}; console.log(JSON.stringify(typeof handler));`;
    expect(await run(source, credentials)).toBe('function');
  });

  it('responds to a request, and signs table calls with credentials from the environment', async () => {
    await using table = await listen({ Attributes: { calls: { N: '1' } } });
    const event = { httpMethod: 'GET', resource: '/api/v1/server/config', headers: {}, multiValueHeaders: {} };
    const source = `import { handler } from ${handlerOf('server')};
      const context = { getRemainingTimeInMillis: () => 10_000 };
      const { statusCode, body } = await handler(${JSON.stringify(event)}, context);
      console.log(JSON.stringify({ statusCode, body: JSON.parse(body) }));`;
    const answer = await run(source, {
      ...credentials,
      TABLE_NAME: 'the-table',
      AWS_ENDPOINT_URL_DYNAMODB: table.url,
    });
    expect(answer).toEqual({ statusCode: 200, body: expect.objectContaining({ serviceName: 'Sensor Cloud' }) });
    const [{ headers, body } = { headers: {}, body: {} }] = table.requests;
    expect(body).toMatchObject({ TableName: 'the-table' });
    expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/dynamodb\//);
    expect(headers['x-amz-security-token']).toBe('token');
  });

  it('the bundle contains the API description but not the code that generates it', async () => {
    await using table = await listen({ Attributes: { calls: { N: '1' } } });
    const event = { httpMethod: 'GET', resource: '/api/v1/openapi.json', headers: {}, multiValueHeaders: {} };
    const source = `import { handler } from ${handlerOf('server')};
      const context = { getRemainingTimeInMillis: () => 10_000 };
      const { body } = await handler(${JSON.stringify(event)}, context);
      console.log(Buffer.from(body, 'base64').toString('utf8'));`;
    const about = {
      SERVICE_NAME: 'A "name"',
      SERVICE_VERSION: '1.2.3',
      PUBLIC_URL: 'https://cloud.example.com',
      DEVICE_URL: 'https://devices.example.com',
    };
    const document = await run(source, { ...credentials, ...about, AWS_ENDPOINT_URL_DYNAMODB: table.url });
    expect(document).toEqual(JSON.parse(JSON.stringify(openApi(describeApi(groups), about))));
    expect(bundles.server.sources).not.toContain('shared/api/openapi/describe.ts');
  });

  it('logs stack traces with source lines, using a source map without sources', async () => {
    await using table = await listen({ __type: 'ResourceNotFoundException' }, 400);
    const event = { httpMethod: 'GET', resource: '/api/v1/server/config', headers: {}, multiValueHeaders: {} };
    const source = `import { handler } from ${handlerOf('server')};
      await handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 10_000 });`;
    const env = { ...credentials, NODE_OPTIONS: '--enable-source-maps', AWS_ENDPOINT_URL_DYNAMODB: table.url };
    const line = (await run(source, env)) as { level: string; error: { stack: string } };
    expect(line.level).toBe('error');
    expect(line.error.stack).toMatch(/shared\/store\/[\w/-]+\.ts:\d+/);
    const maps = readdirSync(bundles.server.folder).filter((name) => name.endsWith('.map'));
    expect(maps.length).toBeGreaterThan(0);
    for (const file of maps)
      expect(JSON.parse(readFileSync(join(bundles.server.folder, file), 'utf8')).sourcesContent).toBeUndefined();
  });

  it('logs metrics on one line using a lazily loaded chunk', async () => {
    await using table = await listen({ Attributes: { calls: { N: '1000' } } });
    const event = { httpMethod: 'GET', resource: '/api/v1/server/config', headers: {}, multiValueHeaders: {} };
    const source = `import { handler } from ${handlerOf('server')};
      await handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 10_000 });`;
    const env = { ...credentials, METRICS_NAMESPACE: 'SensorCloud-x', AWS_ENDPOINT_URL_DYNAMODB: table.url };
    const line = await run(source, env);
    expect(line).toMatchObject({ CallsLimited: 1, _aws: { CloudWatchMetrics: [{ Namespace: 'SensorCloud-x' }] } });
  });

  it('returns a base64 QR code rendered by a lazily loaded chunk', async () => {
    await using table = await listen({ Attributes: { calls: { N: '1' } } });
    const event = { httpMethod: 'GET', resource: '/api/v1/server/qr-code', headers: {}, multiValueHeaders: {} };
    const source = `import { handler } from ${handlerOf('server')};
      const context = { getRemainingTimeInMillis: () => 10_000 };
      const { body, ...answer } = await handler(${JSON.stringify(event)}, context);
      const png = Buffer.from(body, 'base64').toString('latin1', 1, 4);
      console.log(JSON.stringify({ ...answer, png }));`;
    const env = { ...credentials, PUBLIC_URL: 'https://cloud.example.com', AWS_ENDPOINT_URL_DYNAMODB: table.url };
    const answer = { statusCode: 200, isBase64Encoded: true, png: 'PNG' };
    expect(await run(source, env)).toMatchObject({ ...answer, headers: { 'Content-Type': 'image/png' } });
  });

  it('the docs page script is in a lazy chunk that fits into a Lambda response', async () => {
    await using table = await listen({ Attributes: { calls: { N: '1' } } });
    const headers = { 'accept-encoding': 'gzip, br' };
    const [file = ''] = Object.keys(library).filter((name) => name.endsWith('.js'));
    const event = { httpMethod: 'GET', resource: '/api/v1/docs/{file}', headers, pathParameters: { file } };
    const source = `import { gunzipSync } from 'node:zlib';
      import { handler } from ${handlerOf('docs')};
      const context = { getRemainingTimeInMillis: () => 10_000 };
      const { body, ...answer } = await handler(${JSON.stringify(event)}, context);
      const script = gunzipSync(Buffer.from(body, 'base64')).toString('utf8');
      console.log(JSON.stringify({ ...answer, bytes: script.length * 4 / 3, end: script.slice(-500) }));`;
    const answer = await run(source, { ...credentials, AWS_ENDPOINT_URL_DYNAMODB: table.url });
    expect(answer).toMatchObject({ statusCode: 200, isBase64Encoded: true, headers: { 'Content-Encoding': 'gzip' } });
    expect(answer).toMatchObject({ end: expect.stringContaining("url: 'openapi.json'") });
    // The limit holds even for a client without gzip.
    // https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
    expect((answer as { bytes: number }).bytes).toBeLessThan(6_000_000);
  });

  it('sends to a queue using a lazily loaded chunk', async () => {
    // The SDK verifies the message MD5.
    const Successful = [{ Id: '0', MessageId: 'm', MD5OfMessageBody: '99914b932bd37a50b983c5e7c90ae93b' }];
    await using queue = await listen({ Successful, Failed: [] });
    const { folder } = bundles.sweep;
    const part = readdirSync(folder).find((file) => file.startsWith('sqs-queues-')) ?? '';
    const source = `import { sqsQueues } from ${JSON.stringify(join(folder, part))};
      const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
      const queues = sqsQueues({ region: 'eu-central-1', credentials }, { timers: '${queue.url}/1/timers' }, Date.now);
      await queues.send('timers', [{ body: '{}', groupId: '7', delaySeconds: 0 }]);
      console.log('"sent"');`;
    expect(await run(source)).toBe('sent');
    expect(queue.requests[0]?.body).toMatchObject({ Entries: [{ MessageBody: '{}', MessageGroupId: '7' }] });
    expect(queue.requests[0]?.headers.authorization).toContain('Credential=AKIDEXAMPLE/');
  });

  it('sends email using a lazily loaded chunk and credentials from the environment', async () => {
    await using ses = await listen({ MessageId: 'm' });
    const { folder, startBytes } = bundles.auth;
    const part = readdirSync(folder).find((file) => file.startsWith('mail-')) ?? '';
    const source = `import { sesMail } from ${JSON.stringify(join(folder, part))};
      const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
      const mail = sesMail({ region: 'eu-central-1', credentials, endpoint: '${ses.url}' }, 'from@example.com', {
        now: Date.now,
        random: (bytes) => new Uint8Array(bytes),
      });
      await mail('to@example.com', 'Grüße', 'text');
      console.log('"sent"');`;
    expect(await run(source)).toBe('sent');
    const destination = { FromEmailAddress: 'from@example.com', Destination: { ToAddresses: ['to@example.com'] } };
    expect(ses.requests[0]?.body).toMatchObject(destination);
    const [, data = ''] = /"Data":"([^"]+)"/.exec(JSON.stringify(ses.requests[0]?.body)) ?? [];
    expect(Buffer.from(data, 'base64').toString()).toContain('Subject: =?UTF-8?B?R3LDvMOfZQ==?=');
    expect(ses.requests[0]?.headers.authorization).toContain('Credential=AKIDEXAMPLE/');
    // Code shared by this client and the table client must not be loaded at startup.
    expect(startBytes).toBeLessThan(bundles.customers.startBytes + 10_000);
  });

  it.each(lambdas)('$name contains no SMTP code, and loads the email builder lazily', ({ name }) => {
    const { sources, startSources } = bundles[name as LambdaName];
    expect(sources.filter((file) => /nodemailer\/.*(smtp|mailer\/)/.test(file))).toEqual([]);
    expect(startSources.filter((file) => file.includes('/nodemailer/'))).toEqual([]);
  });

  it.each(lambdas)('$name contains no help text for settings', ({ name }) => {
    const help = environment.RATE_LIMIT_PER_SECOND.about.help.slice(0, 30);
    expect(textOf(name as LambdaName)).not.toContain(help);
  });

  it('does not search for credentials', () => {
    const finders = /credential-provider-(?!env)|nested-clients|token-providers/;
    for (const { sources } of Object.values(bundles))
      expect(sources.filter((file) => finders.test(file) && !file.includes('credential-provider-node/'))).toEqual([]);
  });

  it.each(lambdas)('$name contains exactly the services used by its contract', ({ name, uses }) => {
    const used: readonly Use[] = uses;
    const wanted = services.filter(({ by }) => by.some((capability) => used.includes(capability)));
    const found = services.filter(({ trace }) => hasTrace(name as LambdaName, trace));
    expect(found.map(({ what }) => what)).toEqual(wanted.map(({ what }) => what));
  });

  it('contains only the store parts called by its function', () => {
    // Words found only in these parts.
    const has = (name: LambdaName, word: string) => textOf(name).includes(word);
    expect([has('sensors', 'code_used'), has('feedback', 'feedbackRevision')]).toEqual([true, true]);
    expect([has('customers', 'code_used'), has('customers', 'feedbackRevision')]).toEqual([false, false]);
  });

  // A schema adds 20 us to each start, and importing a constant from its module is enough to include it.
  it.each([
    ['shared/domain/identity/data-job-view.ts', ['personal-data', 'imports', 'data-jobs']],
    ['shared/domain/service-health-view.ts', ['server']],
    ['shared/domain/event/open-fall-view.ts', ['open-falls', 'station']],
    [
      'shared/domain/rule/acknowledgement-view.ts',
      ['open-falls', 'falls', 'station', 'rule-hits', 'alarm-list', 'acknowledge'],
    ],
    ['shared/domain/rule/rule-hit.ts', ['station', 'rule-hits']],
    ['shared/domain/formats/teams-payload.ts', []],
  ])('only these functions build the schemas of %s at start: %j', (file, names) => {
    const building = lambdas.filter(({ name }) => bundles[name as LambdaName].startSources.includes(file));
    expect(building.map(({ name }) => name)).toEqual(names);
  });

  it('the process and devices bundles contain no payload rendering code', () => {
    const has = (name: LambdaName) => bundles[name].sources.some((file) => file.endsWith('formats/render.ts'));
    expect([has('deliver'), has('process'), has('devices')]).toEqual([true, false, false]);
  });

  it.each(lambdas)('$name lazily loads the clients for webhooks, queues, KMS and SES', ({ name }) => {
    const { sources, startSources } = bundles[name as LambdaName];
    const lazy = /delivery\/http-client\.ts|\.sdk\/shared-(?!store-)|powertools/;
    expect(sources.filter((file) => lazy.test(file)).length).toBeGreaterThan(0);
    expect(startSources.filter((file) => lazy.test(file))).toEqual([]);
  });
});
