import { type Route as MatchedRoute, match } from '#shared/api/http/router.ts';
import { isLike } from '../fixtures/iam.ts';
import { ACCOUNT, type Account, REGION } from './account.ts';

/** An API route. The method `ANY` matches all methods. */
type Route = { method: string; resource: string; lambda: string };

/** A matched route. `isOwn` is false if the match came only from a route for any method. */
export type Found = MatchedRoute & { lambda: string; isOwn: boolean };

type Permission = { FunctionName: string; Principal: string; SourceArn?: string; SourceAccount?: string };

/** Whether a permission covers this source, by ARN or by account. */
const names = ({ SourceArn, SourceAccount }: Permission, source: string): boolean =>
  SourceArn === undefined ? SourceAccount === source.split(':')[4] : isLike(source, SourceArn);

/** Returns the permissions that let a service invoke a function for this source. */
export const permissionsOf = (account: Account, principal: string, lambda: string, source: string): string[] =>
  account
    .all<Permission>('AWS::Lambda::Permission')
    .filter(
      ({ FunctionName, Principal, ...permission }) =>
        FunctionName === lambda && Principal === principal && names({ FunctionName, Principal, ...permission }, source),
    )
    .map(({ id }) => id);

type Method = { 'x-amazon-apigateway-integration': { type: string; httpMethod: string; uri: string } };
type RestApi = { Body: { paths: Readonly<Record<string, Readonly<Record<string, Method>>>> } };

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-any-method.html */
const ANY = 'x-amazon-apigateway-any-method';

/** Returns the routes in a REST API's OpenAPI document. */
const ofRestApi = ({ Body }: RestApi): Route[] =>
  Object.entries(Body.paths).flatMap(([resource, methods]) =>
    Object.entries(methods).map(([name, { 'x-amazon-apigateway-integration': integration }]) => {
      const { type, httpMethod, uri } = integration;
      const [, lambda] = /\/functions\/(.+)\/invocations$/.exec(uri) ?? [];
      if (type !== 'aws_proxy' || httpMethod !== 'POST' || lambda === undefined)
        throw new Error(`${name} ${resource} invokes no function`);
      return { method: name === ANY ? 'ANY' : name.toUpperCase(), resource, lambda };
    }),
  );

type HttpRoute = { RouteKey: string; Target: string };
type Integration = { IntegrationUri: string; IntegrationType: string; PayloadFormatVersion: string };

const ofHttpApi = (account: Account): Route[] => {
  const integrations = new Map(
    account.all<Integration>('AWS::ApiGatewayV2::Integration').map((integration) => [integration.id, integration]),
  );
  return account.all<HttpRoute>('AWS::ApiGatewayV2::Route').map(({ RouteKey, Target }) => {
    const [method = '', resource = method] = RouteKey.split(' ');
    const integration = integrations.get(Target.replace('integrations/', ''));
    if (integration?.PayloadFormatVersion !== '1.0') throw new Error(`${RouteKey} has another payload version`);
    return { method: resource === method ? 'ANY' : method, resource, lambda: integration.IntegrationUri };
  });
};

const GREEDY = /\{(\w+)\+\}$/;
const parametersOf = (resource: string, path: string): Record<string, string> | null => {
  if (resource === '$default') return {};
  const [, greedy] = GREEDY.exec(resource) ?? [];
  const template = resource.split('/');
  const segments = path.split('/');
  if (greedy === undefined) return match(template, segments);
  const own = match(template.slice(0, -1), segments.slice(0, template.length - 1));
  const rest = segments.slice(template.length - 1).join('/');
  return own && rest !== '' ? { ...own, [greedy]: rest } : null;
};

/** Returns a route's rank. Literal segments win over parameters, and parameters over greedy ones. */
const rank = ({ resource, method }: Route): string => {
  const segments = resource
    .split('/')
    .map((segment) => (GREEDY.test(segment) ? '2' : segment.startsWith('{') ? '1' : '0'));
  return `${resource === '$default' ? '3' : ''}${segments.join('')}${method === 'ANY' ? '1' : '0'}`;
};

/** An API in the account, with its id and stage, if any. */
export type Api = {
  kind: 'rest' | 'http';
  id: string;
  stage: string | undefined;
  routes: readonly Route[];
  /** The permissions that exist before the API is deployed. Undefined if deployments happen automatically. */
  permissionsBefore?: readonly string[];
};

type Stage = { StageName: string; DeploymentId: string };
const restOf = (account: Account): Api => {
  const [api] = account.all<RestApi>('AWS::ApiGateway::RestApi');
  const [stage] = account.all<Stage>('AWS::ApiGateway::Stage');
  const deployment = account.all('AWS::ApiGateway::Deployment').find(({ id }) => id === stage?.DeploymentId);
  return {
    kind: 'rest',
    id: api?.id ?? '',
    stage: stage?.StageName,
    permissionsBefore: deployment?.dependsOn ?? [],
    routes: api ? ofRestApi(api) : [],
  };
};

const httpOf = (account: Account): Api => {
  const [api] = account.all('AWS::ApiGatewayV2::Api');
  const [stage] = account.all<{ StageName: string }>('AWS::ApiGatewayV2::Stage');
  return { kind: 'http', id: api?.id ?? '', stage: stage?.StageName, routes: ofHttpApi(account) };
};

export const apisOf = (account: Account): Readonly<Record<Api['kind'], Api>> => {
  const ordered = (api: Api) => ({
    ...api,
    routes: api.routes.toSorted((a, b) => rank(a).localeCompare(rank(b))),
  });
  return { rest: ordered(restOf(account)), http: ordered(httpOf(account)) };
};

/** Returns the route for a request. API Gateway matches path and method together. */
export const findRoute = ({ routes }: Api, method: string, path: string): Found | undefined => {
  for (const route of routes) {
    const parameters = route.method === method || route.method === 'ANY' ? parametersOf(route.resource, path) : null;
    const pathParameters = parameters && Object.keys(parameters).length > 0 ? parameters : null;
    const { resource, lambda } = route;
    if (parameters) return { group: '', resource, pathParameters, lambda, isOwn: route.method === method };
  }
  return undefined;
};

/** Returns an invocation's source ARN, as it appears in function permissions. */
export const sourceOf = ({ id, stage }: Api, method: string, resource: string): string =>
  `arn:aws:execute-api:${REGION}:${ACCOUNT}:${id}/${stage}/${method}${resource.startsWith('/') ? resource : `/${resource}`}`;
