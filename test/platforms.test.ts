import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withoutComments } from './fixtures/imports.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Code that works only on some platforms. */
const dependent: [what: string, word: RegExp, planted: string][] = [
  ['virtual Linux files for processes and devices', /['"`]\/(proc|dev|sys)\//, "await readFile('/proc/1/stat')"],
  ['the path of the Unix folder for temporary files', /['"`]\/tmp\b/, "join('/tmp', name)"],
  ['sockets without a file (Linux)', /listen\(\s*['"`]\\0/, "server.listen('\\0name')"],
  ['a Unix shell', /(spawn|exec|execFile)(Sync)?\(\s*['"`](ba|z)?sh\b/, "spawn('sh', ['-c', text])"],
  [
    'signals to other processes, which Windows lacks',
    /process\.kill\(|\.kill\('SIG(?!KILL|TERM)/,
    "process.kill(pid, 'SIGUSR1')",
  ],
  ['Unix users and groups', /process\.(get|set)e?[ug]id\b|\bchown\(/, 'process.getuid()'],
  [
    'file URL paths, which begin with a slash on Windows',
    /import\.meta\.url\)\.pathname/,
    "new URL('.', import.meta.url).pathname",
  ],
  ['a folder list with the Unix separator', /\bPATH\b[^;]*:\$\{|\.bin:/, "PATH: 'node_modules/.bin:' + PATH"],
  ['a Linux-only engine', /@dynoxide/, "resolve('@dynoxide/linux-x64')"],
];
const found = (source: string): string[] =>
  dependent.flatMap(([what, word]) => (word.test(withoutComments(source)) ? [what] : []));

/** Folders with the code behind `npm start` and the tools. Tests may depend on Linux. */
const folders = ['bin', 'lib', 'functions', 'shared'];
const sources = folders.flatMap((folder) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?ts$/.test(name))
    .map((name) => `${folder}/${name}`),
);

test('code run by users is not platform-specific', () => {
  expect(sources.length).toBeGreaterThan(300);
  const wrong = sources.flatMap((file) =>
    found(readFileSync(`${root}${file}`, 'utf8')).map((what) => `${file}: ${what}`),
  );
  expect(wrong).toEqual([]);
});

test.each(dependent)('the check finds platform-specific code: %s', (what, _, planted) => {
  expect(found(planted)).toContain(what);
});
