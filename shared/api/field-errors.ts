import type * as z from 'zod';
import type { FieldError, Problem } from '../domain/problem.ts';

type Issue = z.core.$ZodIssue;

const pathOf = (path: readonly PropertyKey[]): string => path.map(String).join('.');

const describeSize = (
  issue: Extract<Issue, { code: 'too_big' | 'too_small' }>,
): Pick<FieldError, 'problem' | 'values'> => {
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
      return describeSize(issue);
    case 'invalid_type':
      // The field belongs to another variant of the value.
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
/** Returns the issues for the variant closest to a value, which is the one with the fewest missing fields. */
const issuesOfClosest = (issue: Issue): readonly Issue[] =>
  (issue.code === 'invalid_union' && issue.errors.toSorted((a, b) => missing(a) - missing(b))[0]) || [];

/** Returns schema issues as paths and problems. Their texts are added later, in the caller's language. */
export const fieldErrorsOf = (issues: readonly Issue[], at: readonly PropertyKey[] = []): FieldError[] =>
  issues.flatMap((issue): FieldError[] => {
    const path = [...at, ...issue.path];
    const nested = fieldErrorsOf(issuesOfClosest(issue), path);
    return nested.length > 0 ? nested : [{ path: pathOf(path), ...describe(issue) }];
  });
