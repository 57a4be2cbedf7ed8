import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { expect, test } from 'vitest';

const root = new URL('..', import.meta.url).pathname;
const folders = ['.github', 'bin', 'functions', 'lib', 'shared', 'test'];
const documents = [
  'README.md',
  'CHANGELOG.md',
  ...folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  ),
].filter((file) => file.endsWith('.md'));

/** Strips code from a document, because brackets and hashes have another meaning there. */
const proseOf = (text: string): string => text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '');

/** Anchors as GitHub derives them from headings: lower case, hyphens for spaces, no other punctuation. */
const anchorsOf = (text: string): string[] =>
  [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Returns a document's links to missing files or headings. */
const brokenIn = (file: string, text: string): string[] =>
  [...proseOf(text).matchAll(/\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].flatMap(([, path = '', anchor]) => {
    const target = path === '' ? file : join(dirname(file), path);
    if (path !== '' && !existsSync(join(root, target))) return [`${file}: ${path}`];
    if (anchor === undefined || !target.endsWith('.md')) return [];
    const found = target === file ? text : readFileSync(join(root, target), 'utf8');
    return anchorsOf(found).includes(anchor) ? [] : [`${file}: ${path}#${anchor}`];
  });

test('every relative link in a document leads to an existing file and heading', () => {
  expect(documents.length).toBeGreaterThan(15);
  expect(documents.flatMap((file) => brokenIn(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
});

test('the check finds a link to a missing file or heading', () => {
  const text = '## Rotate a secret\n\n[a](#rotate-a-secret) [b](#no-heading) [c](no-file.md) [d](README.md#no-heading)';
  expect(brokenIn('shared/planted.md', text)).toEqual([
    'shared/planted.md: #no-heading',
    'shared/planted.md: no-file.md',
    'shared/planted.md: README.md#no-heading',
  ]);
});
