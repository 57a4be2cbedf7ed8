import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { groups } from '#functions/index.ts';
import { apiOf, type Group, resourceOf } from '#shared/api/operation.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';

// biome-ignore lint/suspicious/noExplicitAny: each test knows which part of the template it reads
type Properties = any;
/** A template and its logical ids, looked up by contract name. */
type Synthesised = { template: Template; idOf: (name: string) => string };

const operations = groups.flatMap((group: Group) =>
  Object.entries(group.operations).map(([name, operation]) => ({
    ...operation,
    name,
    group: group.name,
    api: apiOf(operation),
    resource: resourceOf(operation),
  })),
);
const ofApps = operations.filter(({ api }) => api === 'apps');
const ofDevices = operations.filter(({ api }) => api === 'devices');

/** Tests that both APIs match the contracts. `stack` is called inside the tests. */
export const apiCases = (stack: () => Synthesised): void => {
  const idOf = (name: string) => stack().idOf(name);
  const all = (type: string): [string, Properties][] =>
    Object.entries(stack().template.findResources(type)).map(([id, { Properties }]) => [id, Properties]);

  describe('the app API', () => {
    const ANY = 'x-amazon-apigateway-any-method';
    const paths = (): [string, Properties][] => Object.entries(all('AWS::ApiGateway::RestApi')[0]?.[1].Body.paths);
    /** Returns the logical id of the function that a URI names. */
    const functionOf = (uri: string): string => {
      const [, name] = uri.match(/:function:([\w-]+)\/invocations$/) ?? [];
      return all('AWS::Lambda::Function').find(([, { FunctionName }]) => FunctionName === name)?.[0] ?? `no ${name}`;
    };
    const methods = () =>
      paths().flatMap(([path, ofPath]) =>
        Object.entries<Properties>(ofPath).map(([method, { operationId, ...rest }]) => ({
          path,
          method: method === ANY ? 'ANY' : method.toUpperCase(),
          name: operationId,
          lambda: functionOf(rest['x-amazon-apigateway-integration'].uri['Fn::Sub']),
          type: rest['x-amazon-apigateway-integration'].type,
        })),
      );

    it('exposes exactly the app operations, each integrated with the right function', () => {
      const declared = ofApps.map(({ name, resource, method, group }) => ({
        path: resource,
        method,
        name,
        lambda: idOf(group),
        type: 'aws_proxy',
      }));
      const inTemplate = methods().filter(({ method }) => method !== 'ANY');
      expect(inTemplate).toHaveLength(declared.length);
      expect(inTemplate).toEqual(expect.arrayContaining(declared));
    });

    it('sends every other method on these paths to the same function, which responds with 405', () => {
      const others = methods().filter(({ method }) => method === 'ANY');
      for (const { resource, group } of ofApps)
        expect(others).toContainEqual(expect.objectContaining({ path: resource, lambda: idOf(group) }));
    });

    it('sends every other path to a function that responds with 404', () => {
      const others = methods().filter(({ method, lambda }) => method === 'ANY' && lambda === idOf('server'));
      expect(others.map(({ path }) => path)).toEqual(expect.arrayContaining(['/', '/{proxy+}']));
    });

    it('shares no path between groups or APIs, so a 405 response lists all methods', () => {
      for (const { path, group, api } of operations) {
        const isOther = (properties: Properties) =>
          properties.path === path && (properties.group !== group || properties.api !== api);
        expect([path, ...operations.filter(isOther)]).toEqual([path]);
      }
    });

    it('uses the same name for a path parameter in all paths, as API Gateway requires', () => {
      const parts = (path: string) => path.split('/').map((_, at, all) => all.slice(0, at + 1));
      const places = paths()
        .flatMap(([path]) => parts(path))
        .filter((place) => place.at(-1)?.startsWith('{'));
      const variables = Map.groupBy(places, (place) => place.slice(0, -1).join('/'));
      for (const [place, all] of variables) expect([place, new Set(all.map(String)).size]).toEqual([place, 1]);
      expect(variables.size).toBeGreaterThan(0);
    });

    it('declares the parameters of each path, as OpenAPI requires', () => {
      for (const [path, ofPath] of paths())
        for (const { parameters } of Object.values<Properties>(ofPath))
          expect(parameters.map(({ name }: Properties) => name)).toEqual(
            [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name),
          );
    });

    it('the app API may invoke exactly the functions behind the paths before being deployed', () => {
      const permissions = all('AWS::Lambda::Permission').filter(([, { SourceArn }]) =>
        JSON.stringify(SourceArn).includes(`{"Ref":"${idOf('api')}"}`),
      );
      const invoked = permissions.map(([, { FunctionName }]) => FunctionName['Fn::GetAtt'][0]);
      expect(invoked.sort()).toEqual([...new Set(methods().map(({ lambda }) => lambda))].sort());
      const [deployment] = Object.values<Properties>(stack().template.findResources('AWS::ApiGateway::Deployment'));
      expect(deployment.DependsOn).toEqual(expect.arrayContaining(permissions.map(([id]) => id)));
    });
  });

  describe('the device API', () => {
    const routes = () =>
      all('AWS::ApiGatewayV2::Route').map(([, { RouteKey, OperationName, Target, ApiId }]) => {
        const integration = Target['Fn::Join'][1].find((part: Properties) => part.Ref).Ref;
        const [, { IntegrationUri, PayloadFormatVersion, IntegrationType }] = all(
          'AWS::ApiGatewayV2::Integration',
        ).find(([id]) => id === integration) as [string, Properties];
        const lambda = IntegrationUri['Fn::GetAtt'][0];
        return { key: RouteKey, name: OperationName, lambda, api: ApiId.Ref, PayloadFormatVersion, IntegrationType };
      });
    const proxied = () => ({
      api: idOf('device-door'),
      PayloadFormatVersion: '1.0',
      IntegrationType: 'AWS_PROXY',
    });

    it('routes each device operation to the right function, in the REST API payload format', () => {
      const declared = ofDevices.map(({ name, path, method, group }) => ({
        ...proxied(),
        key: `${method} ${BASE_PATH}${path}`,
        name,
        lambda: idOf(group),
      }));
      const inTemplate = routes().filter(({ name }) => name !== undefined);
      expect(inTemplate).toHaveLength(declared.length);
      expect(inTemplate).toEqual(expect.arrayContaining(declared));
    });

    it('routes every other method on these paths to functions that respond with 405', () => {
      const paths = new Map(ofDevices.map(({ path, group }) => [`ANY ${BASE_PATH}${path}`, idOf(group)]));
      const wanted = [...paths].map(([key, lambda]) => ({
        ...proxied(),
        key,
        name: undefined,
        lambda,
      }));
      const inTemplate = routes().filter(({ name }) => name === undefined);
      expect(inTemplate).toHaveLength(wanted.length);
      expect(inTemplate).toEqual(expect.arrayContaining(wanted));
    });

    it('the device API may invoke exactly the functions behind the routes', () => {
      const invoked = all('AWS::Lambda::Permission')
        .filter(([, { SourceArn }]) => JSON.stringify(SourceArn).includes(`{"Ref":"${idOf('device-door')}"}`))
        .map(([, { FunctionName }]) => FunctionName['Fn::GetAtt'][0]);
      expect(invoked.sort()).toEqual([...new Set(routes().map(({ lambda }) => lambda))].sort());
    });

    it('serves all device operations, and each operation belongs to exactly one API', () => {
      expect(ofDevices.map(({ name }) => name).sort()).toEqual(
        operations
          .filter(({ auth }) => auth === 'device' || auth === 'provisioner')
          .map(({ name }) => name)
          .sort(),
      );
      expect(ofDevices.length).toBeGreaterThan(0);
      expect(ofApps.length + ofDevices.length).toBe(operations.length);
    });
  });
};
