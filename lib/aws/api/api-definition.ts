import { Fn, type Stack } from 'aws-cdk-lib';
import { type Operation, resourceOf } from '#shared/api/operation.ts';
import { functionNameOf } from '../functions/function-name.ts';
import type { LambdaName } from '../functions/lambdas.ts';
import type { Stage } from '../settings/settings.ts';
import { answersOnOurBehalf } from './gateway-answers.ts';
import { operationsOf } from './operations.ts';

/**
 * The method that takes all methods that a path does not name.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-any-method.html
 */
const ANY = 'x-amazon-apigateway-any-method';

/**
 * The proxy integration of a function. It contains the function's name and not its ARN by reference, because some
 * functions know the address of the API, and that would be a cycle.
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
  responses: { [operation?.success ?? 200]: { description: 'What the function answers' } },
  'x-amazon-apigateway-integration': integration(stack, name),
});

/**
 * The paths of the OpenAPI document: each operation is a method of its path. Each path also takes any other method,
 * because its function answers 405 and OPTIONS itself. All other paths go to a function that answers 404. API Gateway
 * matches a path together with the method, so a prefix of a path that has no method of its own goes to this function
 * too, and so does every path below one.
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
 * The API of the apps in the form that API Gateway imports: one OpenAPI document instead of a CloudFormation resource
 * for each path and each method. Each deployment imports it anew, so it contains everything of the API.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions.html
 */
export const definitionOf = (stack: Stack, stage: Stage) => ({
  openapi: '3.0.1',
  info: { title: `${stage.serviceName} ${stage.name}`, version: stage.serviceVersion },
  paths: pathsOf(stack),
  // Bodies arrive as the bytes that were sent, in base64, because signatures and raw webhooks need every byte.
  'x-amazon-apigateway-binary-media-types': ['*/*'],
  'x-amazon-apigateway-gateway-responses': answersOnOurBehalf(stage),
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-endpoint-configuration.html
  'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint: stage.certificateArn !== '' },
});
