import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnRoute,
  DomainName,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
  PayloadFormatVersion,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { BASE_PATH } from '../../shared/api/operation.ts';
import { acknowledge } from './acknowledged.ts';
import { operationsAt } from './doors.ts';
import type { LambdaName } from './lambdas.ts';
import type { Stage } from './settings.ts';

/** The door, and how many calls its throttle refused. */
export type DeviceDoor = { api: HttpApi; throttled: Metric };

/**
 * One line for each call. Neither bodies nor query nor headers; the route instead of the path with its ids. What the
 * function answered differs from `status` where API Gateway answered by itself.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html
 */
const accessLog = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    time: '$context.requestTimeEpoch',
    ip: '$context.identity.sourceIp',
    method: '$context.httpMethod',
    resource: '$context.routeKey',
    status: '$context.status',
    statusOfFunction: '$context.integration.status',
    milliseconds: '$context.responseLatency',
    bytes: '$context.responseLength',
    gatewayError: '$context.error.responseType',
    integrationError: '$context.integrationErrorMessage',
  }),
);

const nameOf = (api: HttpApi, { deviceUrl, deviceCertificateArn }: Stage): DomainName => {
  const domain = new DomainName(api, 'domain', {
    domainName: new URL(deviceUrl).host,
    certificate: Certificate.fromCertificateArn(api, 'certificate', deviceCertificateArn),
    // TLS 1.2 and 1.3; the enhanced policies, which the API of the apps has, are not for HTTP APIs.
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-custom-domain-tls-version.html
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
  new CfnOutput(Stack.of(api), 'DeviceDomainTarget', { value: domain.regionalDomainName });
  return domain;
};

/** Calls that the throttle refused. HTTP APIs have no metric for them, and devices get a 429 of the function's too. */
const throttledIn = (logGroup: LogGroup): Metric => {
  const isRefused = FilterPattern.stringValue('$.status', '=', '429');
  const isOfFunction = FilterPattern.stringValue('$.statusOfFunction', '!=', '429');
  return new MetricFilter(logGroup, 'throttled', {
    logGroup,
    filterPattern: FilterPattern.all(isRefused, isOfFunction),
    metricNamespace: Stack.of(logGroup).stackName,
    metricName: 'ThrottledDeviceCalls',
  }).metric();
};

/**
 * The door of the devices without its operations: an HTTP API with a throttle of its own, so that nothing that is
 * asked at the door of the apps keeps a fall out. It answers no CORS, for no page calls it.
 *
 * The functions answer here as they do there, unknown paths and methods too. HTTP APIs have no gateway responses, so
 * what API Gateway answers without a function is `{"message"}` alone, without `statusCode` and without our headers:
 * - 429, when all devices together are more than the throttle lets in: there is no Retry-After;
 * - 413, when a body does not fit: 10 MB here, 6 MB in Lambda;
 * - 503, when the function could not be invoked or was throttled, 500, when it ended without an answer;
 * - 400, 403 and 431, when a request is no HTTP that can be handed over.
 * Devices go by the status, and try again after 429 and 5xx.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-vs-rest.html
 */
export const createDeviceDoor = (scope: Construct, stage: Stage): DeviceDoor => {
  const removalPolicy = stage.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
  const logGroup = new LogGroup(scope, 'device-door-logs', { retention: stage.logRetentionDays, removalPolicy });
  const hasName = stage.deviceCertificateArn !== '';
  const api = new HttpApi(scope, 'device-door', {
    apiName: `${stage.serviceName} ${stage.name} devices`,
    disableExecuteApiEndpoint: hasName,
    createDefaultStage: false,
  });
  new HttpStage(api, 'stage', {
    httpApi: api,
    autoDeploy: true,
    throttle: { rateLimit: stage.deviceThrottle.rate, burstLimit: stage.deviceThrottle.burst },
    accessLogSettings: { destination: new LogGroupLogDestination(logGroup), format: accessLog },
    ...(hasName && { domainMapping: { domainName: nameOf(api, stage) } }),
  });
  acknowledge(api, 'device door, authentication');
  return { api, throttled: throttledIn(logGroup) };
};

/** Where API Gateway serves it, with or without another name. Made of the API's id alone, so that functions may know it. */
export const gatewayAddressOfDevices = ({ api }: DeviceDoor): string => {
  const { region, urlSuffix } = Stack.of(api);
  return `https://${api.apiId}.execute-api.${region}.${urlSuffix}`;
};

/** Where devices reach the service, without /api/v1. */
export const deviceAddressOf = (door: DeviceDoor, { deviceUrl }: Stage): string =>
  deviceUrl || gatewayAddressOfDevices(door);

/**
 * Version 1.0 of the payload is what REST APIs hand over. Bodies are text here, where they are JSON by their type: bytes
 * that are no UTF-8 do not come as they were sent.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
const integrate = (lambda: LambdaFunction) =>
  new HttpLambdaIntegration(lambda.node.id, lambda, {
    payloadFormatVersion: PayloadFormatVersion.VERSION_1_0,
    scopePermissionToRoute: false,
  });

/**
 * Gives each operation its route. Beside them every path takes any other method: its function answers 405 and OPTIONS
 * itself; and `elsewhere` answers 404 for every other path.
 */
export const addRoutes = (
  { api }: DeviceDoor,
  functions: Readonly<Record<LambdaName, LambdaFunction>>,
  elsewhere: LambdaFunction,
): void => {
  const placed = operationsAt('devices').map((one) => ({ ...one, lambda: functions[one.lambda] }));
  const lambdas = [...new Set([...placed.map(({ lambda }) => lambda), elsewhere])];
  const integrations = new Map(lambdas.map((lambda) => [lambda, integrate(lambda)]));
  const route = (lambda: LambdaFunction, routeKey: HttpRouteKey): HttpRoute =>
    new HttpRoute(api, routeKey.key, {
      httpApi: api,
      routeKey,
      integration: integrations.get(lambda) ?? integrate(lambda),
    });
  for (const { name, operation, lambda } of placed) {
    const made = route(lambda, HttpRouteKey.with(BASE_PATH + operation.path, HttpMethod[operation.method]));
    (made.node.defaultChild as CfnRoute).operationName = name;
  }
  const lambdaAt = new Map(placed.map(({ operation, lambda }) => [operation.path, lambda]));
  for (const [path, lambda] of lambdaAt) route(lambda, HttpRouteKey.with(BASE_PATH + path, HttpMethod.ANY));
  route(elsewhere, HttpRouteKey.DEFAULT);
};
