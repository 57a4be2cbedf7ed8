import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  ApiDefinition,
  type CfnRestApi,
  DomainName,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  SpecRestApi,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnPermission, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { resourceOf } from '#shared/api/operation.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import { acknowledge } from '../acknowledged.ts';
import { removalPolicyOf } from '../data/removal.ts';
import { type PerFunction, valueForFunction } from '../functions/lambdas.ts';
import type { Stage } from '../settings/settings.ts';
import { definitionOf } from './api-definition.ts';
import { isGuessable, operationsOf, type RoutedOperation } from './operations.ts';
import { TLS } from './tls.ts';
import { createWebAcl } from './web-acl.ts';

/** API Gateway logs its own errors, but never request data. */
const LOGGING = { loggingLevel: MethodLoggingLevel.ERROR, dataTraceEnabled: false, metricsEnabled: false };

/** Returns the operation kind. Each kind has a separate throttle. */
const kindOf = ({ lambda, operation }: RoutedOperation): keyof Stage['throttle'] => {
  if (lambda === 'console') return 'console';
  if (operation.published) return 'published';
  if (operation.method === 'GET') return 'reads';
  return isGuessable(operation) ? 'logins' : 'writes';
};

const limitsOf = ({ throttle }: Stage, kind: keyof Stage['throttle']) => ({
  throttlingRateLimit: throttle[kind].rate,
  throttlingBurstLimit: throttle[kind].burst,
});

/**
 * Returns the method settings for everything but reads, which use the stage settings. Method settings replace the stage
 * settings completely.
 */
const methodOptionsOf = (stage: Stage) =>
  Object.fromEntries(
    operationsOf('apps')
      .map((routed) => ({ kind: kindOf(routed), ...routed.operation }))
      .filter(({ kind }) => kind !== 'reads')
      .map(({ kind, method, ...operation }) => [
        `${resourceOf(operation)}/${method}`,
        { ...LOGGING, ...limitsOf(stage, kind) },
      ]),
  );

/**
 * The access log format, one line per request. Bodies, queries and headers are left out. Paths contain ids, so the
 * resource is logged instead.
 */
const accessLog = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    time: '$context.requestTimeEpoch',
    ip: '$context.identity.sourceIp',
    method: '$context.httpMethod',
    resource: '$context.resourcePath',
    status: '$context.status',
    milliseconds: '$context.responseLatency',
    bytes: '$context.responseLength',
    gatewayError: '$context.error.responseType',
  }),
);

/** Returns the metric for throttled console requests, counted from the access log. */
const throttledIn = (logGroup: LogGroup): Metric =>
  new MetricFilter(logGroup, 'console-throttled', {
    logGroup,
    filterPattern: FilterPattern.all(
      FilterPattern.stringValue('$.status', '=', '429'),
      FilterPattern.stringValue('$.resource', '=', `${BASE_PATH}/console*`),
    ),
    metricNamespace: Stack.of(logGroup).stackName,
    metricName: 'ThrottledConsoleCalls',
  }).metric();

/**
 * Creates the log group for API Gateway's own errors. Otherwise API Gateway would create one and keep the errors
 * forever.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-logging.html
 */
const createExecutionLogs = (api: SpecRestApi, stage: Stage): void => {
  const logGroup = new LogGroup(api, 'execution-logs', {
    logGroupName: `API-Gateway-Execution-Logs_${api.restApiId}/${stage.name}`,
    retention: stage.logRetentionDays,
    removalPolicy: removalPolicyOf(stage),
  });
  api.deploymentStage.node.addDependency(logGroup);
};

const deployOptionsOf = (stage: Stage, logGroup: LogGroup): StageOptions => ({
  stageName: stage.name,
  ...limitsOf(stage, 'reads'),
  accessLogDestination: new LogGroupLogDestination(logGroup),
  accessLogFormat: accessLog,
  ...LOGGING,
  methodOptions: methodOptionsOf(stage),
});

/** Creates the custom API domain. The domain owner points a CNAME or alias at the domain target. */
const createDomain = (api: SpecRestApi, { publicUrl, certificateArn }: Stage): void => {
  const domain = new DomainName(api, 'domain', {
    domainName: new URL(publicUrl).host,
    certificate: Certificate.fromCertificateArn(api, 'certificate', certificateArn),
    endpointType: EndpointType.REGIONAL,
    ...TLS,
  });
  domain.addApiMapping(api.deploymentStage);
  new CfnOutput(Stack.of(api), 'DomainTarget', { value: domain.domainNameAliasDomainName });
};

/**
 * The app API with access log, web ACL and domain. It is regional, because customers are near their region and TLS ends
 * there.
 */
export class AppApi extends SpecRestApi {
  /** Counts throttled console requests. */
  readonly consoleThrottled: Metric;
  /** Null in a stage without a web ACL. */
  readonly webAcl: CfnWebACL | null;
  /**
   * The address assigned by API Gateway, which also works with a custom domain. It depends only on the API id, so
   * functions can use it.
   */
  readonly gatewayAddress: string;
  /** The service address, without /api/v1. */
  readonly address: string;

  constructor(scope: Construct, id: string, stage: Stage) {
    const removalPolicy = removalPolicyOf(stage);
    const logGroup = new LogGroup(scope, `${id}-logs`, { retention: stage.logRetentionDays, removalPolicy });
    super(scope, id, {
      apiDefinition: ApiDefinition.fromInline(definitionOf(Stack.of(scope), stage)),
      restApiName: `${stage.serviceName} ${stage.name}`,
      endpointTypes: [EndpointType.REGIONAL],
      // Access logs need a role, one per account. It is retained because other APIs may use it. A failed first
      // deployment still deletes the role, and then other APIs in this account and region cannot write logs until the
      // next attempt.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      deployOptions: deployOptionsOf(stage, logGroup),
    });
    const resource = this.node.defaultChild as CfnRestApi;
    resource.securityPolicy = TLS.securityPolicy;
    resource.endpointAccessMode = TLS.endpointAccessMode;
    acknowledge(this, 'api, validated by contracts', 'api, role that writes logs');
    if (!stage.waf) acknowledge(this, 'api, no web ACL');
    const { region, urlSuffix } = Stack.of(this);
    this.gatewayAddress = `https://${this.restApiId}.execute-api.${region}.${urlSuffix}/${stage.name}`;
    this.address = stage.publicUrl || this.gatewayAddress;
    this.consoleThrottled = throttledIn(logGroup);
    createExecutionLogs(this, stage);
    if (stage.certificateArn !== '') createDomain(this, stage);
    this.webAcl = stage.waf ? createWebAcl(scope, this, stage) : null;
  }

  /**
   * Allows the API to invoke the functions behind the operations. Each function gets one permission for the whole API,
   * because one per operation would exceed the 20 KB limit for a function's policy. The API is deployed after the
   * permissions are granted.
   * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
   */
  grantInvoke(functions: PerFunction<IFunction>): void {
    for (const name of new Set(operationsOf('apps').map(({ lambda }) => lambda))) {
      const permission = new CfnPermission(this, `invokes-${name}`, {
        action: 'lambda:InvokeFunction',
        functionName: valueForFunction(functions, name).functionArn,
        principal: 'apigateway.amazonaws.com',
        sourceArn: this.arnForExecuteApi(),
      });
      this.latestDeployment?.node.addDependency(permission);
    }
  }
}
