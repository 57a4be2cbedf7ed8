import { CfnOutput, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  type CfnRestApi,
  DomainName,
  EndpointAccessMode,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { groups } from '../../functions/index.ts';
import { BASE_PATH, type Operation } from '../../shared/api/operation.ts';
import type { Placed } from './doors.ts';
import { answerOnOurBehalf } from './gateway-answers.ts';
import type { Stage } from './stage.ts';

/**
 * Requests per second of all apps together, and how many may come at once. Far above what one account may do
 * (the functions count that), far below what the account's other APIs need to stay up.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
 */
const THROTTLE = { throttlingRateLimit: 1_000, throttlingBurstLimit: 2_000 };
/**
 * The same for each operation that is published, apart from all others: up to 460 KB an answer (1.7 MB for who takes no
 * gzip), to anybody. Caches keep them, so few are asked for.
 */
const THROTTLE_OF_PUBLISHED = { throttlingRateLimit: 5, throttlingBurstLimit: 20 };

/** What API Gateway itself fails at. Never the data of a call. */
const LOGGING = { loggingLevel: MethodLoggingLevel.ERROR, dataTraceEnabled: false, metricsEnabled: false };

/** What a method is told of its own replaces all that the stage tells. */
const methodOptions = Object.fromEntries(
  groups
    .flatMap(({ operations }) => Object.values<Operation>(operations))
    .filter(({ published }) => published)
    .map(({ path, method }) => [`${BASE_PATH}${path}/${method}`, { ...LOGGING, ...THROTTLE_OF_PUBLISHED }]),
);

/** TLS 1.2 and 1.3 with forward secrecy. https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies-list.html */
const TLS = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
} as const;

/** One line for each call. Neither bodies nor query nor headers; the resource instead of the path with its ids. */
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

const acknowledge = (api: RestApi): void =>
  Validations.of(api).acknowledge(
    { id: 'AwsSolutions-APIG2', reason: 'The functions check path, query and body against the contracts.' },
    {
      id: 'AwsSolutions-APIG3',
      reason: 'The functions limit accounts and addresses; a web ACL is up to the owner of the account.',
    },
    { id: 'AwsSolutions-APIG4', reason: 'The functions authenticate: sessions, tokens and devices of our own.' },
    { id: 'AwsSolutions-COG4', reason: 'Accounts are in the table; there is no user pool.' },
    {
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
      reason: 'The role is for the whole account, and this is the policy that API Gateway names for it.',
    },
  );

/** The API of the apps without its operations. Regional: customers are near their region, and TLS ends there. */
export const createApi = (scope: Construct, stage: Stage): RestApi => {
  const removalPolicy = stage.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
  const logGroup = new LogGroup(scope, 'api-logs', { retention: stage.logRetentionDays, removalPolicy });
  const api = new RestApi(scope, 'api', {
    restApiName: `${stage.serviceName} ${stage.name}`,
    endpointTypes: [EndpointType.REGIONAL],
    // Bodies arrive as the bytes that were sent, in base64: signatures and raw webhooks need each of them.
    binaryMediaTypes: ['*/*'],
    disableExecuteApiEndpoint: stage.certificateArn !== '',
    // Access logs need a role that the account has only once; it outlives this stack, for others may log by it.
    cloudWatchRole: true,
    cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
    deployOptions: {
      stageName: stage.name,
      ...THROTTLE,
      accessLogDestination: new LogGroupLogDestination(logGroup),
      accessLogFormat: accessLog,
      ...LOGGING,
      methodOptions,
    },
  });
  const resource = api.node.defaultChild as CfnRestApi;
  resource.securityPolicy = TLS.securityPolicy;
  resource.endpointAccessMode = TLS.endpointAccessMode;
  answerOnOurBehalf(api, stage);
  acknowledge(api);
  return api;
};

/** Where API Gateway serves it, with or without another name. Made of the API's id alone, so that functions may know it. */
export const gatewayAddressOf = (api: RestApi, { name }: Stage): string => {
  const { region, urlSuffix } = Stack.of(api);
  return `https://${api.restApiId}.execute-api.${region}.${urlSuffix}/${name}`;
};

/** Where the service is reached, without /api/v1. */
export const addressOf = (api: RestApi, stage: Stage): string => stage.publicUrl || gatewayAddressOf(api, stage);

// One permission for each function: one for each method would outgrow the function's policy of 20 KB.
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
const integrate = (lambda: LambdaFunction) => new LambdaIntegration(lambda, { scopePermissionToMethod: false });

/**
 * Gives every operation its resource and method. Beside them each resource takes any other method: the function answers
 * 405 and OPTIONS itself.
 */
export const addOperations = (api: RestApi, placed: readonly Placed[]): void => {
  for (const { name: operationName, operation, lambda } of placed) {
    const integration = integrate(lambda);
    const resource = api.root.resourceForPath(BASE_PATH + operation.path);
    resource.addMethod(operation.method, integration, { operationName });
    if (!resource.node.tryFindChild('ANY')) resource.addMethod('ANY', integration);
  }
};

/**
 * Sends every other path to a function that answers 404. API Gateway looks for a resource with the method, so a part
 * of a path of ours that has no method comes here too, and so does whatever is below one.
 */
export const answerElsewhere = (api: RestApi, lambda: LambdaFunction): void => {
  const integration = integrate(lambda);
  api.root.addMethod('ANY', integration);
  api.root.addResource('{proxy+}').addMethod('ANY', integration);
};

/** The service under its own name; the DNS entry (CNAME or alias) to the target is the owner's. */
export const createDomain = (api: RestApi, { publicUrl, certificateArn }: Stage): void => {
  const domain = new DomainName(api, 'domain', {
    domainName: new URL(publicUrl).host,
    certificate: Certificate.fromCertificateArn(api, 'certificate', certificateArn),
    endpointType: EndpointType.REGIONAL,
    ...TLS,
  });
  domain.addApiMapping(api.deploymentStage);
  new CfnOutput(Stack.of(api), 'DomainTarget', { value: domain.domainNameAliasDomainName });
};
