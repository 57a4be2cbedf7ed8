import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

type Tool = { about: string; package: string; file: string; args: readonly string[] };
const suite = (about: string, folder: string): Tool => ({
  about,
  package: 'vitest',
  file: 'vitest.mjs',
  args: ['run', '--config', join('test', folder, 'vitest.config.ts')],
});

/** The commands of package.json that are those of a tool, with what they are for here. */
const tools: Readonly<Record<string, Tool>> = {
  test: suite('runs the tests, on the real handlers and the table in the process', ''),
  'test:dynoxide': suite('runs the tests once more, with each table in dynoxide (Linux on x64)', 'dynoxide'),
  'test:dynamodb': suite('runs the tests of table and store on the engine at DYNAMODB_LOCAL_URL', 'dynamodb'),
  'test:deployed': suite('synthesises the stack, and tests its bundles with their rights', 'deployed'),
  'test:browser': suite('goes through the console in a real Chromium, which a package brings on Linux', 'browser'),
  lint: {
    about: 'checks format and rules of all files; `npm run fix` corrects what it can',
    package: '@biomejs/biome',
    file: 'bin/biome',
    args: ['check', '--error-on-warnings', '.'],
  },
  synth: {
    about: 'synthesises the stack into cdk.out and checks it by cdk-nag; -c name=value sets a setting of the stage',
    package: 'aws-cdk',
    file: 'bin/cdk',
    args: ['synth', '--quiet'],
  },
};

const [name = '', ...given] = process.argv.slice(2);
const tool = tools[name];
if (!tool) {
  console.error(`There is no tool ${name}: one of ${Object.keys(tools).join(', ')}.`);
  process.exit(2);
}
const command = name === 'test' ? 'npm test' : `npm run ${name}`;
if (given.includes('--help'))
  console.log(`${command} [-- OPTIONS]
It ${tool.about}.
OPTIONS are those of \`npx ${tool.package} ${tool.args[0]}\`, which \`npx ${tool.package} --help\` lists. Exit code: 0; not 0 when something is wrong.`);
else {
  const folder = dirname(createRequire(import.meta.url).resolve(`${tool.package}/package.json`));
  const args = [join(folder, tool.file), ...tool.args, ...given];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}
