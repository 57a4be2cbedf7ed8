import { CfnOutput, Stack } from 'aws-cdk-lib';
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
import { removalPolicyOf } from '../data/removal.ts';
import { type LambdaName, type PerFunction, valueForFunction } from '../functions/lambdas.ts';
import type { Stage } from '../settings/settings.ts';
import { operationsOf } from './operations.ts';

/**
 * The access log format, one line per request. Bodies, queries and headers are left out. Paths contain ids, so the
 * route is logged instead. `statusOfFunction` differs from `status` if API Gateway itself responded.
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

const createDomain = (api: HttpApi, { deviceUrl, deviceCertificateArn }: Stage): DomainName => {
  const domain = new DomainName(api, 'domain', {
    domainName: new URL(deviceUrl).host,
    certificate: Certificate.fromCertificateArn(api, 'certificate', deviceCertificateArn),
    // This policy allows TLS 1.2 and 1.3. HTTP APIs do not support the enhanced policies used by the app API.
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-custom-domain-tls-version.html
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
  new CfnOutput(Stack.of(api), 'DeviceDomainTarget', { value: domain.regionalDomainName });
  return domain;
};

/**
 * Returns the metric for throttled requests, counted from the access log: HTTP APIs have no such metric, and functions
 * can respond with 429 too.
 */
const throttledIn = (logGroup: LogGroup): Metric => {
  const isTooMany = FilterPattern.stringValue('$.status', '=', '429');
  const isFromGateway = FilterPattern.stringValue('$.statusOfFunction', '!=', '429');
  return new MetricFilter(logGroup, 'throttled', {
    logGroup,
    filterPattern: FilterPattern.all(isTooMany, isFromGateway),
    metricNamespace: Stack.of(logGroup).stackName,
    metricName: 'ThrottledDeviceCalls',
  }).metric();
};

const createLogGroup = (scope: Construct, id: string, stage: Stage): LogGroup =>
  new LogGroup(scope, id, { retention: stage.logRetentionDays, removalPolicy: removalPolicyOf(stage) });

/**
 * Returns the integration for a function, with payload version 1.0, like REST APIs. Bodies with a JSON content type are
 * passed as text, which changes invalid UTF-8.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
const integrate = (name: LambdaName, lambda: IFunction) =>
  new HttpLambdaIntegration(name, lambda, {
    payloadFormatVersion: PayloadFormatVersion.VERSION_1_0,
    scopePermissionToRoute: false,
  });

/**
 * The device API with access log and domain: an HTTP API with a separate throttle, so that load on the app API never
 * delays a fall.
 *
 * Functions respond as they do on the app API, including for unknown methods and for pages from allowed origins. HTTP
 * APIs have no gateway responses, so API Gateway's own responses are `{"message"}` without `statusCode`, CORS and this
 * service's other headers:
 * - 404 for a path without an operation;
 * - 429 without Retry-After, when all devices together exceed the throttle;
 * - 413 for a body over 10 MB here, or over 6 MB in Lambda;
 * - 503 when the function could not be invoked or was throttled, 500 when it ended without a response;
 * - 400, 403 and 431 for requests that API Gateway does not accept as valid HTTP. Devices look only at the status, and
 *   retry after 429 and 5xx.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-vs-rest.html
 */
export class DeviceApi extends HttpApi {
  /** Counts throttled requests. Null without an access log. */
  readonly throttled: Metric | null;
  /**
   * The address assigned by API Gateway, which also works with a custom domain. It depends only on the API id, so
   * functions can use it.
   */
  readonly gatewayAddress: string;
  /** The address for devices, without /api/v1. */
  readonly address: string;

  constructor(scope: Construct, id: string, stage: Stage) {
    const logGroup = stage.deviceAccessLog ? createLogGroup(scope, `${id}-logs`, stage) : null;
    const hasDomain = stage.deviceCertificateArn !== '';
    super(scope, id, {
      apiName: `${stage.serviceName} ${stage.name} devices`,
      disableExecuteApiEndpoint: hasDomain,
      createDefaultStage: false,
    });
    new HttpStage(this, 'stage', {
      httpApi: this,
      autoDeploy: true,
      throttle: { rateLimit: stage.deviceThrottle.rate, burstLimit: stage.deviceThrottle.burst },
      ...(logGroup && {
        accessLogSettings: { destination: new LogGroupLogDestination(logGroup), format: accessLog },
      }),
      ...(hasDomain && { domainMapping: { domainName: createDomain(this, stage) } }),
    });
    acknowledge(this, 'device API, authentication');
    if (!logGroup) acknowledge(this, 'device API, no access log');
    const { region, urlSuffix } = Stack.of(this);
    this.gatewayAddress = `https://${this.apiId}.execute-api.${region}.${urlSuffix}`;
    this.address = stage.deviceUrl || this.gatewayAddress;
    this.throttled = logGroup && throttledIn(logGroup);
  }

  /**
   * Routes each operation to its function and lets the API invoke it. Each path also accepts any other method, because
   * functions handle OPTIONS and 405 themselves. For all other paths, API Gateway itself responds with 404, so that
   * such requests do not take capacity away from fall reports.
   */
  addOperations(functions: PerFunction<IFunction>): void {
    const operations = operationsOf('devices');
    const names = [...new Set(operations.map(({ lambda }) => lambda))];
    const integrations = new Map(names.map((name) => [name, integrate(name, valueForFunction(functions, name))]));
    const route = (name: LambdaName, routeKey: HttpRouteKey): HttpRoute =>
      new HttpRoute(this, routeKey.key, {
        httpApi: this,
        routeKey,
        integration: integrations.get(name) ?? integrate(name, valueForFunction(functions, name)),
      });
    for (const { name, operation, lambda } of operations) {
      const created = route(lambda, HttpRouteKey.with(BASE_PATH + operation.path, HttpMethod[operation.method]));
      (created.node.defaultChild as CfnRoute).operationName = name;
    }
    const lambdaAt = new Map(operations.map(({ operation, lambda }) => [operation.path, lambda]));
    for (const [path, lambda] of lambdaAt) route(lambda, HttpRouteKey.with(BASE_PATH + path, HttpMethod.ANY));
    // A deployment adding or removing an alias must grant the permission before switching the integration.
    const constructs = this.node.findAll();
    const permissions = constructs.filter((construct) => construct instanceof CfnPermission);
    for (const construct of constructs)
      if (construct instanceof HttpIntegration) construct.node.addDependency(...permissions);
  }
}
