import { rmSync } from 'node:fs';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, it } from 'vitest';
import { groups, schedules } from '../../../functions/index.ts';
import { createStacks } from '../../fixtures/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is JSON of which each test knows its part
type Properties = any;

const { folder, stackOf } = createStacks();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
/** A stage with these settings. */
const templateOf = (context: Record<string, unknown> = {}): Template => Template.fromStack(stackOf(context));
const all = (template: Template, type: string): Properties[] =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);

const dev = templateOf();
const prod = templateOf({
  stage: 'prod',
  publicUrl: 'https://cloud.example.org',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b2c',
  alarmEmail: 'night@example.org',
  trustedProxy: { header: 'X-Viewer', secretHeader: 'X-Secret', secret: 'a-secret-of-16-or-more' },
  mailSender: 'cloud@example.org',
});

describe('the API', () => {
  it('hands bodies over as the bytes that were sent, and speaks TLS 1.2 or newer', () => {
    dev.hasResourceProperties('AWS::ApiGateway::RestApi', {
      BinaryMediaTypes: ['*/*'],
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: Match.stringLikeRegexp('^SecurityPolicy_TLS13_1_[23]_'),
    });
  });

  it('answers on our behalf in the shape and with the headers of our own answers', () => {
    const answers = all(dev, 'AWS::ApiGateway::GatewayResponse');
    expect(answers.map(({ ResponseType }) => ResponseType)).toEqual(
      expect.arrayContaining(['DEFAULT_4XX', 'DEFAULT_5XX', 'THROTTLED', 'REQUEST_TOO_LARGE']),
    );
    for (const { StatusCode, ResponseParameters, ResponseTemplates } of answers) {
      const body = JSON.parse(ResponseTemplates['application/json']);
      expect(body).toEqual({ message: expect.any(String), statusCode: Number(StatusCode) });
      expect(ResponseParameters).toMatchObject({
        'gatewayresponse.header.Cache-Control': "'no-store'",
        'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
        'gatewayresponse.header.Strict-Transport-Security': expect.stringContaining('max-age='),
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
      });
    }
  });

  it('bounds what is published apart from all other calls, and far below them', () => {
    const [{ MethodSettings }] = all(dev, 'AWS::ApiGateway::Stage') as [Properties];
    const [ofAll, ...apart] = MethodSettings as [Properties, ...Properties[]];
    expect(ofAll).toMatchObject({ HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 1_000 });
    expect(apart.map(({ ResourcePath }) => ResourcePath).sort()).toEqual([
      '/~1api~1v1~1docs',
      '/~1api~1v1~1docs~1{file}',
      '/~1api~1v1~1openapi.json',
    ]);
    const { HttpMethod: _, ResourcePath: __, ...logging } = ofAll;
    const few = { ...logging, ThrottlingRateLimit: 5, ThrottlingBurstLimit: 20 };
    for (const one of apart) expect(one).toEqual({ ...few, HttpMethod: 'GET', ResourcePath: one.ResourcePath });
  });

  it('logs each call, but no body, query, header or id', () => {
    const [stage] = all(dev, 'AWS::ApiGateway::Stage');
    expect(stage.AccessLogSetting.Format).toContain('$context.requestId');
    expect(stage.AccessLogSetting.Format).not.toMatch(/body|query|header|context\.path|authorizer/i);
    for (const one of stage.MethodSettings) expect(one).toMatchObject({ DataTraceEnabled: false });
  });

  it('is at its own name where the stage has one, and nowhere else', () => {
    prod.hasResourceProperties('AWS::ApiGateway::DomainName', {
      DomainName: 'cloud.example.org',
      SecurityPolicy: Match.stringLikeRegexp('^SecurityPolicy_TLS13_1_[23]_'),
    });
    prod.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: true });
    dev.resourceCountIs('AWS::ApiGateway::DomainName', 0);
  });
});

describe('a stage', () => {
  it('keeps what holds data when its stack is deleted', () => {
    for (const type of ['AWS::DynamoDB::Table', 'AWS::Logs::LogGroup'])
      for (const resource of Object.values(prod.findResources(type))) expect(resource.DeletionPolicy).toBe('Retain');
    prod.hasResourceProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: true });
  });

  it('leaves nothing behind when it is for development', () => {
    for (const type of ['AWS::DynamoDB::Table', 'AWS::Logs::LogGroup'])
      for (const resource of Object.values(dev.findResources(type))) expect(resource.DeletionPolicy).toBe('Delete');
    dev.hasResourceProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: false });
  });
});

describe('the queues', () => {
  it('take no request without TLS', () => {
    const refused = all(dev, 'AWS::SQS::QueuePolicy').map(({ Queues, PolicyDocument }) => {
      const [statement] = PolicyDocument.Statement;
      expect(statement).toMatchObject({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } });
      return Queues[0].Ref;
    });
    expect(refused.sort()).toEqual(Object.keys(dev.findResources('AWS::SQS::Queue')).sort());
  });
});

describe('the functions', () => {
  it.each(schedules)('$name: runs by the clock, and a run that failed is not repeated', ({ name, everySeconds }) => {
    const minutes = everySeconds / 60;
    const [[id]] = Object.entries(
      dev.findResources('AWS::Lambda::Function', { Properties: { Description: `Sensor Cloud, dev: ${name}` } }),
    ) as [[string, unknown]];
    dev.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: `rate(${minutes} minute${minutes === 1 ? '' : 's'})`,
      Targets: [
        Match.objectLike({
          Arn: { 'Fn::GetAtt': [id, 'Arn'] },
          RetryPolicy: Match.objectLike({ MaximumRetryAttempts: 0 }),
        }),
      ],
    });
  });

  it('that answer requests know the proxy in front, and nothing in the template tells its secret', () => {
    const known = all(prod, 'AWS::Lambda::Function')
      .map(({ Environment }) => Environment.Variables)
      .filter(({ TRUSTED_PROXY_HEADER }) => TRUSTED_PROXY_HEADER === 'X-Viewer');
    expect(known.length).toBe(groups.length);
    for (const { TRUSTED_PROXY_SECRET } of known) expect(TRUSTED_PROXY_SECRET).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(JSON.stringify(prod.toJSON())).not.toContain('a-secret-of-16-or-more');
  });

  it('may send mails from the address of the stage, and only where it has one', () => {
    const senders = (template: Template) =>
      all(template, 'AWS::IAM::Role')
        .flatMap(({ Policies = [] }) => Policies.flatMap(({ PolicyDocument }: Properties) => PolicyDocument.Statement))
        .filter(({ Action }) => [Action].flat().includes('ses:SendEmail'));
    expect(senders(dev)).toEqual([]);
    expect(senders(prod)).toHaveLength(1);
    const resources = senders(prod).flatMap(({ Resource }) =>
      Resource.map((one: Properties) => one['Fn::Join'][1].at(-1)),
    );
    expect(resources).toEqual([':identity/cloud@example.org', ':identity/example.org']);
  });

  it('may ring for themselves again and again only where the contract says so', () => {
    const loops = Object.values(dev.findResources('AWS::Lambda::Function'))
      .filter(({ Properties }) => Properties.RecursiveLoop === 'Allow')
      .map(({ Properties }) => Properties.Description);
    expect(loops).toEqual([expect.stringContaining('process'), expect.stringContaining('deliver')]);
  });
});

describe('the alarms', () => {
  it('each tell in a sentence what they mean', () => {
    const texts = all(dev, 'AWS::CloudWatch::Alarm').map(({ AlarmDescription }) => AlarmDescription);
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) expect(text).toMatch(/^[A-Z].{40,}\.$/);
  });

  it('reach the address of the stage, if it has one', () => {
    prod.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'night@example.org' });
    for (const { AlarmActions } of all(prod, 'AWS::CloudWatch::Alarm')) expect(AlarmActions).toHaveLength(1);
    dev.resourceCountIs('AWS::SNS::Topic', 0);
  });

  it('name only topics that CloudWatch may publish to, for this account alone', () => {
    const policies = all(prod, 'AWS::SNS::TopicPolicy');
    const topics = all(prod, 'AWS::CloudWatch::Alarm').flatMap(({ AlarmActions }) => AlarmActions);
    const wanted = {
      Effect: 'Allow',
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    };
    expect(topics.length).toBeGreaterThan(0);
    for (const Resource of topics) {
      const rights = policies.flatMap(({ PolicyDocument, Topics }) =>
        JSON.stringify(Topics).includes(JSON.stringify(Resource)) ? PolicyDocument.Statement : [],
      );
      expect(rights).toContainEqual(expect.objectContaining({ ...wanted, Resource }));
    }
  });

  it('watch every queue, every function, the table and the API', () => {
    const watched = all(dev, 'AWS::CloudWatch::Alarm').map(({ MetricName, Dimensions = [] }) =>
      [MetricName, ...Dimensions.map(({ Value }: Properties) => Value.Ref ?? Value['Fn::GetAtt']?.[0] ?? Value)].join(
        ' ',
      ),
    );
    for (const id of Object.keys(dev.findResources('AWS::Lambda::Function')))
      expect(watched).toEqual(expect.arrayContaining([`Errors ${id}`, `Throttles ${id}`]));
    for (const [id, { Properties }] of Object.entries(dev.findResources('AWS::SQS::Queue')))
      expect(watched).toContain(
        `${Properties.RedrivePolicy ? 'ApproximateAgeOfOldestMessage' : 'ApproximateNumberOfMessagesVisible'} ${id}`,
      );
    expect(watched.join()).toMatch(/5XXError.*WriteThrottleEvents|WriteThrottleEvents.*5XXError/);
  });

  it.each([
    ['events', 60],
    ['deliveries', 300],
    ['retries', 1_800],
  ])('tell when a message of %s is older than %d s, and when any is dead', (name, seconds) => {
    const idOf = (kind: string) =>
      Object.keys(dev.findResources('AWS::SQS::Queue')).find((id) => id.startsWith(`${name}${kind}`)) ?? '';
    const of = (kind: string) => ({
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [idOf(kind), 'QueueName'] } }],
      TreatMissingData: 'notBreaching',
    });
    dev.hasResourceProperties('AWS::CloudWatch::Alarm', {
      ...{ ...of('queue'), MetricName: 'ApproximateAgeOfOldestMessage', Statistic: 'Maximum' },
      ...{ Threshold: seconds, ComparisonOperator: 'GreaterThanThreshold' },
    });
    dev.hasResourceProperties('AWS::CloudWatch::Alarm', {
      ...{ ...of('dead'), MetricName: 'ApproximateNumberOfMessagesVisible', Statistic: 'Maximum' },
      ...{ Threshold: 1, ComparisonOperator: 'GreaterThanOrEqualToThreshold' },
    });
  });

  it('tell when nothing runs by the clock', () => {
    dev.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'Invocations',
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    });
  });
});
