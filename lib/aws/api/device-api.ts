import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnRoute,
  DomainName,
  HttpApi,
  HttpIntegration,
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
import { CfnPermission, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import { acknowledge } from '../acknowledged.ts';
import { type ForFunctions, functionIn, type LambdaName } from '../functions/lambdas.ts';
import type { Stage } from '../settings/settings.ts';
import { operationsOf } from './operations.ts';

/**
 * The format of the access log, one line per call. It has no bodies, queries or headers, and the route instead of the
 * path, which would contain ids. The status of the function differs from `status` where API Gateway answered by
 * itself.
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
    // This policy allows TLS 1.2 and 1.3. HTTP APIs do not support the enhanced policies that the API of the apps
    // uses. https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-custom-domain-tls-version.html
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
  new CfnOutput(Stack.of(api), 'DeviceDomainTarget', { value: domain.regionalDomainName });
  return domain;
};

/**
 * The number of calls that the throttle refused, counted from the access log. HTTP APIs have no metric for it, and a
 * 429 may also come from a function.
 */
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

const createLogGroup = (scope: Construct, id: string, { keepData, logRetentionDays }: Stage): LogGroup => {
  const removalPolicy = keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
  return new LogGroup(scope, id, { retention: logRetentionDays, removalPolicy });
};

/**
 * The integration of a function. Version 1.0 of the payload is the one of REST APIs. Bodies with a JSON content type
 * are passed as text, so bytes that are not valid UTF-8 arrive changed.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
const integrate = (name: LambdaName, lambda: IFunction) =>
  new HttpLambdaIntegration(name, lambda, {
    payloadFormatVersion: PayloadFormatVersion.VERSION_1_0,
    scopePermissionToRoute: false,
  });

/**
 * The API of the devices, with its access log and its domain: an HTTP API with a throttle of its own, so that no load on
 * the API of the apps keeps a fall out. Its functions answer pages of listed origins as all others do; API Gateway's own
 * answers here are not for pages.
 *
 * The functions answer as they do at the API of the apps, also for unknown methods. HTTP APIs have no gateway responses,
 * so an answer of API Gateway itself is `{"message"}` without `statusCode` and without this service's headers:
 * - 404, for a path that has no operation;
 * - 429, without Retry-After, when all devices together exceed the throttle;
 * - 413, when a body is too large: above 10 MB here, above 6 MB in Lambda;
 * - 503, when the function could not be invoked or was throttled; 500, when it ended without an answer;
 * - 400, 403 and 431, when the request is not valid HTTP for API Gateway.
 * Devices decide by the status, and retry after 429 and 5xx.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-vs-rest.html
 */
export class DeviceApi extends HttpApi {
  /** The number of calls that its throttle refused; null where it keeps no access log. */
  readonly throttled: Metric | null;
  /**
   * The address at API Gateway, which also works when there is a custom domain. It contains only the id of the API, so that
   * functions may know it.
   */
  readonly gatewayAddress: string;
  /** The address that devices use, without /api/v1. */
  readonly address: string;

  constructor(scope: Construct, id: string, stage: Stage) {
    const logGroup = stage.deviceAccessLog ? createLogGroup(scope, `${id}-logs`, stage) : null;
    const hasName = stage.deviceCertificateArn !== '';
    super(scope, id, {
      apiName: `${stage.serviceName} ${stage.name} devices`,
      disableExecuteApiEndpoint: hasName,
      createDefaultStage: false,
    });
    new HttpStage(this, 'stage', {
      httpApi: this,
      autoDeploy: true,
      throttle: { rateLimit: stage.deviceThrottle.rate, burstLimit: stage.deviceThrottle.burst },
      ...(logGroup && {
        accessLogSettings: { destination: new LogGroupLogDestination(logGroup), format: accessLog },
      }),
      ...(hasName && { domainMapping: { domainName: nameOf(this, stage) } }),
    });
    acknowledge(this, 'device API, authentication');
    if (!logGroup) acknowledge(this, 'device API, no access log');
    const { region, urlSuffix } = Stack.of(this);
    this.gatewayAddress = `https://${this.apiId}.execute-api.${region}.${urlSuffix}`;
    this.address = stage.deviceUrl || this.gatewayAddress;
    this.throttled = logGroup && throttledIn(logGroup);
  }

  /**
   * Adds the route of each operation to its function, which the API may invoke. Each path also takes any other method, because
   * its function answers 405 and OPTIONS itself. For all other paths API Gateway answers 404 by itself: they must not take the
   * capacity of falls.
   */
  addOperations(functions: ForFunctions<IFunction>): void {
    const operations = operationsOf('devices');
    const names = [...new Set(operations.map(({ lambda }) => lambda))];
    const integrations = new Map(names.map((name) => [name, integrate(name, functionIn(functions, name))]));
    const route = (name: LambdaName, routeKey: HttpRouteKey): HttpRoute =>
      new HttpRoute(this, routeKey.key, {
        httpApi: this,
        routeKey,
        integration: integrations.get(name) ?? integrate(name, functionIn(functions, name)),
      });
    for (const { name, operation, lambda } of operations) {
      const made = route(lambda, HttpRouteKey.with(BASE_PATH + operation.path, HttpMethod[operation.method]));
      (made.node.defaultChild as CfnRoute).operationName = name;
    }
    const lambdaAt = new Map(operations.map(({ operation, lambda }) => [operation.path, lambda]));
    for (const [path, lambda] of lambdaAt) route(lambda, HttpRouteKey.with(BASE_PATH + path, HttpMethod.ANY));
    // Where an alias comes or goes, the API may invoke what it leads to before it leads there.
    const made = this.node.findAll();
    const permissions = made.filter((construct) => construct instanceof CfnPermission);
    for (const construct of made)
      if (construct instanceof HttpIntegration) construct.node.addDependency(...permissions);
  }
}
