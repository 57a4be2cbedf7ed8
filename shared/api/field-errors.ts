import type * as z from 'zod';
import type { FieldError, Problem } from '../domain/problem.ts';

type Issue = z.core.$ZodIssue;

const pathOf = (path: readonly PropertyKey[]): string => path.map(String).join('.');

const sized = (issue: Extract<Issue, { code: 'too_big' | 'too_small' }>): Pick<FieldError, 'problem' | 'values'> => {
  const [problem, limit]: [Problem, number] =
    issue.code === 'too_big' ? ['maximum', Number(issue.maximum)] : ['minimum', Number(issue.minimum)];
  const isCount = issue.origin !== 'number' && issue.origin !== 'int';
  return { problem: isCount ? 'items' : problem, values: { limit } };
};

const describe = (issue: Issue): Pick<FieldError, 'problem' | 'values'> => {
  if (issue.input === undefined && issue.code !== 'unrecognized_keys') return { problem: 'required' };
  switch (issue.code) {
    case 'too_big':
    case 'too_small':
      return sized(issue);
    case 'invalid_type':
      // What another form of the value has must be left out here.
      if (issue.expected === 'never') return { problem: 'invalid' };
      return { problem: 'type', values: { expected: issue.expected } };
    case 'invalid_value':
      return { problem: 'choice', values: { choices: issue.values.map(String).join(', ') } };
    case 'custom': {
      const { key, ...values } = (issue.params ?? {}) as { key?: Problem } & Record<string, number>;
      return { problem: key ?? 'invalid', values };
    }
    default:
      return { problem: 'invalid' };
  }
};

const missing = (issues: readonly Issue[]) => issues.filter(({ input }) => input === undefined).length;
/** The problems with the form that a value comes closest to: the one of which fewest fields are missing. */
const closest = (issue: Issue): readonly Issue[] =>
  (issue.code === 'invalid_union' && issue.errors.toSorted((a, b) => missing(a) - missing(b))[0]) || [];

/** Gives the issues of a schema as paths and problems. Their texts are added later, in the caller's language. */
export const fieldErrorsOf = (issues: readonly Issue[], at: readonly PropertyKey[] = []): FieldError[] =>
  issues.flatMap((issue): FieldError[] => {
    const path = [...at, ...issue.path];
    const inside = fieldErrorsOf(closest(issue), path);
    return inside.length > 0 ? inside : [{ path: pathOf(path), ...describe(issue) }];
  });
