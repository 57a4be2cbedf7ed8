import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { certificate, production, stackOf } from '#test/fixtures/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: each test knows which part of the template it reads
type Properties = any;

const all = (template: Template, type: string): Properties[] =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);

const dev = stackOf().template;
const prod = stackOf(production).template;
const logging = stackOf({ deviceAccessLog: true, keepData: false }).template;
/** Returns a variable's values, keyed by the name of each function that has it. */
const valuesOf = (template: Template, variable: string): Record<string, unknown> =>
  Object.fromEntries(
    all(template, 'AWS::Lambda::Function')
      .filter(({ Environment }) => variable in (Environment?.Variables ?? {}))
      .map(({ Description, Environment }) => [Description.split(': ')[1], Environment.Variables[variable]]),
  );

describe('the device API', () => {
  it('throttles requests at the configured rates', () => {
    const settingsOf = (template: Template) =>
      all(template, 'AWS::ApiGatewayV2::Stage').map(({ DefaultRouteSettings }) => DefaultRouteSettings);
    expect(settingsOf(dev)).toEqual([{ ThrottlingRateLimit: 1_000, ThrottlingBurstLimit: 2_000 }]);
    expect(settingsOf(prod)).toEqual([{ ThrottlingRateLimit: 50, ThrottlingBurstLimit: 70 }]);
  });

  it('keeps no access log by default', () => {
    for (const template of [dev, prod])
      expect(all(template, 'AWS::ApiGatewayV2::Stage')[0]).not.toHaveProperty('AccessLogSettings');
  });

  it('deviceAccessLog writes JSON without bodies, queries, headers and ids, with the usual retention', () => {
    const [{ AccessLogSettings }] = all(logging, 'AWS::ApiGatewayV2::Stage') as [Properties];
    const { DestinationArn, Format } = AccessLogSettings;
    expect(JSON.parse(Format)).toMatchObject({ requestId: '$context.requestId', resource: '$context.routeKey' });
    expect(Format).not.toMatch(/body|query|header|context\.path|authorizer/i);
    const [, group] = Object.entries(logging.findResources('AWS::Logs::LogGroup')).find(([id]) =>
      JSON.stringify(DestinationArn).includes(`"${id}"`),
    ) as [string, Properties];
    expect(group).toMatchObject({ Properties: { RetentionInDays: 30 }, DeletionPolicy: 'Delete' });
  });

  it('leaves CORS to the functions', () => {
    for (const api of all(dev, 'AWS::ApiGatewayV2::Api')) expect(api).not.toHaveProperty('CorsConfiguration');
  });

  it('a stage with a custom domain serves the device API only there', () => {
    prod.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      DomainName: 'devices.example.org',
      DomainNameConfigurations: [Match.objectLike({ CertificateArn: certificate('b'), SecurityPolicy: 'TLS_1_2' })],
    });
    prod.hasResourceProperties('AWS::ApiGatewayV2::ApiMapping', {
      ApiId: { Ref: Match.stringLikeRegexp('^devicedoor') },
      Stage: '$default',
    });
    prod.hasResourceProperties('AWS::ApiGatewayV2::Api', { DisableExecuteApiEndpoint: true, ProtocolType: 'HTTP' });
    expect(all(dev, 'AWS::ApiGatewayV2::Api')).toMatchObject([{ DisableExecuteApiEndpoint: false }]);
    dev.resourceCountIs('AWS::ApiGatewayV2::DomainName', 0);
  });

  it('publishes the address as an output, and passes it to functions that return it', () => {
    expect(prod.findOutputs('DeviceUrl')).toMatchObject({
      DeviceUrl: { Value: 'https://devices.example.org/api/v1' },
    });
    expect(JSON.stringify(dev.findOutputs('DeviceUrl'))).toMatch(/"https:\/\/",\{"Ref":"devicedoor\w+"\},.*\/api\/v1"/);
    expect(valuesOf(prod, 'DEVICE_URL').server).toBe('https://devices.example.org');
    expect(JSON.stringify(valuesOf(dev, 'DEVICE_URL').server)).toMatch(/"Ref":"devicedoor\w+".*\.execute-api\./);
    expect(valuesOf(prod, 'DEVICE_URL')).not.toHaveProperty('devices');
  });

  it('raises an alarm for 5xx responses and near the throttle limit', () => {
    const [filter] = all(logging, 'AWS::Logs::MetricFilter').filter(
      ({ MetricTransformations: [metric] }) => metric.MetricName === 'ThrottledDeviceCalls',
    ) as [Properties];
    expect(filter.FilterPattern).toBe('{ ($.status = "429") && ($.statusOfFunction != "429") }');
    const [{ MetricName, MetricNamespace, MetricValue }] = filter.MetricTransformations;
    expect(MetricValue).toBe('1');
    const counted = { Statistic: 'Sum', Period: 300, TreatMissingData: 'notBreaching' };
    const notified = {
      AlarmActions: [Match.anyValue()],
      AlarmDescription: Match.stringLikeRegexp('^The device API is failing'),
    };
    logging.hasResourceProperties('AWS::CloudWatch::Alarm', {
      ...counted,
      MetricName,
      Namespace: MetricNamespace,
      Threshold: 10,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    });
    const ofDeviceApi = { Dimensions: [{ Name: 'ApiId', Value: { Ref: Match.stringLikeRegexp('^devicedoor') } }] };
    prod.hasResourceProperties('AWS::CloudWatch::Alarm', {
      ...counted,
      ...ofDeviceApi,
      MetricName: 'Count',
      Namespace: 'AWS/ApiGateway',
      Threshold: 0.8 * 50 * 300,
    });
    prod.hasResourceProperties('AWS::CloudWatch::Alarm', {
      ...counted,
      ...notified,
      MetricName: '5xx',
      Namespace: 'AWS/ApiGateway',
      ...ofDeviceApi,
      Threshold: 5,
    });
  });
});

describe('the addresses of both APIs', () => {
  it('webhooks cannot target either API, whether at a custom or an assigned domain', () => {
    const callers = ['channels', 'deliver', 'webhooks'];
    const ofDev = valuesOf(dev, 'OWN_URLS');
    const ofProd = valuesOf(prod, 'OWN_URLS');
    expect([Object.keys(ofDev).sort(), Object.keys(ofProd).sort()]).toEqual([callers, callers]);
    for (const urls of [...Object.values(ofDev), ...Object.values(ofProd)])
      for (const api of ['api', 'devicedoor'])
        expect(JSON.stringify(urls)).toMatch(
          new RegExp(`https://",\\{"Ref":"${api}[0-9A-F]{8}"\\},"\\.execute-api\\.`),
        );
    for (const urls of Object.values(ofProd))
      for (const name of ['cloud', 'devices']) expect(JSON.stringify(urls)).toContain(`https://${name}.example.org,`);
  });
});
