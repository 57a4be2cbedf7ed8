import { type Group, resourceOf } from '../../shared/api/operation.ts';

/** Where a path leads: the resource as API Gateway names it, its parameters, and the group that serves it. */
export type Route = { group: string; resource: string; pathParameters: Record<string, string> | null };

/** What API Gateway calls a path that no resource matches. */
const UNKNOWN = { group: 'server', resource: '/{proxy+}' };

const parameterOf = (segment: string): string | null => /^\{(\w+)\+?\}$/.exec(segment)?.[1] ?? null;

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** The path in as many segments as the template has, when that ends with a parameter for all the rest. */
const fitted = (template: readonly string[], path: readonly string[]): readonly string[] => {
  if (!template.at(-1)?.endsWith('+}') || path.length < template.length) return path;
  const at = template.length - 1;
  return [...path.slice(0, at), path.slice(at).join('/')];
};

/** The parameters of a path's segments by those of a resource; null: it leads elsewhere. */
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

/** Finds the resource of a path as API Gateway would: literal segments win over parameters. */
export const createRouter = (groups: readonly Group[]) => {
  const resources = groups.flatMap(({ name, operations }) =>
    [...new Set(Object.values(operations).map(resourceOf))].map((resource) => ({
      group: name,
      resource,
      segments: resource.split('/'),
    })),
  );
  const literals = ({ segments }: { segments: string[] }) =>
    segments.map((one) => (parameterOf(one) ? '1' : '0')).join('');
  const ordered = resources.toSorted((a, b) => literals(a).localeCompare(literals(b)));
  return (path: string): Route => {
    const segments = path.split('/');
    for (const { group, resource, segments: template } of ordered) {
      const parameters = match(template, segments);
      if (parameters)
        return { group, resource, pathParameters: Object.keys(parameters).length > 0 ? parameters : null };
    }
    return { ...UNKNOWN, pathParameters: { proxy: path.slice(1) } };
  };
};
