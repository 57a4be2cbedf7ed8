import { Fn, type Stack } from 'aws-cdk-lib';
import { type Operation, resourceOf } from '../../shared/api/operation.ts';
import { operationsAt } from './doors.ts';
import { functionNameOf } from './function-name.ts';
import { answersOnOurBehalf } from './gateway-answers.ts';
import type { LambdaName } from './lambdas.ts';
import type { Stage } from './settings.ts';

/** Any method that the path does not name. https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-any-method.html */
const ANY = 'x-amazon-apigateway-any-method';

/**
 * Hands a request whole to a function, by its name: some functions know the address of the API, so that the API cannot
 * be made of them.
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
    ...{ name: parameter, in: 'path', required: true, schema: { type: 'string' } },
  })),
  responses: { [operation?.success ?? 200]: { description: 'What the function answers' } },
  'x-amazon-apigateway-integration': integration(stack, name),
});

/**
 * Every operation as a method of its path. Beside them each path takes any other method, for its function answers 405
 * and OPTIONS itself. Every other path goes to a function that answers 404. API Gateway looks for a path with the
 * method, so a part of a path of ours that has no method comes there too, and so does whatever is below one.
 */
const pathsOf = (stack: Stack) => {
  const paths: Record<string, Record<string, object>> = {};
  for (const { name, operation, lambda } of operationsAt('apps')) {
    const path = resourceOf(operation);
    const { success }: Operation = operation;
    paths[path] ??= { [ANY]: method(stack, path, lambda) };
    paths[path][operation.method.toLowerCase()] = method(stack, path, lambda, { name, success });
  }
  for (const path of ['/', '/{proxy+}']) paths[path] = { [ANY]: method(stack, path, 'server') };
  return paths;
};

/**
 * The API of the apps as API Gateway takes it: one OpenAPI document in the place of a resource for each path and each
 * method. It is made anew at each deployment, so all that belongs to the API is in it.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions.html
 */
export const definitionOf = (stack: Stack, stage: Stage) => ({
  openapi: '3.0.1',
  info: { title: `${stage.serviceName} ${stage.name}`, version: stage.serviceVersion },
  paths: pathsOf(stack),
  // Bodies arrive as the bytes that were sent, in base64: signatures and raw webhooks need each of them.
  'x-amazon-apigateway-binary-media-types': ['*/*'],
  'x-amazon-apigateway-gateway-responses': answersOnOurBehalf(stage),
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-endpoint-configuration.html
  'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint: stage.certificateArn !== '' },
});
