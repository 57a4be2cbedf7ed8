import { type Group, resourceOf } from '../operation.ts';

/** Where a path leads: the resource as named by API Gateway, the parameters, and the group that serves it. */
export type Route = { group: string; resource: string; pathParameters: Record<string, string> | null };

/** The resource API Gateway reports for a path with no other match. */
const UNKNOWN = { group: 'server', resource: '/{proxy+}' };

const parameterOf = (segment: string): string | null => /^\{(\w+)\+?\}$/.exec(segment)?.[1] ?? null;

export const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** Joins the last path segments into one if the template ends with a greedy parameter. */
const joinRest = (template: readonly string[], path: readonly string[]): readonly string[] => {
  if (!template.at(-1)?.endsWith('+}') || path.length < template.length) return path;
  const at = template.length - 1;
  return [...path.slice(0, at), path.slice(at).join('/')];
};

/** Returns the parameters in a path according to a resource template, or null if the path does not match. */
export const match = (template: readonly string[], whole: readonly string[]): Record<string, string> | null => {
  const path = joinRest(template, whole);
  if (template.length !== path.length) return null;
  const parameters: Record<string, string> = {};
  for (const [at, segment] of template.entries()) {
    const name = parameterOf(segment);
    const value = path[at] ?? '';
    if (name === null ? segment !== value : value === '') return null;
    if (name !== null) parameters[name] = decoded(value);
  }
  return parameters;
};

/** Creates a router that resolves paths like API Gateway: literal segments take precedence over parameters. */
export const createRouter = (groups: readonly Group[]): ((path: string) => Route) => {
  const resources = groups.flatMap(({ name, operations }) =>
    [...new Set(Object.values(operations).map(resourceOf))].map((resource) => ({
      group: name,
      resource,
      segments: resource.split('/'),
    })),
  );
  const precedence = ({ segments }: { segments: string[] }) =>
    segments.map((segment) => (parameterOf(segment) ? '1' : '0')).join('');
  const ordered = resources.toSorted((a, b) => precedence(a).localeCompare(precedence(b)));
  const find = (path: string): Route | null => {
    const segments = path.split('/');
    for (const { group, resource, segments: template } of ordered) {
      const parameters = match(template, segments);
      if (parameters)
        return { group, resource, pathParameters: Object.keys(parameters).length > 0 ? parameters : null };
    }
    return null;
  };
  // `/console/` leaves nothing for the greedy parameter in `/console/{page+}`, so it is treated as `/console`.
  const folders = new Set(resources.flatMap(({ resource }) => /^(.*)\/\{\w+\+\}$/.exec(resource)?.[1] ?? []));
  const withoutSlash = (path: string): string =>
    path.endsWith('/') && folders.has(path.slice(0, -1)) ? path.slice(0, -1) : path;
  return (path) => find(withoutSlash(path)) ?? { ...UNKNOWN, pathParameters: { proxy: path.slice(1) } };
};
