import { type Group, resourceOf } from '#shared/api/operation.ts';

/** The target of a path: the resource as API Gateway names it, its parameters, and the group that serves it. */
export type Route = { group: string; resource: string; pathParameters: Record<string, string> | null };

/** The name that API Gateway gives to a path that matches no resource. */
const UNKNOWN = { group: 'server', resource: '/{proxy+}' };

const parameterOf = (segment: string): string | null => /^\{(\w+)\+?\}$/.exec(segment)?.[1] ?? null;

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** Shortens a path to the segments of a template that ends with a parameter for the rest of the path. */
const fitted = (template: readonly string[], path: readonly string[]): readonly string[] => {
  if (!template.at(-1)?.endsWith('+}') || path.length < template.length) return path;
  const at = template.length - 1;
  return [...path.slice(0, at), path.slice(at).join('/')];
};

/** Gives the parameters of a path by the template of a resource; null when the path doesn't match. */
export const match = (template: readonly string[], whole: readonly string[]): Record<string, string> | null => {
  const path = fitted(template, whole);
  if (template.length !== path.length) return null;
  const parameters: Record<string, string> = {};
  for (const [at, segment] of template.entries()) {
    const name = parameterOf(segment);
    const given = path[at] ?? '';
    if (name === null ? segment !== given : given === '') return null;
    if (name !== null) parameters[name] = decoded(given);
  }
  return parameters;
};

/**
 * Creates a router that finds the resource of a path as API Gateway does: literal segments take precedence over
 * parameters.
 */
export const createRouter = (groups: readonly Group[]): ((path: string) => Route) => {
  const resources = groups.flatMap(({ name, operations }) =>
    [...new Set(Object.values(operations).map(resourceOf))].map((resource) => ({
      group: name,
      resource,
      segments: resource.split('/'),
    })),
  );
  const literals = ({ segments }: { segments: string[] }) =>
    segments.map((segment) => (parameterOf(segment) ? '1' : '0')).join('');
  const ordered = resources.toSorted((a, b) => literals(a).localeCompare(literals(b)));
  const find = (path: string): Route | null => {
    const segments = path.split('/');
    for (const { group, resource, segments: template } of ordered) {
      const parameters = match(template, segments);
      if (parameters)
        return { group, resource, pathParameters: Object.keys(parameters).length > 0 ? parameters : null };
    }
    return null;
  };
  // `/console/` has nothing for the greedy parameter of `/console/{page+}`: it is `/console`.
  const folders = new Set(resources.flatMap(({ resource }) => /^(.*)\/\{\w+\+\}$/.exec(resource)?.[1] ?? []));
  const withoutSlash = (path: string): string =>
    path.endsWith('/') && folders.has(path.slice(0, -1)) ? path.slice(0, -1) : path;
  return (path) => find(withoutSlash(path)) ?? { ...UNKNOWN, pathParameters: { proxy: path.slice(1) } };
};
