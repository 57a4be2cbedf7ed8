import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { judge } from './accepted.ts';
import { argumentsOf, type Finding, findingsOf, linters } from './linters.ts';

const output = (stdout: string, code = 1) => ({ code, stdout, stderr: '' });

test.each([
  [
    'cfn-lint',
    '[{"Rule":{"Id":"W3005"},"Location":{"Path":["Resources","topic","DependsOn",0]},"Message":"enforced"}]',
    { rule: 'W3005', where: 'topic', text: 'enforced' },
  ],
  [
    'checkov',
    '{"results":{"failed_checks":[{"check_id":"CKV_AWS_1","check_name":"Ensure","resource":"AWS::SNS::Topic.topic"}]}}',
    { rule: 'CKV_AWS_1', where: 'topic', text: 'Ensure' },
  ],
  [
    'parliament',
    '{"issue":"UNKNOWN_ACTION","title":"Unknown action","detail":"s3:Get","location":{"filepath":"a/role-0.json"}}\n',
    { rule: 'UNKNOWN_ACTION', where: 'role-0.json', text: 'Unknown action: "s3:Get"' },
  ],
  ['sam', 'Error: not a template', { rule: 'invalid', where: '', text: 'Error: not a template' }],
] as const)('reads the findings reported by %s', (linter, stdout, finding) => {
  expect(findingsOf(linter, output(stdout))).toEqual([{ linter, ...finding }]);
});

test('fails if a linter fails without a finding', () => {
  for (const [linter, stdout] of [
    ['cfn-lint', '[]'],
    ['cfn-lint', 'Traceback'],
    ['checkov', '{"passed": 0, "failed": 0}'],
    ['parliament', 'Traceback'],
  ] as const)
    expect(() => findingsOf(linter, output(stdout))).toThrow(`${linter} failed`);
});

test('rejects unaccepted findings, and accepted ones that no longer occur', () => {
  const finding = (rule: string, where: string): Finding => ({ linter: 'checkov', rule, where, text: '' });
  const rows = [
    { linter: 'checkov', rule: 'A', where: /^exports/, reason: 'r' },
    { linter: 'checkov', rule: 'B', reason: 'r' },
    { linter: 'cfn-lint', rule: 'C', reason: 'r' },
  ] as const;
  const found = [finding('A', 'exports1'), finding('A', 'other'), finding('D', 'x')];
  expect(judge(found, ['checkov'], rows)).toEqual({ fresh: [found[1], found[2]], unused: [rows[1]] });
});

test('keeps checkov from downloading anything', () => {
  const subject = { name: 'dev', template: 't.json', policies: 'p' };
  expect(argumentsOf.checkov(subject)).toContain('--skip-download');
  expect(Object.keys(argumentsOf).sort()).toEqual([...linters].sort());
});

test('explains how to install missing linters', () => {
  const program = new URL('run.ts', import.meta.url).pathname;
  const { status, stdout } = spawnSync(process.execPath, [program], { encoding: 'utf8', env: { PATH: '/nowhere' } });
  expect([status, stdout]).toEqual([
    1,
    expect.stringMatching(/^cfn-lint, checkov, parliament, sam not found\. .*python3 -m venv DIR.*requirements\.txt/),
  ]);
});
