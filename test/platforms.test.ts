import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withoutComments } from './fixtures/imports.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What exists on some platforms alone, and what it would break on the others. */
const dependent: [what: string, word: RegExp, planted: string][] = [
  ['files that Linux makes of its processes and devices', /['"`]\/(proc|dev|sys)\//, "await readFile('/proc/1/stat')"],
  ['the folder for temporary files by its name on Unix', /['"`]\/tmp\b/, "join('/tmp', name)"],
  ['sockets without a file (Linux)', /listen\(\s*['"`]\\0/, "server.listen('\\0name')"],
  ['a shell by its name', /(spawn|exec|execFile)(Sync)?\(\s*['"`](ba|z)?sh\b/, "spawn('sh', ['-c', text])"],
  [
    'signals to other processes, which Windows does not have',
    /process\.kill\(|\.kill\('SIG(?!KILL|TERM)/,
    "process.kill(pid, 'SIGUSR1')",
  ],
  ['users and groups of Unix', /process\.(get|set)e?[ug]id\b|\bchown\(/, 'process.getuid()'],
  [
    'paths of URLs, which begin with a slash on Windows',
    /import\.meta\.url\)\.pathname/,
    "new URL('.', import.meta.url).pathname",
  ],
  ['a list of folders with the separator of Unix', /\bPATH\b[^;]*:\$\{|\.bin:/, "PATH: 'node_modules/.bin:' + PATH"],
  ['an engine that exists for Linux alone', /@dynoxide/, "resolve('@dynoxide/linux-x64')"],
];
const found = (source: string): string[] =>
  dependent.flatMap(([what, word]) => (word.test(withoutComments(source)) ? [what] : []));

/** What `npm start` and the tools consist of. The tests use some of it, on Linux alone. */
const folders = ['bin', 'lib', 'functions', 'shared'];
const sources = folders.flatMap((folder) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?ts$/.test(name))
    .map((name) => `${folder}/${name}`),
);

test('nothing that users run depends on the platform', () => {
  expect(sources.length).toBeGreaterThan(300);
  const wrong = sources.flatMap((file) =>
    found(readFileSync(`${root}${file}`, 'utf8')).map((what) => `${file}: ${what}`),
  );
  expect(wrong).toEqual([]);
});

test.each(dependent)('planted: %s is found', (what, _, planted) => {
  expect(found(planted)).toContain(what);
});
