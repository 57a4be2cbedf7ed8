import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { readCommandLine } from '#lib/local/command-line.ts';
import { createAccount } from '#test/deployed/account.ts';
import { production, stackOf, whole } from '#test/fixtures/stack.ts';
import { judge } from './accepted.ts';
import { argumentsOf, type Finding, findingsOf, type Linter, linters, type Subject } from './linters.ts';

const help = `npm run check:template [-- --tools FOLDER ...]
Checks the templates of several stages with cfn-lint, checkov, parliament (policies of roles) and \`sam validate\`. Fails on
findings that are not in test/template-linters/accepted.ts. Downloads nothing.
  --tools FOLDER               folder with linters besides those on the PATH, repeatable
Exit code: 0; 1 for findings, or if a linter is missing; 2 for invalid options.`;

const options = { tools: { type: 'string', multiple: true } } as const;
const { tools = [] } = readCommandLine(options, help, { out: console.log, err: console.error });

const FOLDER = 'test/template-linters';
const stages = {
  dev: {},
  prod: { ...production, ...whole },
  home: { ...production, preset: 'home' },
  alb: { ...production, deviceApi: 'alb' },
};

const root = new URL('../../', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'template-linters-'));
process.on('exit', () => rmSync(folder, { recursive: true }));

/** Writes the policies for all roles in a template, and for people who deploy, as IAM would see them. */
const writePolicies = (template: object, to: string): void => {
  mkdirSync(to);
  type Role = { Policies?: { PolicyDocument: object }[] };
  const { all } = createAccount(template as Parameters<typeof createAccount>[0], 'https://aws.example.org');
  for (const { id, Policies = [] } of all<Role>('AWS::IAM::Role'))
    for (const [index, { PolicyDocument }] of Policies.entries())
      writeFileSync(join(to, `${id}-${index}.json`), JSON.stringify(PolicyDocument));
  for (const name of ['deployer-policy.json', 'recovery-policy.json'])
    writeFileSync(join(to, name), readFileSync(join(root, 'lib/aws', name)));
};

const subjects = Object.entries(stages).map(([name, context]): Subject => {
  const json = stackOf(context).template.toJSON();
  const subject = { name, template: join(folder, `${name}.json`), policies: join(folder, name) };
  writeFileSync(subject.template, JSON.stringify(json));
  writePolicies(json, subject.policies);
  return subject;
});

const folders = [...tools, ...(process.env.PATH ?? '').split(delimiter)];
const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
const programs = new Map(
  linters.flatMap((linter): [Linter, string][] => {
    const found = folders.map((one) => join(one, linter)).find(isExecutable);
    return found ? [[linter, found]] : [];
  }),
);

const run = (program: string, args: readonly string[]) => {
  // Without these variables, SAM would check AWS for new versions.
  const env = { ...process.env, SAM_CLI_TELEMETRY: '0', AWS_EC2_METADATA_DISABLED: 'true' };
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 28, env });
  if (error) throw error;
  return { code: status ?? 1, stdout, stderr };
};

const all: Finding[] = [];
for (const [linter, program] of programs) {
  console.log(`${linter} (${run(program, ['--version']).stdout.trim()})`);
  for (const subject of subjects) {
    const findings = findingsOf(linter, run(program, argumentsOf[linter](subject)));
    all.push(...findings);
    const { fresh } = judge(findings, []);
    console.log(`  ${subject.name.padEnd(5)}  ${findings.length} findings, ${findings.length - fresh.length} accepted`);
    for (const { rule, where, text } of fresh) console.log(`    ${rule} ${where}: ${text}`);
  }
}

const { fresh, unused } = judge(all, [...programs.keys()]);
for (const { linter, rule } of unused)
  console.log(`${FOLDER}/accepted.ts accepts ${rule} of ${linter}, which finds none.`);
const missing = linters.filter((linter) => !programs.has(linter));
if (missing.length > 0)
  console.log(
    `${missing.join(', ')} not found. Install them outside the repository (python3 -m venv DIR; DIR/bin/pip install -r ${FOLDER}/requirements.txt; in a second folder requirements-checkov.txt) and pass both with --tools DIR/bin.`,
  );
if (fresh.length + unused.length + missing.length > 0) process.exitCode = 1;
