import { Fn, type Stack } from 'aws-cdk-lib';
import { type Operation, resourceOf } from '#shared/api/operation.ts';
import { functionNameOf } from '../functions/function-name.ts';
import type { LambdaName } from '../functions/lambdas.ts';
import type { Stage } from '../settings/settings.ts';
import { gatewayResponses } from './gateway-responses.ts';
import { operationsOf } from './operations.ts';
import { TLS } from './tls.ts';

/**
 * The key for the method that handles all methods without a separate entry.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-any-method.html
 */
const ANY = 'x-amazon-apigateway-any-method';

/**
 * Returns the proxy integration for a function. It contains the function name instead of an ARN reference: some
 * functions need the API address, so a reference would be circular.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-integration.html
 */
const integration = (stack: Stack, name: LambdaName) => ({
  type: 'aws_proxy',
  httpMethod: 'POST',
  uri: Fn.sub(
    `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/2015-03-31/functions/arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:${functionNameOf(stack, name)}/invocations`,
  ),
});

const method = (stack: Stack, path: string, name: LambdaName, operation?: { name: string; success: number }) => ({
  ...(operation && { operationId: operation.name }),
  parameters: [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, parameter]) => ({
    name: parameter,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  responses: { [operation?.success ?? 200]: { description: 'Response of the function' } },
  'x-amazon-apigateway-integration': integration(stack, name),
});

/**
 * Returns the OpenAPI paths, with each operation as a method. Each path also accepts any other method, because
 * functions handle OPTIONS and 405 themselves. All other paths, including prefixes of these paths and everything below
 * them, go to a function that responds with 404.
 */
const pathsOf = (stack: Stack) => {
  const paths: Record<string, Record<string, object>> = {};
  for (const { name, operation, lambda } of operationsOf('apps')) {
    const path = resourceOf(operation);
    const { success }: Operation = operation;
    paths[path] ??= { [ANY]: method(stack, path, lambda) };
    paths[path][operation.method.toLowerCase()] = method(stack, path, lambda, { name, success });
  }
  for (const path of ['/', '/{proxy+}']) paths[path] = { [ANY]: method(stack, path, 'server') };
  return paths;
};

/**
 * Returns the OpenAPI document for the app API, for API Gateway to import. It replaces a CloudFormation resource per
 * path and method. Each deployment imports the document as a whole, so it contains the complete API.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions.html
 */
export const definitionOf = (stack: Stack, stage: Stage) => ({
  openapi: '3.0.1',
  info: { title: `${stage.serviceName} ${stage.name}`, version: stage.serviceVersion },
  paths: pathsOf(stack),
  // Passes bodies on unchanged, as base64, because signatures and raw webhooks need every byte.
  'x-amazon-apigateway-binary-media-types': ['*/*'],
  'x-amazon-apigateway-gateway-responses': gatewayResponses(stage),
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-endpoint-configuration.html
  'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint: stage.certificateArn !== '' },
  // Each import replaces all API settings with those in the document, so the TLS settings from the resource are
  // repeated here.
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies-update.html
  'x-amazon-apigateway-security-policy': TLS.securityPolicy,
  'x-amazon-apigateway-endpoint-access-mode': TLS.endpointAccessMode,
});
