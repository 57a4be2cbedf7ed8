import { Validator } from '@seriousme/openapi-schema-validator';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { awsSchedules, groups, schedules } from '#functions/index.ts';
import { isGuessable } from '#lib/aws/api/operations.ts';
import { errors } from '#shared/api/errors.ts';
import { apiOf, type Operation } from '#shared/api/operation.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import { production, stackOf, whole } from '#test/fixtures/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: each test knows which part of the template it reads
type Properties = any;

const all = (template: Template, type: string): Properties[] =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);

const dev = stackOf().template;
const everything = stackOf(whole).template;
const prod = stackOf(production).template;

const [definition] = all(dev, 'AWS::ApiGateway::RestApi').map(({ Body }) => Body) as [Properties];

describe('the app API', () => {
  it('imports a valid OpenAPI document', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(definition));
    expect([valid, errors]).toEqual([true, undefined]);
  });

  it('passes bodies on unchanged and accepts only TLS 1.2 or newer', () => {
    expect(definition['x-amazon-apigateway-binary-media-types']).toEqual(['*/*']);
    dev.hasResourceProperties('AWS::ApiGateway::RestApi', {
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: Match.stringLikeRegexp('^SecurityPolicy_TLS13_1_[23]_'),
    });
  });

  it('repeats the TLS policy in the document, because each document import replaces it', () => {
    const [{ SecurityPolicy, EndpointAccessMode }] = all(dev, 'AWS::ApiGateway::RestApi') as [Properties];
    expect(definition['x-amazon-apigateway-security-policy']).toBe(SecurityPolicy);
    expect(definition['x-amazon-apigateway-endpoint-access-mode']).toBe(EndpointAccessMode);
  });

  it('gateway responses have the same shape and headers as function responses', () => {
    const answers: Record<string, Properties> = definition['x-amazon-apigateway-gateway-responses'];
    expect(Object.keys(answers)).toEqual(
      expect.arrayContaining(['DEFAULT_4XX', 'DEFAULT_5XX', 'THROTTLED', 'REQUEST_TOO_LARGE', 'WAF_FILTERED']),
    );
    for (const { statusCode, responseParameters, responseTemplates } of Object.values(answers)) {
      const body = JSON.parse(responseTemplates['application/json']);
      expect(body).toEqual({ message: expect.any(String), statusCode: Number(statusCode) });
      expect(responseParameters).toMatchObject({
        'gatewayresponse.header.Cache-Control': "'no-store'",
        'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
        'gatewayresponse.header.Strict-Transport-Security': expect.stringContaining('max-age='),
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
      });
      // The error code is one that the service uses with the same status.
      const code = responseParameters['gatewayresponse.header.X-Error-Code'].slice(1, -1) as keyof typeof errors;
      expect([code, errors[code]]).toEqual([code, Number(statusCode)]);
    }
  });

  it('lets pages read gateway responses if the stage allows exactly one origin', () => {
    const allowedWith = (...corsOrigins: string[]) => {
      const [{ Body }] = all(stackOf({ corsOrigins }).template, 'AWS::ApiGateway::RestApi') as [Properties];
      const answers: Properties[] = Object.values(Body['x-amazon-apigateway-gateway-responses']);
      const names = ['Access-Control-Allow-Origin', 'Vary'];
      const values = answers.map((answer) =>
        names.map((name) => answer.responseParameters[`gatewayresponse.header.${name}`]),
      );
      return [...new Set(values.map((headers) => headers.join(' ')))];
    };
    const app = 'https://app.example.org';
    const other = 'https://other.example.org';
    expect(allowedWith(app)).toEqual([`'${app}' 'Origin'`]);
    expect(allowedWith(app, other)).toEqual([" 'Origin'"]);
    expect(allowedWith()).toEqual([' ']);
    const exposed = all(stackOf({ corsOrigins: [app] }).template, 'AWS::ApiGateway::RestApi').map(({ Body }) =>
      JSON.stringify(Body),
    );
    expect(exposed[0]).toContain("'Token, Retry-After, ETag, Link, X-Content-Type-Options, X-RateLimit-Limit");
  });

  it('throttles operations by kind, at the configured rates', () => {
    const throttle = { writes: { rate: 7, burst: 8 }, logins: { rate: 3, burst: 4 } };
    const [{ MethodSettings }] = all(stackOf({ throttle }).template, 'AWS::ApiGateway::Stage') as [Properties];
    const [ofAll, ...apart] = MethodSettings as [Properties, ...Properties[]];
    expect(ofAll).toMatchObject({ HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 1_000 });
    const { HttpMethod: _, ResourcePath: __, ThrottlingRateLimit: ___, ThrottlingBurstLimit: ____, ...logging } = ofAll;
    for (const setting of apart) expect(setting).toMatchObject(logging);
    const withRate = (rate: number, burst: number) =>
      apart
        .filter((setting) => setting.ThrottlingRateLimit === rate && setting.ThrottlingBurstLimit === burst)
        .map(({ HttpMethod, ResourcePath }) => `${HttpMethod} ${ResourcePath.replaceAll('~1', '/').slice(1)}`)
        .sort();
    const at = (...paths: string[]) => paths.map((path) => `GET ${BASE_PATH}${path}`);
    expect(withRate(5, 20)).toEqual(at('/docs', '/docs/{file}', '/openapi.json', '/schemas/{name}'));
    expect(withRate(200, 400)).toEqual(at('/console', '/console/{page+}'));
    const logins = ['/login', '/login/oidc', '/login/oidc/answer', '/password-reset', '/password-reset/confirm'];
    expect(withRate(3, 4)).toEqual(logins.map((path) => `POST ${BASE_PATH}/users${path}`));
    const writes = groups
      .flatMap(({ operations }) => Object.values<Operation>(operations))
      .filter((operation) => operation.method !== 'GET' && !isGuessable(operation) && apiOf(operation) === 'apps');
    expect(withRate(7, 8)).toEqual(writes.map(({ method, path }) => `${method} ${BASE_PATH}${path}`).sort());
  });

  it('logs each request, without body, query, headers and ids', () => {
    const [stage] = all(dev, 'AWS::ApiGateway::Stage');
    expect(stage.AccessLogSetting.Format).toContain('$context.requestId');
    expect(stage.AccessLogSetting.Format).not.toMatch(/body|query|header|context\.path|authorizer/i);
    for (const methodSetting of stage.MethodSettings) expect(methodSetting).toMatchObject({ DataTraceEnabled: false });
  });

  it('a stage with a custom domain serves the app API only there', () => {
    prod.hasResourceProperties('AWS::ApiGateway::DomainName', {
      DomainName: 'cloud.example.org',
      SecurityPolicy: Match.stringLikeRegexp('^SecurityPolicy_TLS13_1_[23]_'),
    });
    const isOff = { disableExecuteApiEndpoint: true };
    prod.hasResourceProperties('AWS::ApiGateway::RestApi', {
      Body: Match.objectLike({ 'x-amazon-apigateway-endpoint-configuration': isOff }),
    });
    expect(definition['x-amazon-apigateway-endpoint-configuration']).not.toEqual(isOff);
    dev.resourceCountIs('AWS::ApiGateway::DomainName', 0);
  });
});

describe('a stage', () => {
  // https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
  it.each([
    ['dev', {}],
    ['prod', production],
    ['prod with everything', { ...production, ...whole }],
  ])('%s fits within the CloudFormation limits of 500 resources and one megabyte', (_, context) => {
    const { template, uploaded } = stackOf(context);
    expect(Object.keys(template.toJSON().Resources).length).toBeLessThanOrEqual(500);
    expect(uploaded.length).toBeLessThanOrEqual(1_000_000);
  });

  it('retains all resources with data when its stack is deleted', () => {
    for (const type of ['AWS::SQS::Queue', 'AWS::Logs::LogGroup', 'AWS::KMS::Key', 'AWS::S3::Bucket'])
      for (const resource of Object.values(prod.findResources(type)))
        expect(resource.DeletionPolicy).toBe('RetainExceptOnCreate');
    prod.hasResourceProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: true });
    expect([stackOf(production).stack.terminationProtection, stackOf().stack.terminationProtection]).toEqual([
      true,
      false,
    ]);
  });

  it('leaves at most the table behind when its first deployment fails', () => {
    const everywhere = [prod, stackOf({ ...production, ...whole }).template];
    for (const template of everywhere) {
      const { Resources } = template.toJSON() as {
        Resources: Record<string, { Type: string; DeletionPolicy?: string }>;
      };
      const retained = Object.values(Resources).filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain');
      expect(retained.map(({ Type }) => Type)).toEqual(['AWS::DynamoDB::Table']);
    }
  });

  it("expires every log, including the log of API Gateway's own errors", () => {
    const groups = Object.values(prod.findResources('AWS::Logs::LogGroup'));
    for (const { Properties } of groups) expect(Properties.RetentionInDays).toBeGreaterThan(0);
    expect(JSON.stringify(groups.map(({ Properties }) => Properties.LogGroupName))).toContain(
      'API-Gateway-Execution-Logs_',
    );
  });

  it('a development stage deletes everything with the stack', () => {
    for (const type of ['AWS::DynamoDB::Table', 'AWS::SQS::Queue', 'AWS::Logs::LogGroup'])
      for (const resource of Object.values(dev.findResources(type))) expect(resource.DeletionPolicy).toBe('Delete');
    dev.hasResourceProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: false });
  });
});

describe('the queues', () => {
  it('queues reject requests without TLS', () => {
    const denied = all(dev, 'AWS::SQS::QueuePolicy').map(({ Queues, PolicyDocument }) => {
      const [statement] = PolicyDocument.Statement;
      expect(statement).toMatchObject({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } });
      return Queues[0].Ref;
    });
    expect(denied.sort()).toEqual(Object.keys(dev.findResources('AWS::SQS::Queue')).sort());
  });
});

describe('the functions', () => {
  it.each(schedules)('$name runs on a schedule, without retries', ({ name, everySeconds }) => {
    const minutes = everySeconds / 60;
    const [[id]] = Object.entries(
      everything.findResources('AWS::Lambda::Function', { Properties: { Description: `Sensor Cloud, dev: ${name}` } }),
    ) as [[string, unknown]];
    everything.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: `rate(${minutes} minute${minutes === 1 ? '' : 's'})`,
      Targets: [
        Match.objectLike({
          Arn: { 'Fn::GetAtt': [id, 'Arn'] },
          RetryPolicy: Match.objectLike({ MaximumRetryAttempts: 0 }),
        }),
      ],
    });
  });

  it.each(awsSchedules)('$name runs every ten minutes, only in stages with alarmEmail', ({ name }) => {
    const named = { Properties: { FunctionName: `Test-${name}` } };
    const [[id, { Properties }]] = Object.entries(prod.findResources('AWS::Lambda::Function', named)) as [
      [string, Properties],
    ];
    expect(dev.findResources('AWS::Lambda::Function', named)).toEqual({});
    const Targets = [Match.objectLike({ Arn: { 'Fn::GetAtt': [id, 'Arn'] } })];
    prod.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(10 minutes)', Targets });
    prod.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: id },
      MaximumEventAgeInSeconds: 600,
      MaximumRetryAttempts: 0,
    });
    const [topic] = Object.keys(prod.findResources('AWS::SNS::Topic'));
    expect(Properties.Environment.Variables.ALARM_TOPIC_ARN).toEqual({ Ref: topic });
    expect(prod.findOutputs('AlarmTopic')).toEqual({ AlarmTopic: { Value: { Ref: topic } } });
    expect(dev.findOutputs('AlarmTopic')).toEqual({});
  });

  it('functions that serve requests know the trusted proxy, but the template omits the proxy secret', () => {
    const known = all(prod, 'AWS::Lambda::Function')
      .map(({ Environment }) => Environment.Variables)
      .filter(({ TRUSTED_PROXY_HEADER }) => TRUSTED_PROXY_HEADER === 'X-Viewer');
    expect(known.length).toBe(groups.length);
    for (const { TRUSTED_PROXY_SECRET } of known) expect(TRUSTED_PROXY_SECRET).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(JSON.stringify(prod.toJSON())).not.toContain('a-secret-of-16-or-more');
  });

  it('functions may publish only to the alarm topic', () => {
    const publishers = (template: Template) =>
      Object.values(template.findResources('AWS::IAM::Role')).flatMap(({ Properties: role }) =>
        (role.Policies ?? [])
          .flatMap(({ PolicyDocument }: Properties) => PolicyDocument.Statement)
          .filter(({ Action }: Properties) => [Action].flat().includes('sns:Publish'))
          .map(({ Resource }: Properties) => Resource),
      );
    const [topic] = Object.keys(prod.findResources('AWS::SNS::Topic'));
    expect(publishers(prod)).toEqual([{ Ref: topic }, { Ref: topic }]);
    for (const name of ['alarm-check', 'deliver'])
      prod.hasResourceProperties('AWS::Lambda::Function', {
        FunctionName: `Test-${name}`,
        Environment: { Variables: Match.objectLike({ ALARM_TOPIC_ARN: { Ref: topic } }) },
      });
    // A topic without a key needs no key permission.
    expect(Object.values(prod.findResources('AWS::SNS::Topic'))[0]?.Properties?.KmsMasterKeyId).toBeUndefined();
    expect(publishers(dev)).toEqual([]);
  });

  it("functions may send email only from the stage's address", () => {
    const senders = (template: Template) =>
      all(template, 'AWS::IAM::Role')
        .flatMap(({ Policies = [] }) => Policies.flatMap(({ PolicyDocument }: Properties) => PolicyDocument.Statement))
        .filter(({ Action }) => [Action].flat().includes('ses:SendEmail'));
    expect(senders(dev)).toEqual([]);
    // Codes for passwords and for channels, invitations, failed and undeliverable deliveries, alarms without a
    // subscription, changes that leave falls uncovered, requested erasures, and the daily canary test.
    expect(senders(prod)).toHaveLength(9);
    const resources = senders(prod).flatMap(({ Resource }) =>
      Resource.map((resource: Properties) => resource['Fn::Join'][1].at(-1)),
    );
    expect([...new Set(resources)]).toEqual([
      ':identity/cloud@example.org',
      ':identity/example.org',
      ':configuration-set/Test',
    ]);
  });

  it('loop detection is off only for functions that enqueue tasks for themselves', () => {
    const loops = Object.values(dev.findResources('AWS::Lambda::Function'))
      .filter(({ Properties }) => Properties.RecursiveLoop === 'Allow')
      .map(({ Properties }) => Properties.Description);
    expect(loops).toEqual([
      expect.stringContaining('process'),
      expect.stringContaining('deliver'),
      expect.stringContaining('data-jobs'),
    ]);
  });
});
