/** A linter finding in a template. `where` is a logical id, or a policy file. */
export type Finding = { linter: Linter; rule: string; where: string; text: string };

/** A template's name and file, and the folder with the policies for its roles. */
export type Subject = { name: string; template: string; policies: string };

/** A linter's exit code and output. */
type Output = { code: number; stdout: string; stderr: string };

export const linters = ['cfn-lint', 'checkov', 'parliament', 'sam'] as const;
export type Linter = (typeof linters)[number];

const REGION = 'eu-central-1';

/** Each linter's arguments for checking a template. */
export const argumentsOf: Readonly<Record<Linter, (subject: Subject) => string[]>> = {
  'cfn-lint': ({ template }) => ['--format', 'json', '--regions', REGION, '-t', template],
  // Otherwise, checkov would fetch rule descriptions from a server.
  checkov: ({ template }) => [
    '-f',
    template,
    '--framework',
    'cloudformation',
    '-o',
    'json',
    '--compact',
    '--quiet',
    '--skip-download',
  ],
  parliament: ({ policies }) => ['--directory', policies, '--json'],
  sam: ({ template }) => ['validate', '--template-file', template, '--region', REGION],
};

type CfnFinding = { Rule: { Id: string }; Location: { Path?: (string | number)[] }; Message: string };
type CheckovReport = { results?: { failed_checks: { check_id: string; check_name: string; resource: string }[] } };
type ParliamentFinding = { issue: string; detail: unknown; title: string; location: { filepath: string } };

const fileOf = (path: string): string => path.split('/').at(-1) ?? '';

const readers: Readonly<Record<Linter, (output: Output) => Omit<Finding, 'linter'>[]>> = {
  'cfn-lint': ({ stdout }) =>
    (JSON.parse(stdout) as CfnFinding[]).map(({ Rule, Location, Message }) => ({
      rule: Rule.Id,
      where: String(Location.Path?.[1] ?? ''),
      text: Message,
    })),
  checkov: ({ stdout }) =>
    [JSON.parse(stdout) as CheckovReport | CheckovReport[]].flat().flatMap(({ results }) => {
      // Without results, the linter did not understand the template.
      if (!results) throw new Error(`checkov found nothing to check: ${stdout}`);
      return results.failed_checks.map(({ check_id, check_name, resource }) => ({
        rule: check_id,
        where: resource.split('.').at(-1) ?? '',
        text: check_name,
      }));
    }),
  parliament: ({ stdout }) =>
    stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as ParliamentFinding)
      .map(({ issue, title, detail, location }) => ({
        rule: issue,
        where: fileOf(location.filepath),
        text: `${title}: ${JSON.stringify(detail)}`,
      })),
  sam: ({ code, stdout, stderr }) =>
    code === 0 ? [] : [{ rule: 'invalid', where: '', text: `${stdout}${stderr}`.trim() }],
};

/** Returns a linter's findings. Throws if the linter failed for any other reason. */
export const findingsOf = (linter: Linter, output: Output): Finding[] => {
  try {
    const found = readers[linter](output).map((finding) => ({ linter, ...finding }));
    // Each linter exits with 0 only when it found nothing.
    if (output.code !== 0 && found.length === 0) throw new Error(`exit code ${output.code}`);
    return found;
  } catch (cause) {
    throw new Error(`${linter} failed: ${(cause as Error).message}\n${output.stderr}`, { cause });
  }
};
